// What no plan can beat, however it was found.
#pragma once

#include "base/ids.h"
#include "solver/portfolio.h"

namespace worktop::solver {

// Every op's first run, of a whole step: no legal plan is faster. keep_all may be slower, where it has to
// replay what was overwritten in place.
[[nodiscard]] Nanoseconds first_runs_ns(const Problem& problem);

// By op: the bytes on the device while it runs, whatever the plan: what the program holds, what the op reads,
// writes and works in.
[[nodiscard]] base::IdVector<graph::OpId, Bytes> needed_by_ops(const Graph& graph);

// The least device peak is in solver/portfolio.h: least_possible_peak.

}  // namespace worktop::solver
