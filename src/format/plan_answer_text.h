// The answers to `plan` and `compare` for people: the result, its price, its certainty; then where the memory
// goes and what it was compared with. At most 80 columns.
#pragma once

#include <optional>
#include <string>

#include "advisor/advisor.h"
#include "format/plan_answer_json.h"

namespace worktop::format {

[[nodiscard]] std::string plan_answer_text(const advisor::PlanAnswer& answer,
                                           const std::optional<Largest>& largest = {});
[[nodiscard]] std::string compare_text(const advisor::CompareAnswer& answer);

}  // namespace worktop::format
