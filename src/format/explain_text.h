// The answer to `explain` for people: who is in memory at the peak, and why each activation has its fate. At
// most 80 columns.
#pragma once

#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

// `peak_alone`: without the reasons.
[[nodiscard]] std::string explain_text(const advisor::ExplainAnswer& answer, bool peak_alone = false);

}  // namespace worktop::format
