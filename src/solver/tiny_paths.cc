#include "solver/tiny_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace worktop::solver {
namespace {

using plan::Action;
using plan::ActionKind;

enum class Aim : std::uint8_t { peak, time };

struct Cost {
  std::int64_t amount = 0;  // bytes of the highest moment, or ns of recompute
  std::int64_t actions = 0;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

struct Reached {
  Cost cost;
  StepState from;
  std::optional<Action> action;  // none: the op was run
};

class Search {
 public:
  Search(const Graph& graph, const Machine& machine, const cost::Durations* durations,
         const plan::Budgets& budgets, Aim aim, std::int64_t most_states)
      : graph_(graph),
        durations_(durations),
        budgets_(budgets),
        aim_(aim),
        most_states_(most_states),
        step_(graph, machine) {}

  Path run();

 private:
  void expand(const StepState& s, Cost cost);
  void reach(const StepState& from, Cost cost, std::optional<Action> action,
             const std::optional<Moved>& moved);
  [[nodiscard]] bool fits(const Moved& moved) const;
  [[nodiscard]] Path trace(const StepState& end) const;

  const Graph& graph_;
  const cost::Durations* durations_;
  const plan::Budgets& budgets_;
  const Aim aim_;
  const std::int64_t most_states_;
  const TinyStep step_;
  std::map<StepState, Reached> reached_;
  std::set<std::pair<Cost, StepState>> open_;
};

bool Search::fits(const Moved& moved) const {
  if (aim_ == Aim::time && !within(moved.device_bytes, budgets_.device)) return false;
  return within(step_.bytes(moved.state.held[1]), budgets_.host) &&
         within(step_.bytes(moved.state.held[2]), budgets_.disk);
}

void Search::reach(const StepState& from, Cost cost, std::optional<Action> action,
                   const std::optional<Moved>& moved) {
  if (!moved || !fits(*moved)) return;
  if (aim_ == Aim::peak) cost.amount = std::max(cost.amount, moved->device_bytes.count());
  if (action) ++cost.actions;
  if (aim_ == Aim::time && action && action->kind == ActionKind::recompute)
    cost.amount += (*durations_)[action->op].count() * times_a_step(graph_, from.next);
  const auto [place, fresh] = reached_.try_emplace(moved->state, Reached{cost, from, action});
  if (!fresh) {
    if (place->second.cost <= cost) return;
    open_.erase({place->second.cost, moved->state});
    place->second = {cost, from, action};
  }
  open_.insert({cost, moved->state});
}

void Search::expand(const StepState& s, Cost cost) {
  if (!step_.at_end(s)) reach(s, cost, std::nullopt, step_.run(s));
  if (!graph_.is_trigger(s.next)) return;
  const auto reach_all = [&](const std::vector<Action>& actions) {
    for (const Action& action : actions) reach(s, cost, action, step_.act(s, action));
  };
  // What nobody needs any more and has no copy is dropped first: that only frees bytes.
  const ValueSet useless = ~step_.useful(s.next) & ~s.held[1] & ~s.held[2];
  for (const Action& action : step_.let_gos(s, Tier::device))
    if (contains(useless, action.value)) return reach(s, cost, action, step_.act(s, action));
  reach_all(step_.let_gos(s, Tier::device));
  reach_all(step_.recomputes(s));
  if (aim_ == Aim::time) return;
  if (budgets_.host) reach_all(step_.let_gos(s, Tier::host));
  if (budgets_.disk) reach_all(step_.let_gos(s, Tier::disk));
  reach_all(step_.copies(s));
}

Path Search::run() {
  const StepState start = step_.start();
  const Moved first{start, step_.bytes(step_.resident(start))};
  Path path;
  if (!fits(first)) return path;
  const Cost zero{aim_ == Aim::peak ? first.device_bytes.count() : 0, 0};
  reached_.try_emplace(start, Reached{zero, start, std::nullopt});
  open_.insert({zero, start});
  while (!open_.empty()) {
    const auto [cost, state] = *open_.begin();
    open_.erase(open_.begin());
    if (step_.at_end(state)) {
      const std::int64_t states = path.states;
      path = trace(state);
      path.states = states;
      if (aim_ == Aim::peak) path.device_peak = Bytes{cost.amount};
      return path;
    }
    if (++path.states > most_states_) {
      path.complete = false;
      return path;
    }
    expand(state, cost);
  }
  return path;
}

Path Search::trace(const StepState& end) const {
  Path path;
  path.actions.resize(static_cast<std::size_t>(graph_.op_count()) + 1);
  const StepState start = step_.start();
  for (StepState s = end; s != start;) {
    const Reached& reached = reached_.at(s);
    if (reached.action) path.actions[static_cast<std::size_t>(s.next)].push_back(*reached.action);
    s = reached.from;
  }
  for (std::vector<Action>& row : path.actions) std::ranges::reverse(row);
  return path;
}

}  // namespace

Path leanest(const Graph& graph, const Machine& machine, const plan::Budgets& budgets,
             std::int64_t most_states) {
  return Search(graph, machine, nullptr, budgets, Aim::peak, most_states).run();
}

Path fastest_without_copies(const Graph& graph, const Machine& machine, const cost::Durations& durations,
                            const plan::Budgets& budgets, std::int64_t most_states) {
  return Search(graph, machine, &durations, budgets, Aim::time, most_states).run();
}

std::int64_t times_a_step(const Graph& graph, std::int32_t boundary) {
  for (OpId op : base::ids<OpId>(boundary))
    if (graph.op(op).phase == graph::Phase::optimizer) return 1;
  return graph.micro_steps();
}

}  // namespace worktop::solver
