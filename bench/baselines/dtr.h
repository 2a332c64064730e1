// Dynamic Tensor Rematerialization (Kirisame et al., ICLR 2021) as a baseline: a policy that sees no further
// than the op that runs now.
//
// The step is played op by op. What an op reads and is not there is made again, its inputs first. Whenever
// something is to be allocated and does not fit, the value of the least
//
//   h = (cost + evicted neighbours' cost) / (bytes * staleness)
//
// is let go: cost is the time of the op that makes it, the neighbours are the evicted values that it would
// need or that would need it (the paper's h_eq: they lie in classes that are united when a value is evicted;
// a value that comes back takes its own cost out of its class, and no class is ever split), staleness the
// compute time since it was last used. Eager eviction: what nobody asks for any more goes at once, and counts
// as an evicted neighbour from then on. The order of ops is the program's.
//
// For graphs with a trigger at every boundary. No copies.
#pragma once

#include <optional>

#include "cost/durations.h"
#include "plan/plan.h"

namespace worktop::bench {

// The plan of what happened; none: out of memory, or something is needed that cannot be made again, or more
// than 20 recomputes of every op on average.
[[nodiscard]] std::optional<plan::Plan> dtr(const graph::Graph& graph, const cost::Durations& durations,
                                            base::Bytes budget);

}  // namespace worktop::bench
