// An error as the one JSON object of an answer: {"error": {"code", "what", "where", "hint"}}, and for people.
#pragma once

#include <string>

#include "base/error.h"

namespace worktop::format {

[[nodiscard]] std::string error_json(const base::Error& error);

//   error: size '40G' has half a unit
//     where: --budget
//     hint:  GiB is a power of 1024, GB one of 1000
[[nodiscard]] std::string error_text(const base::Error& error);

}  // namespace worktop::format
