// What would happen: a legal plan played on queues and tiers.
//
// One compute queue; one queue per link, first in first out; they overlap. An op starts when the compute
// queue is free and the copies it needs have arrived. A copy starts when its link is free, its source is
// complete, and the compute queue has reached the trigger that issued it. `release` makes the compute queue
// wait for the copy out of those bytes, and a `drop` by which bytes go for every copy that still uses them.
// (No bytes go at the end of an op while a copy uses them: `legal` refuses such plans.)
//
// While a link and its opposite are both busy, each runs at both_ways / bandwidth of its speed (latency
// included); while any link is busy, compute runs at 1 - compute_slowdown of its speed. A link is busy while
// a copy runs on it, not while one waits for its source. Speeds are whole millionths and at least a
// thousandth; work left is exact (simulator/work.h), ends are rounded up to whole nanoseconds: equal inputs
// give equal timelines everywhere.
//
// Memory follows the order of actions alone (plan/memory.h); the simulator keeps its own books, and a test
// compares.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cost/durations.h"
#include "plan/memory.h"
#include "plan/plan.h"

namespace worktop::simulator {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;

// One run of an op on the compute queue.
struct Run {
  OpId op;
  bool recompute = false;
  Nanoseconds start{0};
  Nanoseconds end{0};
  Bytes device_bytes{0};  // allocated on the device while it runs
  friend bool operator==(const Run&, const Run&) = default;
};

struct Copy {
  ValueId value;
  LinkId link;
  Nanoseconds issued{0};
  Nanoseconds start{0};
  Nanoseconds end{0};
  friend bool operator==(const Copy&, const Copy&) = default;
};

// The compute queue stood still from `start` to `end` because copy number `copy` had not ended.
struct Stall {
  Nanoseconds start{0};
  Nanoseconds end{0};
  std::int32_t copy = -1;  // index into Timeline::copies
  OpId before;             // the op that waited; none: a release or drop
  friend bool operator==(const Stall&, const Stall&) = default;
};

struct Timeline {
  std::vector<Run> runs;      // in order
  std::vector<Copy> copies;   // in order of issue
  std::vector<Stall> stalls;  // in order
  std::array<Bytes, machine::kTierCount> peak{};
  Nanoseconds micro_step_ns{0};  // the first optimizer op starts; without one: the last action is done
  Nanoseconds step_ns{0};  // all micro-steps and the optimizer; copies that nobody waits for are included
  Nanoseconds recompute_ns{0};  // of a whole step: time spent in recomputes
  Nanoseconds link_busy_ns{0};  // of a whole step: time during which copies run, summed over links
  Nanoseconds stalled_ns{0};    // of a whole step
  friend bool operator==(const Timeline&, const Timeline&) = default;
};

[[nodiscard]] Timeline simulate(const graph::Graph& graph, const machine::Machine& machine,
                                const cost::Durations& durations, const plan::Plan& plan);

}  // namespace worktop::simulator
