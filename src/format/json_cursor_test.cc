#include "format/json_cursor.h"

#include <gtest/gtest.h>

#include <string>

namespace worktop::format {
namespace {

using base::Bytes;
using base::Error;

Error parse_error(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  EXPECT_FALSE(document.has_value()) << text;
  return document ? Error{} : document.error();
}

JsonObject object_of(const JsonDocument& document) {
  return *document.root().object();
}

TEST(JsonCursor, ReadsEveryKind) {
  const auto document = JsonDocument::parse(
      R"( {"s":"x","n":-12,"d":2.5e3,"t":true,"f":false,"z":null,"a":[1,[2,3],{"k":4}],"o":{}} )");
  ASSERT_TRUE(document) << document.error().what;
  const JsonObject o = object_of(*document);
  EXPECT_EQ(o.string("s"), "x");
  EXPECT_EQ(o.integer("n", -100, 0), -12);
  EXPECT_EQ(o.number("d", 0, 1e9), 2500.0);
  EXPECT_EQ(o.number("n", -100, 0), -12.0);
  EXPECT_EQ(o.boolean("t"), true);
  EXPECT_EQ(o.boolean("f"), false);
  EXPECT_TRUE(o.find("z")->is_null());
  EXPECT_FALSE(o.find_set("z"));
  EXPECT_FALSE(o.find("absent"));
  const auto a = o.array("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->count(), 3);
  auto it = a->begin();
  EXPECT_EQ((*it).integer(0, 9), 1);
  EXPECT_EQ((*++it).array()->count(), 2);
  EXPECT_EQ((*++it).object()->integer("k", 0, 9), 4);
  EXPECT_EQ(o.object("o")->begin(), o.object("o")->end());
}

TEST(JsonCursor, KeysThatMayBeAbsent) {
  const auto document = JsonDocument::parse(R"({"a":1,"b":null})");
  const JsonObject o = object_of(*document);
  EXPECT_EQ(o.integer_or("a", 7, 0, 9), 1);
  EXPECT_EQ(o.integer_or("b", 7, 0, 9), 7);
  EXPECT_EQ(o.integer_or("c", 7, 0, 9), 7);
  EXPECT_EQ(o.string_or("c", "x"), "x");
  EXPECT_EQ(o.boolean_or("c", true), true);
  EXPECT_EQ(o.number_or("c", 0.5, 0, 1), 0.5);
  EXPECT_EQ(o.quantity_or("c", Bytes{3}), Bytes{3});
  EXPECT_FALSE(o.string_or("a", "x"));  // there, and wrong
}

TEST(JsonCursor, UnescapesStrings) {
  const auto document = JsonDocument::parse(R"({"a\u0062":"\u00e9\n\ud83d\ude00","c":"plain"})");
  const JsonObject o = object_of(*document);
  EXPECT_EQ(o.string("ab"), "\xC3\xA9\n\xF0\x9F\x98\x80");
  EXPECT_EQ(o.string("c"), "plain");
}

TEST(JsonCursor, ErrorsNameLineColumnAndPath) {
  const auto document = JsonDocument::parse("{\n  \"tiers\": [{\"capacity\": 1},\n    {\"capacity\": -5}]}");
  const auto tiers = object_of(*document).array("tiers");
  const auto second = (*++tiers->begin()).object();
  const auto capacity = second->quantity<Bytes>("capacity");
  ASSERT_FALSE(capacity);
  EXPECT_EQ(capacity.error().where, "3:18 tiers[1].capacity");
  EXPECT_EQ(capacity.error().what, "-5 is not between 0 and 9007199254740992");
  const auto missing = second->string("name");
  EXPECT_EQ(missing.error().where, "3:5 tiers[1]");
  EXPECT_EQ(missing.error().what, "has no 'name'");
  EXPECT_EQ(second->string("capacity").error().what, "is a number where a string is expected");
}

TEST(JsonCursor, NumbersMustBeOfTheirKindAndInRange) {
  const auto document = JsonDocument::parse(
      R"({"half":1.5,"e":1e3,"big":9223372036854775808,"huge":123456789012345678901234567890,"edge":9007199254740992,
          "over":9007199254740993,"tiny":1e-400})");
  const JsonObject o = object_of(*document);
  EXPECT_EQ(o.integer("half", 0, 9).error().what, "1.5 is not a whole number");
  EXPECT_EQ(o.integer("e", 0, 9999).error().what, "1e3 is not a whole number");
  EXPECT_FALSE(o.integer("big", INT64_MIN, INT64_MAX));
  EXPECT_FALSE(o.integer("huge", INT64_MIN, INT64_MAX));
  EXPECT_EQ(o.quantity<Bytes>("edge"), Bytes::largest());
  EXPECT_FALSE(o.quantity<Bytes>("over"));
  EXPECT_EQ(o.number("tiny", 0, 1), 0.0);
  EXPECT_FALSE(o.number("half", 0, 1));
}

TEST(JsonCursor, MalformedTextIsAnErrorWithItsPlace) {
  EXPECT_EQ(parse_error("").where, "1:1");
  EXPECT_EQ(parse_error("{\"a\": [1, 2,\n x]}").where, "2:3 after a[1]");
  for (const char* text :
       {" ",        "{",         "[",        "[1",       "[1,",     "[1,]",        "{\"a\"", "{\"a\":",
        "{\"a\":1", "{\"a\":1,", "{a:1}",    "\"abc",    "\"\\x\"", "\"\\ud800\"", "tru",    "nul",
        "01",       "-",         "1.",       "1e",       ".5",      "+1",          "NaN",    "Infinity",
        "1e999",    "-1e999",    "[1] 2",    "{} {}",    "]",       "}",           "[}",     "/* c */ 1",
        "'a'",      "\"\x01\"",  "\"\xff\"", "\xff\xfe", "\xEF\xBB"})
    EXPECT_EQ(parse_error(text).code, base::ErrorCode::input) << text;
}

TEST(JsonCursor, AByteOrderMarkIsSkipped) {
  const auto document = JsonDocument::parse("\xEF\xBB\xBF{\"a\":[\"b\"]}");
  ASSERT_TRUE(document);
  EXPECT_EQ(*(*object_of(*document).array("a")->begin()).string(), "b");
}

TEST(JsonCursor, EveryPrefixOfAValidTextIsRefused) {
  const std::string text = R"({"a\n":[1,-2.5e1,"x\u0041",{"b":null}],"c":{"d":true}})";
  ASSERT_TRUE(JsonDocument::parse(text));
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_FALSE(JsonDocument::parse(text.substr(0, n))) << n;
}

TEST(JsonCursor, DepthIsLimitedAndDoesNotRecurse) {
  EXPECT_TRUE(JsonDocument::parse(std::string(64, '[') + std::string(64, ']')));
  EXPECT_EQ(parse_error(std::string(65, '[') + std::string(65, ']')).what, "is nested deeper than 64 levels");
  EXPECT_EQ(parse_error(std::string(100'000, '[')).what, "is nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(parse_error(objects).what, "is nested deeper than 64 levels");
}

TEST(JsonCursor, DuplicateKeysAreRefusedHoweverWritten) {
  const Error error = parse_error("{\"o\":{\"a\":1,\"b\":2,\n\"\\u0061\":3}}");
  EXPECT_EQ(error.what, "the key 'a' is there twice");
  EXPECT_EQ(error.where, "2:1 o.a");
  EXPECT_TRUE(JsonDocument::parse(R"([{"a":1},{"a":2}])"));
}

TEST(JsonCursor, UnknownKeysOfferTheNearest) {
  const auto document = JsonDocument::parse(R"({"name":"x","capasity":3})");
  const auto status = object_of(*document).only({"name", "capacity"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "unknown key 'capasity'");
  EXPECT_EQ(status.error().hint, "did you mean 'capacity'?");
  EXPECT_EQ(status.error().where, "1:13 capasity");
  EXPECT_TRUE(object_of(*document).only({"capasity", "name"}));
}

TEST(JsonCursor, FormatAndVersionMustAgree) {
  const auto document = JsonDocument::parse(R"({"format":"f","version":2})");
  EXPECT_TRUE(object_of(*document).is_format("f", 2));
  EXPECT_EQ(object_of(*document).is_format("f", 1).error().what, "version 2 of 'f' is not known");
  EXPECT_EQ(object_of(*document).is_format("g", 2).error().what, "is of format 'f', not 'g'");
}

TEST(JsonCursor, MoreNodesThanAChunkHolds) {
  std::string text = "[";
  for (int i = 0; i < 10'000; ++i) text += (i ? "," : "") + std::to_string(i);
  text += "]";  // the document points into it
  const auto document = JsonDocument::parse(text);
  ASSERT_TRUE(document);
  std::int64_t expected = 0;
  const auto items = document->root().array();
  ASSERT_TRUE(items);
  for (const JsonCursor item : *items) EXPECT_EQ(item.integer(0, 10'000), expected++);
  EXPECT_EQ(expected, 10'000);
}

}  // namespace
}  // namespace worktop::format
