// Writing JSON piece by piece, keys in the order they are written: equal calls give equal bytes everywhere.
//
//   JsonWriter w(2);
//   w.begin_object();
//   w.member("name", "toy");
//   w.key("bytes").begin_row();      // an array or object on one line, also when indenting
//   for (Bytes b : bytes) w.value(b);
//   w.end();
//   w.end();
//   std::string text = std::move(w).take();
//
// Integers are written exactly, doubles with the fewest digits that read back the same, NaN and infinities as
// null. Text that is not UTF-8 gets U+FFFD in place of every bad byte. Ill-nested calls are a programming
// error.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace worktop::format {

class JsonWriter {
 public:
  // `indent` 0: everything on one line without spaces.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{', '}', indent_ > 0); }
  JsonWriter& begin_array() { return open('[', ']', indent_ > 0); }
  JsonWriter& begin_row() { return open('[', ']', false); }
  JsonWriter& begin_object_row() { return open('{', '}', false); }
  JsonWriter& end();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  // With at most so many significant digits, where the last ones are only rounding.
  JsonWriter& value(double number, int digits);
  JsonWriter& value(std::same_as<bool> auto truth) { return raw(truth ? "true" : "false"); }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  JsonWriter& value(I number) {
    return raw(std::to_string(number));
  }
  template <class Tag>
  JsonWriter& value(base::Quantity<Tag> quantity) {
    return value(quantity.count());
  }
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  JsonWriter& null() { return raw("null"); }

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  [[nodiscard]] std::string take() &&;

 private:
  struct Level {
    char close;
    bool lines;  // one item a line
    bool empty = true;
  };
  JsonWriter& open(char opening, char closing, bool lines);
  JsonWriter& raw(std::string_view text);
  void start_item();
  void new_line(std::size_t depth);
  void append_quoted(std::string_view text);

  int indent_;
  bool after_key_ = false;
  std::string out_;
  std::vector<Level> levels_;
};

}  // namespace worktop::format
