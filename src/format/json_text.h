// Small things that json_parse.cc and json_cursor.cc share; no part of the interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace worktop::format {

// In a string node's link: the rest is its place among the unescaped strings.
inline constexpr std::uint32_t kEscaped = std::uint32_t{1} << 31;

// How many characters at the start of `text` can belong to a number.
[[nodiscard]] inline std::size_t number_length(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789+-.eE");
  return end == text.npos ? text.size() : end;
}

// "12:7" of the character at `place`, both counted from 1.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t place);

// At most 40 bytes of `text`, with "..." for the rest.
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace worktop::format
