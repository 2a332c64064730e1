// Shortest paths (Dijkstra 1959) over the states of a tiny step. Exact over every legal plan, whatever the
// number of recomputes and copies, for what depends on the order of actions alone:
//
//   leanest   the least possible device peak: the cost of a path is its highest moment (a bottleneck path).
//             Copies count, within the budgets of the lower tiers.
//   fastest   the least time of plans that copy nothing: the compute queue never waits, so time adds up.
//             This is the exhaustive check that Checkmate's authors made of their plans (Jain et al. 2020).
//
// Among equals the path with the fewest actions wins, then the one through the least states.
#pragma once

#include "cost/durations.h"
#include "solver/tiny_step.h"

namespace worktop::solver {

struct Path {
  std::vector<std::vector<plan::Action>> actions;  // per boundary; empty: there is no path
  std::int64_t states = 0;                         // looked at
  bool complete = true;                            // false: the limit on states was reached before the end
  Bytes device_peak;
};

[[nodiscard]] Path leanest(const Graph& graph, const Machine& machine, const plan::Budgets& budgets,
                           std::int64_t most_states);

[[nodiscard]] Path fastest_without_copies(const Graph& graph, const Machine& machine,
                                          const cost::Durations& durations, const plan::Budgets& budgets,
                                          std::int64_t most_states);

// How often the actions of a boundary happen in a step: those up to the optimizer's first op belong to the
// micro-step.
[[nodiscard]] std::int64_t times_a_step(const Graph& graph, std::int32_t boundary);

}  // namespace worktop::solver
