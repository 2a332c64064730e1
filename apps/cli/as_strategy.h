// The answer to `plan --as STRATEGY`: that strategy where the plan would be.
#pragma once

#include "request.h"

namespace worktop::cli {

// It is the best of the answer also where it does not fit.
[[nodiscard]] base::Result<advisor::PlanAnswer> plan_answer_as(const Request& request,
                                                               const std::string& strategy);

}  // namespace worktop::cli
