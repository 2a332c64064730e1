#include "solver/exhaustive.h"

#include <utility>

#include "simulator/simulate.h"

namespace worktop::solver {

ExhaustiveAnswer exhaustive(const Graph& graph, const Machine& machine, const cost::Durations& durations,
                            const plan::Budgets& budgets, const ExhaustiveLimits& limits) {
  ExhaustiveAnswer answer;
  if (graph.value_count() > TinyStep::kMostValues) {
    answer.complete = false;
    return answer;
  }
  const Path lean = leanest(graph, machine, budgets, limits.states);
  answer.complete = lean.complete;
  if (!lean.actions.empty()) {
    answer.least_peak_possible = lean.device_peak;
    answer.lean = plan_of(graph, machine, lean.actions, "exhaustive");
    if (!within(lean.device_peak, budgets.device)) return answer;
  }
  const Path fastest = fastest_without_copies(graph, machine, durations, budgets, limits.states);
  answer.complete = answer.complete && fastest.complete;
  base::Limit<base::Nanoseconds> faster_than;
  if (!fastest.actions.empty()) {
    answer.best = plan_of(graph, machine, fastest.actions, "exhaustive");
    answer.step_ns = simulator::simulate(graph, machine, durations, *answer.best).step_ns;
    faster_than = answer.step_ns;
  }
  if (machine.links.empty()) return answer;
  EveryPlan copied = every_plan(graph, machine, durations, budgets, faster_than, limits.copies);
  answer.complete = answer.complete && copied.complete;
  answer.plans_seen = copied.plans_seen;
  if (copied.best) {
    answer.best = std::move(copied.best);
    answer.step_ns = copied.step_ns;
  }
  return answer;
}

}  // namespace worktop::solver
