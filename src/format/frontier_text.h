// The answer to `frontier` for people: the range, a curve of plain characters, the plans with the price of
// memory between them, and the picks. At most 80 columns.
#pragma once

#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

[[nodiscard]] std::string frontier_text(const advisor::FrontierAnswer& answer);

}  // namespace worktop::format
