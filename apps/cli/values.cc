#include "values.h"

#include <fmt/format.h>

#include <charconv>

#include "base/names.h"

namespace worktop::cli {
namespace {

using base::ErrorCode;
using base::fail;

template <class N>
bool parse_whole_text(const std::string& text, N& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

}  // namespace

Result<std::int64_t> whole(const Option& option, const std::string& text, std::int64_t least,
                           std::int64_t most) {
  std::int64_t value = 0;
  if (!parse_whole_text(text, value))
    return fail(ErrorCode::usage, fmt::format("'{}' is not a whole number", text), option,
                fmt::format("write a number from {} to {}", least, most));
  if (value < least || value > most)
    return fail(ErrorCode::usage, fmt::format("{} is out of range", value), option,
                fmt::format("write a number from {} to {}", least, most));
  return value;
}

// NaN fails every comparison, so the range is asked the positive way round.
Result<double> number(const Option& option, const std::string& text, double least, double most) {
  double value = 0;
  if (!parse_whole_text(text, value) || !(value >= least && value <= most))
    return fail(ErrorCode::usage, fmt::format("'{}' is not a number from {} to {}", text, least, most),
                option, fmt::format("write a number such as {}", (least + most) / 2));
  return value;
}

Result<std::vector<double>> numbers(const Option& option, const std::string& text, double least,
                                    double most) {
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) {
    WORKTOP_TRY(const double value, number(option, part, least, most));
    values.push_back(value);
  }
  return values;
}

Result<bool> yes_or_no(const Option& option, const std::string& text) {
  if (text == "yes") return true;
  if (text == "no") return false;
  return fail(ErrorCode::usage, fmt::format("'{}' is neither yes nor no", text), option, "write yes or no");
}

Result<std::size_t> one_of(const Option& option, const std::string& text,
                           const std::vector<std::string>& choices) {
  WORKTOP_TRY(const std::string name, at(option, base::resolve_name("value", text, choices)));
  std::size_t place = 0;
  while (choices[place] != name) ++place;
  return place;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(separator, from);
    parts.push_back(text.substr(from, to - from));
    if (to == text.npos) return parts;
    from = to + 1;
  }
}

}  // namespace worktop::cli
