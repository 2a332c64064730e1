// The answer to `explain` as one JSON object: format "worktop-answer-explain", version 1.
// docs/schema/explain.schema.json is its schema.
#pragma once

#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

[[nodiscard]] std::string explain_json(const advisor::ExplainAnswer& answer);

}  // namespace worktop::format
