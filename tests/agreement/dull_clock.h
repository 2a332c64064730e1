// The simulator's dull twin: the same plan played nanosecond by nanosecond, with no cleverness at all.
//
// Every nanosecond each running job does its speed's share of work; a job has ended when none is left. Keeps
// no books: of memory it knows only what makes the compute queue wait (simulator/simulate.h). Quadratic in
// copies and linear in nanoseconds: for small cases.
#pragma once

#include "simulator/simulate.h"
#include "support/random_graph.h"

namespace worktop::test {

// Runs, copies, micro_step_ns and step_ns of a timeline; all else is left empty.
[[nodiscard]] simulator::Timeline play_by_ticks(const Case& c, const plan::Plan& plan);

}  // namespace worktop::test
