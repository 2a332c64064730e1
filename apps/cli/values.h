// What users write after an option, as values. Errors (code usage) name the option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace worktop::cli {

using base::Result;
using Option = std::string;  // "--batch"

// Says which option an error is about, where it does not say so itself.
template <class T>
[[nodiscard]] Result<T> at(const Option& option, Result<T> result) {
  if (!result && result.error().where.empty()) result.error().where = option;
  return result;
}

// A whole number, and any number.
[[nodiscard]] Result<std::int64_t> whole(const Option& option, const std::string& text, std::int64_t least,
                                         std::int64_t most);
[[nodiscard]] Result<double> number(const Option& option, const std::string& text, double least, double most);
// "0.3" or "0.3,0.5,0.2".
[[nodiscard]] Result<std::vector<double>> numbers(const Option& option, const std::string& text, double least,
                                                  double most);
[[nodiscard]] Result<bool> yes_or_no(const Option& option, const std::string& text);
// The place of `text` among `choices`, exactly or by a unique prefix; the nearest is offered.
[[nodiscard]] Result<std::size_t> one_of(const Option& option, const std::string& text,
                                         const std::vector<std::string>& choices);
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);

}  // namespace worktop::cli
