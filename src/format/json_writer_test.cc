#include "format/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "format/json_cursor.h"

namespace worktop::format {
namespace {

template <class T>
std::string written(const T& value) {
  JsonWriter w;
  w.value(value);
  return std::move(w).take();
}

TEST(JsonWriter, CompactAndIndented) {
  const auto write = [](int indent) {
    JsonWriter w(indent);
    w.begin_object().member("a", 1).key("b").begin_array().value("x").null().end();
    w.key("row").begin_row().value(1).value(2).begin_array().value(3).end().end();
    w.key("none").begin_object().end().end();
    return std::move(w).take();
  };
  EXPECT_EQ(write(0), R"({"a":1,"b":["x",null],"row":[1,2,[3]],"none":{}})");
  EXPECT_EQ(
      write(2),
      "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    null\n  ],\n  \"row\": [1, 2, [3]],\n  \"none\": {}\n}\n");
}

TEST(JsonWriter, Numbers) {
  EXPECT_EQ(written(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(written(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(written(0.1), "0.1");
  JsonWriter rounded;
  rounded.begin_row().value(0.1 + 0.2, 12).value(4.0, 12).value(-1e24, 12);
  rounded.value(std::numeric_limits<double>::infinity(), 12).end();
  EXPECT_EQ(std::move(rounded).take(), "[0.3,4,-1e+24,null]");
  EXPECT_EQ(written(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(base::Bytes{5}), "5");
  EXPECT_EQ(written(std::optional<base::Bytes>{}), "null");
}

TEST(JsonWriter, EscapesAndMendsText) {
  EXPECT_EQ(written("a\"b\\c\nd\x01\x7f"), R"("a\"b\\c\nd\u0001\u007f")");
  EXPECT_EQ(written("\xC3\xA9\xF0\x9F\x98\x80"), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  // One U+FFFD for each bad byte: a lone continuation, a cut character, a surrogate (three bytes), an
  // overlong form.
  EXPECT_EQ(written("\x80"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xC3"), "\"\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(written("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

RC_GTEST_PROP(JsonWriter, AnyBytesGiveValidJson, (const std::string& text)) {
  RC_ASSERT(JsonDocument::parse(written(text)).has_value());
}

RC_GTEST_PROP(JsonWriter, DoublesReadBackTheSame, (std::uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  if (number - number != 0) return;  // not finite
  const std::string text = written(number);
  const auto document = JsonDocument::parse(text);
  RC_ASSERT(document.has_value());
  constexpr double kMost = std::numeric_limits<double>::max();
  RC_ASSERT(document->root().number(-kMost, kMost).value() == number);
}

}  // namespace
}  // namespace worktop::format
