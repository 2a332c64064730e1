// Bad input and a failing world: what went wrong, where, and what to do about it.
//
// Result<T> is std::expected<T, Error>; nothing in the library throws. Our own mistakes are not errors but
// `ensure`.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace worktop::base {

// The kind of trouble decides the exit code of the command line.
enum class ErrorCode {
  usage,        // exit 2: a wrong option, name or value
  input,        // exit 2: a file that is malformed, hostile or not what it claims
  infeasible,   // exit 3: no plan fits the limits
  illegal,      // exit 4: a plan that is not legal, or a check that failed
  environment,  // exit 5: a file that cannot be read or written, a missing tool
};

struct Error {
  ErrorCode code = ErrorCode::usage;
  std::string what;   // one sentence, without a full stop: "budget is negative"
  std::string where;  // "machine.json:12:7 tiers[1].capacity", an option, an op; may be empty
  std::string hint;   // what to do: "use a size such as 20GiB"; may be empty

  Error();
  Error(ErrorCode code, std::string what, std::string where, std::string hint);
  // Not inline: every function that passes an error on would hold a copy of them.
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

[[nodiscard]] std::unexpected<Error> fail(ErrorCode code, std::string_view what, std::string_view where = {},
                                          std::string_view hint = {});

[[nodiscard]] constexpr int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
    case ErrorCode::input:
      return 2;
    case ErrorCode::infeasible:
      return 3;
    case ErrorCode::illegal:
      return 4;
    case ErrorCode::environment:
      return 5;
  }
  return 5;
}

[[nodiscard]] constexpr const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::input:
      return "input";
    case ErrorCode::infeasible:
      return "infeasible";
    case ErrorCode::illegal:
      return "illegal";
    case ErrorCode::environment:
      return "environment";
  }
  return "environment";
}

}  // namespace worktop::base

// Unwraps a Result or returns its error from the enclosing function:
//   WORKTOP_TRY(auto graph, read_graph(text));
#define WORKTOP_TRY_JOIN2(a, b) a##b
#define WORKTOP_TRY_JOIN(a, b) WORKTOP_TRY_JOIN2(a, b)
#define WORKTOP_TRY_NAMED(result, declaration, ...)               \
  auto result = (__VA_ARGS__);                                    \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)
#define WORKTOP_TRY(declaration, ...) \
  WORKTOP_TRY_NAMED(WORKTOP_TRY_JOIN(worktop_try_, __LINE__), declaration, __VA_ARGS__)
#define WORKTOP_CHECK(...)                                  \
  if (auto worktop_status = (__VA_ARGS__); !worktop_status) \
  return std::unexpected(std::move(worktop_status).error())
