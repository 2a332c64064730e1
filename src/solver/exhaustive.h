// The best of all legal plans of a tiny step: the dull twin that every clever solver is tested against.
//
//   ExhaustiveAnswer answer = exhaustive(graph, machine, durations, budgets);
//
// Graphs of up to 64 values; in practice some six forward ops without copies, and two or three values that
// are worth copying. Three exact answers are put together:
//   - the least possible device peak of any legal plan within the budgets of the lower tiers
//   (solver/tiny_paths.h);
//   - the fastest plan that copies nothing, with any number of recomputes (solver/tiny_paths.h);
//   - where the machine has links, the fastest plan with copies, at most two recomputes of an op and one
//   round
//     trip of a value along each link (solver/every_plan.h).
// Ties: a plan without copies, then the first found. Nothing here is clever about time: that is the point.
#pragma once

#include "solver/every_plan.h"
#include "solver/tiny_paths.h"

namespace worktop::solver {

struct ExhaustiveLimits {
  std::int64_t states = 1'000'000;  // of each search for a path
  EveryPlanLimits copies;
};

struct ExhaustiveAnswer {
  std::optional<plan::Plan> best;  // none: no plan fits the budgets
  base::Nanoseconds step_ns{0};    // of `best`
  Bytes least_peak_possible;       // on the device, whatever its budget; only if `lean`
  std::optional<plan::Plan> lean;  // a plan that reaches it; none: there is no legal plan, or not `complete`
  std::int64_t plans_seen = 0;     // complete plans with copies that were timed
  bool complete = true;            // false: a limit was reached, and `best` is the best of those seen
};

[[nodiscard]] ExhaustiveAnswer exhaustive(const Graph& graph, const Machine& machine,
                                          const cost::Durations& durations, const plan::Budgets& budgets,
                                          const ExhaustiveLimits& limits = {});

}  // namespace worktop::solver
