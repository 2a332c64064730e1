// Durations of an analytic graph by roofline (Williams, Waterman and Patterson 2009), with measured
// efficiencies:
//
//   time = max(launch floor, flops / achieved rate, traffic / achieved bandwidth)
//
// where the achieved rate is the machine's matmul rate of the op's dtype times its measured efficiency (times
// the attention efficiency for fused attention), or its vector rate; and the achieved bandwidth the memory
// bandwidth times the streaming efficiency. Rounded up to whole nanoseconds.
#pragma once

#include "cost/durations.h"

namespace worktop::cost {

[[nodiscard]] Durations estimate(const graph::Graph& graph, const machine::Machine& machine);

}  // namespace worktop::cost
