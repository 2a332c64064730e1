// What no plan can beat, however it was found.
#pragma once

#include "solver/portfolio.h"

namespace worktop::solver {

// Every op's first run, of a whole step: no legal plan is faster. keep_all may be slower, where it has to
// replay what was overwritten in place.
[[nodiscard]] Nanoseconds first_runs_ns(const Problem& problem);

// The least device peak is in solver/portfolio.h: least_possible_peak.

}  // namespace worktop::solver
