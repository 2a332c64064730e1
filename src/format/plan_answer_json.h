// The answers to `plan` and `compare` as one JSON object each: formats "worktop-answer-plan" and
// "worktop-answer-compare", version 1. docs/schema/plan.schema.json and compare.schema.json are their
// schemas.
#pragma once

#include <optional>
#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

// If the plan is of the largest batch or sequence that fits.
struct Largest {
  std::string of;  // "batch" or "seq"
  std::int64_t value = 0;
};

// `answer` was given to `subject`. Its plan goes in whole, as plan_json.h writes it. Infeasible: nulls where
// the plan's numbers would be, and "changes".
[[nodiscard]] std::string plan_answer_json(const advisor::Subject& subject, const advisor::PlanAnswer& answer,
                                           const std::optional<Largest>& largest = {});
[[nodiscard]] std::string compare_json(const advisor::CompareAnswer& answer);

}  // namespace worktop::format
