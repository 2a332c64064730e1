// How many bytes a legal plan holds on each tier at each moment. Depends on the order of actions alone, never
// on timing (graph/graph.h has the rule). `plan` must be legal: anything else is a programming error.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace worktop::plan {

// What lives in device memory at one moment. The six sum to the bytes allocated.
struct Residents {
  Bytes weights, gradients, optimizer_states, activations, workspace, other;
  [[nodiscard]] Bytes total() const {
    return weights + gradients + optimizer_states + activations + workspace + other;
  }
  friend bool operator==(const Residents&, const Residents&) = default;
};

// A moment of the step: while op `running` runs (`recompute`: as a recompute at `boundary`; else boundary ==
// its index), or, with running none, right after an action at `boundary` (copies allocate when they are
// issued).
struct Moment {
  Boundary boundary;
  OpId running;
  bool recompute = false;
  friend bool operator==(const Moment&, const Moment&) = default;
};

struct MemoryProfile {
  std::array<Bytes, machine::kTierCount> peak{};  // by tier
  Moment peak_moment;                             // the first moment at which the device peak is reached
  Residents residents;                            // on the device at that moment
  std::vector<ValueId> resident_values;           // on the device at that moment, ascending, those with bytes
  std::vector<Bytes> device_at_op;                // per op: bytes allocated while its first run runs
};

[[nodiscard]] MemoryProfile measure_memory(const Graph& graph, const machine::Machine& machine,
                                           const Plan& plan);

// Whether every tier stays within its budget. The second judgement, separate from `legal`: comparisons show
// plans that are legal and do not fit. The error (code infeasible) names the tier, the peak, the budget and
// the moment.
[[nodiscard]] base::Status fits(const Graph& graph, const MemoryProfile& memory, const Budgets& budgets);

}  // namespace worktop::plan
