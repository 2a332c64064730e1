// Errors of the library as exceptions: the only place of the house that throws, since Python expects it.
//
// Every function that is bound unwraps its Result here. Python sees worktop.Error
// (python/worktop/_errors.py), a RuntimeError with the attributes code, what, where and hint; of bad input
// (codes usage and input) worktop.InputError, which is a ValueError too.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "base/error.h"

namespace worktop::python {

class Trouble final : public std::exception {
 public:
  explicit Trouble(base::Error error) : error_(std::move(error)) {}
  [[nodiscard]] const base::Error& error() const { return error_; }
  [[nodiscard]] const char* what() const noexcept override { return error_.what.c_str(); }

 private:
  base::Error error_;
};

template <class T>
T unwrap(base::Result<T> result) {
  if (!result) throw Trouble(std::move(result).error());
  return *std::move(result);
}
inline void unwrap(base::Status status) {
  if (!status) throw Trouble(std::move(status).error());
}

// What a caller gave is no good; `where` names the argument.
[[noreturn]] inline void refuse(std::string what, std::string where, std::string hint) {
  throw Trouble({base::ErrorCode::usage, std::move(what), std::move(where), std::move(hint)});
}

// From now on.
void translate_errors();

}  // namespace worktop::python
