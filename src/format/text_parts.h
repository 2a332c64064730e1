// What several answers have in common, for people.
#pragma once

#include <span>
#include <string>

#include "advisor/advisor.h"

namespace worktop::format {

// The six shares of the peak, each with a bar; none of no bytes.
[[nodiscard]] std::string residents_text(const report::Residents& residents);
// The largest groups of who is there, at most `rows` of them.
[[nodiscard]] std::string groups_text(std::span<const report::ResidentGroup> groups, std::size_t rows);
// "Picks: least memory checkpoint(6), balanced plan, fastest keep_all."
[[nodiscard]] std::string picks_text(const report::Picks& picks);
// Change of the time of a step: "+3.2 %".
[[nodiscard]] std::string slower(base::Nanoseconds step_ns, base::Nanoseconds than);

}  // namespace worktop::format
