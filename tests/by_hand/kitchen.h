// A toy machine, and a small graph with a plan on it, for timelines that are worked out by hand.
//
// Four links, device <-> host ("out", "in") and host <-> disk ("disk_out", "disk_in"), each one byte per
// nanosecond and without latency, both ways at once as fast as alone; compute is not slowed by copies. A test
// changes what it is about. Values belong to the executor alone (the program lets go of them when their op
// ends) unless it says otherwise.
//
// Every plan that is played must be legal. What came of it is text, a line each:
//   runs     "f 0-10 8B"  "f again 20-30 8B"      name, start-end, device bytes while it runs
//   copies   "x out 10-18"  "y out 18-22 issued 10"
//   stalls   "b waits 40-48 for x in"  "waits 6-12 for x out" (a release or drop)
//
// The drawings: one lane a queue, time from left to right, `f--` a run of f, `.` idle, `~` the compute queue
// standing still for a copy; below them the bytes allocated on the device.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "simulator/simulate.h"

namespace worktop::by_hand {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using graph::Output;
using graph::ValueId;
using machine::LinkId;
using machine::Tier;
using plan::Action;

using Lines = std::vector<std::string>;
using Peak = std::array<std::int64_t, 3>;  // device, host, disk

inline constexpr LinkId kOut{0};
inline constexpr LinkId kIn{1};
inline constexpr LinkId kDiskOut{2};
inline constexpr LinkId kDiskIn{3};

inline Action recompute(OpId op) {
  return Action::recompute(op);
}
inline Action drop(ValueId v, Tier tier = Tier::device) {
  return Action::drop(v, tier);
}
inline Action release(ValueId v, Tier tier = Tier::device) {
  return Action::release(v, tier);
}
inline Action copy_out(ValueId v, LinkId link = kOut) {
  return Action::copy_out(v, link);
}
inline Action copy_in(ValueId v, LinkId link = kIn) {
  return Action::copy_in(v, link);
}

struct Played {
  Lines runs, copies, stalls;
  Peak peak{};
  std::int64_t step = 0;
  std::int64_t micro_step = 0;
  std::int64_t recomputing = 0;
  std::int64_t links_busy = 0;
  std::int64_t stalled = 0;
};

class Kitchen {
 public:
  Kitchen();

  machine::Machine machine;
  graph::GraphBuilder builder{"kitchen", graph::Origin::trace};

  // There from the start to the end of the step.
  ValueId input(std::string name, std::int64_t bytes);
  ValueId value(std::string name, std::int64_t bytes);
  // Dies with its last reader, in the hands of the program; the executor never holds it.
  ValueId temporary(std::string name, std::int64_t bytes);

  struct More {
    std::int64_t workspace = 0;
    graph::Phase phase = graph::Phase::forward;
  };
  OpId op(std::string name, std::int64_t ns, std::vector<ValueId> reads, std::vector<Output> writes,
          More more);
  OpId op(std::string name, std::int64_t ns, std::vector<ValueId> reads, std::vector<Output> writes) {
    return op(std::move(name), ns, std::move(reads), std::move(writes), More{});
  }

  // The actions at the trigger before `op`, and at the end of the step.
  void at(OpId op, std::vector<Action> actions);
  void at_end(std::vector<Action> actions);

  [[nodiscard]] Played play() const;

  void set_bandwidth(LinkId link, double bytes_per_ns);
  void set_both_ways(double share);  // of the bandwidth, on all links

 private:
  [[nodiscard]] plan::Plan make_plan(const graph::Graph& graph) const;

  cost::Durations durations_;
  std::vector<std::vector<Action>> actions_;  // by boundary; grown as needed
  std::vector<Action> at_end_;
};

}  // namespace worktop::by_hand
