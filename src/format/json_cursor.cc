#include "format/json_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/names.h"
#include "format/json_text.h"

namespace worktop::format {
namespace {

const char* name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::number:
      return "a number";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "?";
}

bool is_plain(std::string_view key) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/#";
  return !key.empty() && key.find_first_not_of(kPlain) == key.npos;
}

// `text` is a valid JSON number.
double to_double(std::string_view text) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{}) return value;
#endif
  // Too small for a double (which is zero), or a library without from_chars for doubles.
  return std::strtod(std::string(text).c_str(), nullptr);
}

}  // namespace

std::string line_and_column(std::string_view text, std::size_t place) {
  const std::string_view before = text.substr(0, place);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == before.npos ? before.size() + 1 : before.size() - start;
  return fmt::format("{}:{}", line, column);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return std::string(text);
  std::size_t end = kShown;  // not in the middle of a character
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

namespace json_internal {

JsonKind Tree::kind(std::uint32_t node) const {
  switch (text[nodes[node].place]) {
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::array;
    case '"':
      return JsonKind::string;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    default:
      return JsonKind::number;
  }
}

std::string_view Tree::string(std::uint32_t node) const {
  const auto [place, link] = nodes[node];
  if ((link & kEscaped) == 0) return text.substr(place + std::size_t{1}, link);
  const std::size_t start = link & ~kEscaped;
  std::uint32_t size = 0;
  std::memcpy(&size, unescaped.data() + start, sizeof size);
  return std::string_view(unescaped).substr(start + sizeof size, size);
}

std::uint32_t Tree::after(std::uint32_t node) const {
  const JsonKind k = kind(node);
  return k == JsonKind::array || k == JsonKind::object ? nodes[node].link : node + 1;
}

std::string Tree::path_to(std::uint32_t node) const {
  std::string path;
  std::uint32_t at = 0;
  while (at != node) {
    const bool in_object = kind(at) == JsonKind::object;
    std::uint32_t child = at + 1;
    std::int64_t index = 0;
    while (child != node) {  // a key may be the last node of a text that ends too early
      const std::uint32_t next = after(in_object ? child + 1 : child);
      if (next > node) break;
      child = next;
      ++index;
    }
    if (!in_object) {
      path += fmt::format("[{}]", index);
      at = child;
      continue;
    }
    const std::string key = shortened(string(child));
    if (is_plain(key))
      path += (path.empty() ? "" : ".") + key;
    else
      path += "[\"" + key + "\"]";
    if (child == node) break;
    at = child + 1;
  }
  return path;
}

base::Error Tree::error_at(std::uint32_t node, std::string what, std::string hint) const {
  std::string where = line_and_column(text, nodes[node].place);
  if (const std::string path = path_to(node); !path.empty()) where += " " + path;
  return {base::ErrorCode::input, std::move(what), std::move(where), std::move(hint)};
}

}  // namespace json_internal

base::Error JsonCursor::wrong_kind(std::string_view wanted) const {
  return error(fmt::format("is {} where {} is expected", name_of(kind()), wanted));
}

std::string_view JsonCursor::number_text() const {
  const std::string_view rest = tree_->text.substr(tree_->nodes[node_].place);
  return rest.substr(0, number_length(rest));
}

base::Error JsonCursor::error(std::string_view what, std::string_view hint) const {
  return tree_->error_at(node_, std::string(what), std::string(hint));
}
std::unexpected<base::Error> JsonCursor::fail(std::string_view what, std::string_view hint) const {
  return std::unexpected(error(what, hint));
}

base::Result<JsonObject> JsonCursor::object() const {
  if (kind() != JsonKind::object) return std::unexpected(wrong_kind("an object"));
  return JsonObject(*this);
}

base::Result<JsonArray> JsonCursor::array() const {
  if (kind() != JsonKind::array) return std::unexpected(wrong_kind("an array"));
  return JsonArray(*this);
}

base::Result<std::string_view> JsonCursor::string() const {
  if (kind() != JsonKind::string) return std::unexpected(wrong_kind("a string"));
  return tree_->string(node_);
}

base::Result<bool> JsonCursor::boolean() const {
  if (kind() != JsonKind::boolean) return std::unexpected(wrong_kind("true or false"));
  return tree_->text[tree_->nodes[node_].place] == 't';
}

base::Result<std::int64_t> JsonCursor::integer(std::int64_t least, std::int64_t largest) const {
  if (kind() != JsonKind::number) return std::unexpected(wrong_kind("a whole number"));
  const std::string_view text = number_text();
  if (text.find_first_of(".eE") != text.npos)
    return fail(fmt::format("{} is not a whole number", shortened(text)));
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || value < least || value > largest)
    return fail(fmt::format("{} is not between {} and {}", shortened(text), least, largest));
  return value;
}

base::Result<double> JsonCursor::number(double least, double largest) const {
  if (kind() != JsonKind::number) return std::unexpected(wrong_kind("a number"));
  const std::string_view text = number_text();
  const double value = to_double(text);
  if (!(value >= least && value <= largest) || !std::isfinite(value))
    return fail(fmt::format("{} is not between {} and {}", shortened(text), least, largest));
  return value;
}

std::int64_t JsonArray::count() const {
  std::int64_t n = 0;
  for (auto it = begin(); it != end(); ++it) ++n;
  return n;
}

std::optional<JsonCursor> JsonObject::find(std::string_view key) const {
  for (const Member member : *this)
    if (member.key == key) return member.value;
  return std::nullopt;
}

std::optional<JsonCursor> JsonObject::find_set(std::string_view key) const {
  const auto value = find(key);
  return value && !value->is_null() ? value : std::nullopt;
}

base::Result<JsonCursor> JsonObject::at(std::string_view key) const {
  if (const auto value = find(key)) return *value;
  return at_.fail(fmt::format("has no '{}'", key));
}

base::Status JsonObject::only(std::initializer_list<std::string_view> known) const {
  for (auto it = begin(); it != end(); ++it) {
    const std::string_view key = (*it).key;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    const auto close = base::nearest(key, names);
    return JsonCursor(at_.tree_, it.node)
        .fail(fmt::format("unknown key '{}'", shortened(key)),
              close ? fmt::format("did you mean '{}'?", *close)
                    : fmt::format("known: {}", fmt::join(known, ", ")));
  }
  return {};
}

base::Status JsonObject::is_format(std::string_view name, std::int64_t version) const {
  WORKTOP_TRY(const JsonCursor format_at, at("format"));
  WORKTOP_TRY(const std::string_view format, format_at.string());
  if (format != name)
    return format_at.fail(fmt::format("is of format '{}', not '{}'", shortened(format), name));
  WORKTOP_TRY(const JsonCursor version_at, at("version"));
  WORKTOP_TRY(const std::int64_t stated, version_at.integer(0, INT32_MAX));
  if (stated != version)
    return version_at.fail(fmt::format("version {} of '{}' is not known", stated, name),
                           fmt::format("this program reads version {}", version));
  return {};
}

base::Result<JsonObject> JsonObject::object(std::string_view key) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  return value.object();
}

base::Result<JsonArray> JsonObject::array(std::string_view key) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  return value.array();
}

base::Result<std::string> JsonObject::string(std::string_view key) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  WORKTOP_TRY(const std::string_view text, value.string());
  return std::string(text);
}

base::Result<bool> JsonObject::boolean(std::string_view key) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  return value.boolean();
}

base::Result<std::int64_t> JsonObject::integer(std::string_view key, std::int64_t least,
                                               std::int64_t largest) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  return value.integer(least, largest);
}

base::Result<double> JsonObject::number(std::string_view key, double least, double largest) const {
  WORKTOP_TRY(const JsonCursor value, at(key));
  return value.number(least, largest);
}

base::Result<std::string> JsonObject::string_or(std::string_view key, std::string_view otherwise) const {
  return find_set(key) ? string(key) : std::string(otherwise);
}

base::Result<bool> JsonObject::boolean_or(std::string_view key, bool otherwise) const {
  return find_set(key) ? boolean(key) : otherwise;
}

base::Result<std::int64_t> JsonObject::integer_or(std::string_view key, std::int64_t otherwise,
                                                  std::int64_t least, std::int64_t largest) const {
  return find_set(key) ? integer(key, least, largest) : otherwise;
}

base::Result<double> JsonObject::number_or(std::string_view key, double otherwise, double least,
                                           double largest) const {
  return find_set(key) ? number(key, least, largest) : otherwise;
}

}  // namespace worktop::format
