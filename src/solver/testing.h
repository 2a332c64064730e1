// For the tests of this room: what must hold of every plan that leaves it, and budgets between the least and
// the most that a random case can use.
#pragma once

#include <algorithm>
#include <string>

#include "plan/legal.h"
#include "plan/lower.h"
#include "plan/memory.h"
#include "solver/exhaustive.h"
#include "solver/portfolio.h"
#include "support/random_graph.h"

namespace worktop::solver::testing {

inline Problem problem_of(const test::Case& c, base::Limit<Bytes> device = {}) {
  return {c.graph, c.machine, c.durations, {.device = device, .host = {}, .disk = {}}};
}

// What is wrong with a plan: illegal, another peak than plan/memory measures, or (if asked) beyond a budget.
// Empty: nothing.
inline std::string fault_of(const Problem& problem, const Planned& planned, bool must_fit = false) {
  if (const auto legal = plan::legal(problem.graph, problem.machine, planned.plan); !legal)
    return "not legal: " + legal.error().what + " at " + legal.error().where;
  const plan::MemoryProfile memory = plan::measure_memory(problem.graph, problem.machine, planned.plan);
  for (std::size_t tier = 0; tier < planned.peak.size(); ++tier)
    if (memory.peak[tier] != planned.peak[tier])
      return "tier " + std::to_string(tier) + " is said to peak at " +
             std::to_string(planned.peak[tier].count()) + ", measured are " +
             std::to_string(memory.peak[tier].count());
  if (!must_fit) return {};
  const auto within_budgets = plan::fits(problem.graph, memory, problem.budgets);
  return within_budgets ? std::string() : "does not fit: " + within_budgets.error().what;
}

// A device budget on the way from `least` to the peak of keep-all.
inline Bytes budget_between(const test::Case& c, Bytes least, std::int32_t permille) {
  const auto keep_all = plan::lower(c.graph, c.machine, plan::Policy{.name = "keep_all"}, c.durations.op);
  const Bytes most = plan::measure_memory(c.graph, c.machine, *keep_all).peak[0];
  return least + Bytes{(most - least).count() * permille / 1000};
}

// Whether the solvers can think of a plan: they make again only what Graph::recomputable allows, which asks
// for inputs that are there to the end. The exact twin also uses inputs that the program happens to hold
// still.
inline bool thinkable(const test::Case& c, const plan::Plan& plan) {
  for (plan::Boundary t : base::ids<plan::Boundary>(plan.actions.rows()))
    for (const plan::Action& action : plan.actions[t]) {
      if (action.kind != plan::ActionKind::recompute) continue;
      const auto outputs = c.graph.writes(action.op);
      if (std::ranges::none_of(outputs, [&](const auto& out) { return c.graph.recomputable(out.value); }))
        return false;
    }
  return true;
}

}  // namespace worktop::solver::testing
