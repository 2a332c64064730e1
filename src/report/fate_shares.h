// What a plan does with its activations, in one line a fate.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/durations.h"
#include "plan/plan.h"
#include "simulator/simulate.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

struct FateShare {
  plan::Fate fate = plan::Fate::keep;
  std::int32_t count = 0;
  Bytes bytes;
  double share = 0;  // of the bytes of all activations
  // Of a whole step. keep: what one recompute of all of them would take, those that can be made again;
  // recompute: what it takes; offload: what compute waits for copies, shared by the bytes of host and disk.
  Nanoseconds ns{0};
};
// Of all decidable values of more than 0 bytes, in the order of plan::Fate; fates that nothing has are left
// out. `recompute_ns` and `stalled_ns` are the plan's, of a step.
[[nodiscard]] std::vector<FateShare> fate_shares(const graph::Graph& graph, const cost::Durations& durations,
                                                 const plan::Plan& plan, Nanoseconds recompute_ns,
                                                 Nanoseconds stalled_ns);

// The fate that gives a plan its colour: what most bytes of those that are not kept have; `hybrid` where
// recompute and offload have at least a fifth of them each; `keep` where all are kept.
enum class MainFate : std::uint8_t { keep, recompute, offload, hybrid };
[[nodiscard]] MainFate main_fate(const std::vector<FateShare>& shares);

}  // namespace worktop::report
