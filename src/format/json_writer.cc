#include "format/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/ensure.h"

namespace worktop::format {
namespace {

// How many bytes the UTF-8 character at the start of `text` takes; 0 if it is not one (RFC 3629: no
// surrogates, no overlong forms, nothing above U+10FFFF).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F)) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

void JsonWriter::new_line(std::size_t depth) {
  out_ += '\n';
  out_.append(depth * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::start_item() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) out_ += level.lines || indent_ == 0 ? "," : ", ";
  level.empty = false;
  if (level.lines) new_line(levels_.size());
}

JsonWriter& JsonWriter::open(char opening, char closing, bool lines) {
  start_item();
  out_ += opening;
  // What is inside a row stays on its line.
  levels_.push_back({closing, lines && (levels_.empty() || levels_.back().lines)});
  return *this;
}

JsonWriter& JsonWriter::end() {
  ensure(!levels_.empty() && !after_key_);
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.lines && !level.empty) new_line(levels_.size());
  out_ += level.close;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  debug_ensure(!levels_.empty() && levels_.back().close == '}' && !after_key_);
  start_item();
  append_quoted(name);
  out_ += indent_ == 0 ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  start_item();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  start_item();
  append_quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  return raw(fmt::format("{}", number));
}

JsonWriter& JsonWriter::value(double number, int digits) {
  if (!std::isfinite(number)) return null();
  return raw(fmt::format("{:.{}g}", number, digits));
}

void JsonWriter::append_quoted(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0)
      out_ += "\xEF\xBF\xBD";  // U+FFFD
    else if (c == '"' || c == '\\')
      (out_ += '\\') += c;
    else if (c == '\n')
      out_ += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned char>(c));
    else
      out_ += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
}

std::string JsonWriter::take() && {
  ensure(levels_.empty() && !after_key_);
  if (indent_ > 0) out_ += '\n';
  return std::move(out_);
}

}  // namespace worktop::format
