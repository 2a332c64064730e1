// Every change of memory in a played step, with its time: what the pictures of memory over time and of
// lifetimes are made of.
//
// The order is that of plan/memory.h, the times are the timeline's: what an op allocates comes when it
// starts, what it lets go of goes when it ends; a copy in allocates when it is issued; drops and releases
// happen when the compute queue has come so far. Times never fall.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "simulator/simulate.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;
using graph::ValueId;
using machine::Tier;

struct MemoryChange {
  Nanoseconds at{0};
  Tier tier = Tier::device;
  ValueId value;  // none: workspace
  Bytes bytes;    // added; negative: let go of
  friend bool operator==(const MemoryChange&, const MemoryChange&) = default;
};

// What is resident at the start comes first, at 0. `timeline` is simulate's of `plan`, which is legal. The
// sums over the changes of the device reach the peak of measure_memory, and never more.
[[nodiscard]] std::vector<MemoryChange> memory_changes(const graph::Graph& graph,
                                                       const machine::Machine& machine,
                                                       const plan::Plan& plan,
                                                       const simulator::Timeline& timeline);

}  // namespace worktop::report
