// A plan beside keep-all, in the two numbers that the ledger (cost/ledger.h) uses, here as simulated.
#pragma once

#include "base/units.h"
#include "cost/durations.h"
#include "graph/graph.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

// What is compared: the peak, the activations among its residents, and the time of a step.
struct Sample {
  Bytes peak;
  Bytes activations;
  Nanoseconds step_ns{0};
};

// 0 each for keep-all itself, and where there is nothing to divide by. Negative where keep-all is better.
struct Against {
  double r_mem = 0;        // 1 - activations / keep-all's activations, each at its own peak
  double r_mem_total = 0;  // 1 - peak / keep-all's peak
  double r_cost = 0;       // (step - keep-all's step) / time of the forwards of a step
  friend bool operator==(const Against&, const Against&) = default;
};
[[nodiscard]] Against against(const Sample& keep_all, const Sample& sample, Nanoseconds forward_ns);

// All forward ops, of all micro-steps.
[[nodiscard]] Nanoseconds forward_time(const graph::Graph& graph, const cost::Durations& durations);

}  // namespace worktop::report
