// The answer to `frontier` as one JSON object: format "worktop-answer-frontier", version 1.
// docs/schema/frontier.schema.json is its schema.
#pragma once

#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

[[nodiscard]] std::string frontier_json(const advisor::FrontierAnswer& answer);

}  // namespace worktop::format
