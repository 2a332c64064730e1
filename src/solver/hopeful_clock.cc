#include "solver/hopeful_clock.h"

#include <algorithm>

namespace worktop::solver {

using graph::OpId;
using graph::Phase;
using graph::ValueId;
using plan::Action;
using plan::ActionKind;

HopefulClock::HopefulClock(const graph::Graph& graph, const machine::Machine& machine,
                           const cost::Durations& durations)
    : graph_(&graph),
      machine_(&machine),
      durations_(&durations),
      link_free_(static_cast<std::size_t>(machine.links.size()), 0) {
  const auto values = static_cast<std::size_t>(graph.value_count());
  for (std::vector<Time>& times : arrived_) times.assign(values, 0);
  for (std::vector<Time>& times : left_down_) times.assign(values, 0);
  for (OpId op : base::ids<OpId>(graph.op_count())) {
    left_ += durations[op].count();
    if (graph.op(op).phase != Phase::optimizer) left_in_micro_step_ += durations[op].count();
  }
}

void HopefulClock::compute(OpId op) {
  for (ValueId v : graph_->reads(op)) now_ = std::max(now_, arrived_[0][v.at()]);
  now_ += (*durations_)[op].count();
}

void HopefulClock::run(OpId op) {
  const bool optimizer = graph_->op(op).phase == Phase::optimizer;
  if (optimizer && !in_optimizer_) {
    for (ValueId v : graph_->reads(op)) now_ = std::max(now_, arrived_[0][v.at()]);
    micro_step_ = now_;
    in_optimizer_ = true;
  }
  left_ -= (*durations_)[op].count();
  if (!optimizer) left_in_micro_step_ -= (*durations_)[op].count();
  compute(op);
}

void HopefulClock::copy(ValueId v, machine::LinkId id) {
  const machine::Link& link = machine_->links[id];
  const auto from = static_cast<std::size_t>(link.from);
  const auto to = static_cast<std::size_t>(link.to);
  Time& free = link_free_[id.at()];
  free =
      std::max({now_, free, arrived_[from][v.at()]}) + cost::copy_time(link, graph_->value(v).bytes).count();
  arrived_[to][v.at()] = free;
  if (link.outward()) left_down_[from][v.at()] = std::max(left_down_[from][v.at()], free);
}

void HopefulClock::act(const Action& action) {
  switch (action.kind) {
    case ActionKind::recompute:
      return compute(action.op);
    case ActionKind::copy_out:
    case ActionKind::copy_in:
      return copy(action.value, action.link);
    case ActionKind::release:
      now_ = std::max(now_, left_down_[static_cast<std::size_t>(action.tier)][action.value.at()]);
      return;
    case ActionKind::drop:
      return;
  }
}

base::Nanoseconds HopefulClock::least_step() const {
  const Time micro_step = in_optimizer_ ? micro_step_ : now_ + left_in_micro_step_;
  Time all = now_ + left_;
  for (Time free : link_free_) all = std::max(all, free);
  return base::Nanoseconds{micro_step * (graph_->micro_steps() - 1) + all};
}

}  // namespace worktop::solver
