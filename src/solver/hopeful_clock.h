// A lower bound on the time of a step while its plan is still being made: queues as in simulator/simulate.h,
// but no link and no op ever slows another down. Starting and ending earlier never makes anything later, so
// what this clock shows the simulator cannot beat.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cost/durations.h"
#include "plan/plan.h"

namespace worktop::solver {

class HopefulClock {
 public:
  // All three must outlive this.
  HopefulClock(const graph::Graph& graph, const machine::Machine& machine, const cost::Durations& durations);

  // The first run of the next op in program order, or an action before it.
  void run(graph::OpId op);
  void act(const plan::Action& action);

  // No plan that begins like this takes a step less.
  [[nodiscard]] base::Nanoseconds least_step() const;

 private:
  using Time = std::int64_t;  // ns since the step began
  void compute(graph::OpId op);
  void copy(graph::ValueId v, machine::LinkId link);

  const graph::Graph* graph_;
  const machine::Machine* machine_;
  const cost::Durations* durations_;
  Time now_ = 0;         // of the compute queue
  Time micro_step_ = 0;  // when the optimizer began, if it did
  bool in_optimizer_ = false;
  Time left_in_micro_step_ = 0, left_ = 0;  // first runs to come
  std::vector<Time> link_free_;
  // Per tier and value: when the last copy to it has arrived, and the last copy down from it has left.
  std::array<std::vector<Time>, machine::kTierCount> arrived_, left_down_;
};

}  // namespace worktop::solver
