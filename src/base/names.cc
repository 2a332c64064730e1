#include "base/names.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace worktop::base {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string joined(std::span<const std::string> names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i) text += (i ? ", " : "") + names[i];
  if (names.size() > kShown) text += ", ...";
  return text;
}

}  // namespace

std::string slug(std::string_view name) {
  std::string out;
  for (char raw : name) {
    const char c = lower(raw);
    if (is_name_character(c))
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
  if (typed.size() > 256) return std::nullopt;
  std::size_t best = (typed.size() + 2) / 3 + 1;
  std::optional<std::string> name;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(typed, candidate);
    if (distance < best) best = distance, name = candidate;
  }
  return name;
}

Result<std::string> resolve_name(std::string_view kind, std::string_view typed,
                                 std::span<const std::string> known) {
  const std::string wanted = slug(typed);
  std::vector<std::string> starting;
  for (const std::string& name : known) {
    if (name == wanted) return name;
    if (!wanted.empty() && name.starts_with(wanted)) starting.push_back(name);
  }
  if (starting.size() == 1) return starting.front();
  const std::string what = std::string(kind) + " '" + std::string(typed) + "' is ";
  if (!starting.empty())
    return fail(ErrorCode::usage, what + "not unique", {}, "write one of: " + joined(starting));
  const auto close = nearest(wanted, known);
  return fail(ErrorCode::usage, what + "not known", {},
              close ? "did you mean '" + *close + "'?" : "known: " + joined(known));
}

}  // namespace worktop::base
