// From a plan to columns, and back.
#include <algorithm>

#include "plan/holders.h"
#include "solver/stage_programme.h"

namespace worktop::solver {

using graph::OpId;
using graph::ValueId;
using plan::Action;
using plan::ActionKind;
using plan::Boundary;

namespace {

bool is_set(std::span<const double> columns, std::int32_t column) {
  return columns[static_cast<std::size_t>(column)] > 0.5;
}

// Whether the actions let go of v before a replay reads or makes it.
bool dropped_first(const graph::Graph& graph, std::span<const Action> actions, ValueId v) {
  for (const Action& action : actions) {
    if (action.kind == ActionKind::drop && action.value == v) return true;
    if (action.kind != ActionKind::recompute) continue;
    if (action.op == graph.value(v).producer) return false;
    if (std::ranges::find(graph.reads(action.op), v) != graph.reads(action.op).end()) return false;
  }
  return false;
}

}  // namespace

std::vector<double> StageProgramme::columns_of(const plan::Plan& plan) const {
  std::vector<double> columns(programme_.columns.size(), 0);
  plan::Holders holders(graph_);
  for (std::int32_t t = 0; t <= end_; ++t) {
    const auto actions = plan.actions[Boundary{t}];
    for (ValueId v : base::ids<ValueId>(graph_.value_count())) {
      const Code code = held(v, t);
      if (code < 0 || !holders.executor_holds(v)) continue;
      if (is_read(v, t) || !dropped_first(graph_, actions, v)) columns[static_cast<std::size_t>(code)] = 1;
    }
    if (t < end_) holders.reach(OpId{t});
    for (const Action& action : actions) {
      if (action.kind == ActionKind::drop) holders.drop(action.value);
      if (action.kind != ActionKind::recompute) continue;
      holders.recompute(action.op);
      const auto& replays = replays_[static_cast<std::size_t>(t)];
      const auto found = std::ranges::find(replays, action.op, &Replay::op);
      if (found != replays.end()) columns[static_cast<std::size_t>(found->column)] = 1;
    }
    if (t == end_) break;
    holders.start(OpId{t});
    holders.finish(OpId{t});
  }
  return columns;
}

// Whether the executor goes on holding v after the actions of boundary t, at which it can act.
bool StageProgramme::keeps_on(ValueId v, std::int32_t t, std::span<const double> columns) const {
  if (t == end_) return is_read(v, t);
  std::int32_t next = t + 1;
  if (program_holds(v, t)) {
    // It can wait until the last boundary within the program's hold at which it can act.
    next = program_until(v) + 1;
    for (std::int32_t later = t + 1; later < next; ++later)
      if (graph_.is_trigger(later)) return true;
  }
  if (next > end_) return true;
  const Code code = held(v, next);
  return code >= 0 ? is_set(columns, code) : code == kOne;
}

plan::Plan StageProgramme::plan_of(std::span<const double> columns) const {
  plan::Plan plan;
  plan.made_by = "search";
  plan.graph = graph_.hash();
  plan.fates = base::IdVector<ValueId, plan::Fate>(graph_.value_count(), plan::Fate::keep);
  plan::Holders holders(graph_);
  for (std::int32_t t = 0; t <= end_; ++t) {
    if (t < end_) holders.reach(OpId{t});
    std::vector<OpId> ops;
    for (const Replay& replay : replays_[static_cast<std::size_t>(t)])
      if (is_set(columns, replay.column)) ops.push_back(replay.op);
    base::IdVector<ValueId, std::int32_t> last_use(graph_.value_count(), -1);
    for (std::size_t i = 0; i < ops.size(); ++i)
      for (ValueId v : graph_.reads(ops[i])) last_use[v] = static_cast<std::int32_t>(i);
    const auto drop_if_done = [&](ValueId v, std::int32_t now) {
      if (!holders.executor_holds(v) || last_use[v] > now || keeps_on(v, t, columns)) return;
      plan.actions.push_item(Action::drop(v));
      holders.drop(v);
    };
    if (graph_.is_trigger(t) && (t < end_ || !ops.empty()))
      for (ValueId v : base::ids<ValueId>(graph_.value_count())) {
        const bool remade = std::ranges::find(ops, graph_.value(v).producer) != ops.end();
        const Code code = held(v, t);
        const bool goes_first = code == kZero || (code >= 0 && !is_set(columns, code));
        if (remade && goes_first && holders.executor_holds(v) && !is_read(v, t) && !program_holds(v, t)) {
          plan.actions.push_item(Action::drop(v));
          holders.drop(v);
        } else if (!remade) {
          drop_if_done(v, -1);
        }
      }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      plan.actions.push_item(Action::recompute(ops[i]));
      for (ValueId v : holders.recompute(ops[i])) plan.fates[v] = plan::Fate::recompute;
      for (const graph::Output& out : graph_.writes(ops[i]))
        drop_if_done(out.value, static_cast<std::int32_t>(i));
      for (ValueId v : graph_.reads(ops[i])) drop_if_done(v, static_cast<std::int32_t>(i));
    }
    plan.actions.end_row();
    if (t == end_) break;
    holders.start(OpId{t});
    holders.finish(OpId{t});
  }
  return plan;
}

}  // namespace worktop::solver
