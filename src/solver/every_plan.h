// Every plan of a tiny step, one after the other, depth first: the dull half of `exhaustive`, for steps with
// copies, whose time only the simulator knows.
//
// At each trigger, in every order: recompute an op, begin a copy, let go of a value, or go on. A branch ends
// where a budget is exceeded, an op lacks an input, or the compute queue alone would be as slow as the best
// plan so far. Each plan that gets to the end is judged by plan::legal and timed by simulator::simulate.
//
// Orders that cannot differ are tried once:
//   - letting go of a value that was never copied costs no time and only frees bytes, so it happens at the
//     first moment after the executor's hold was last needed: at the first trigger after its making or a
//     first run that needed it, or right after a recompute. What no op needs any more goes without asking;
//   - neighbours that commute (two letting go, two copies on different links) come in ascending order;
//   - a value just brought is not let go again before it was used;
//   - copies below the device are let go only where that tier has a budget.
// Limits: an op is recomputed so often and no more, a value is copied along one link once.
#pragma once

#include "cost/durations.h"
#include "solver/tiny_step.h"

namespace worktop::solver {

struct EveryPlanLimits {
  std::int32_t recomputes = 2;     // of each op
  std::int64_t nodes = 2'000'000;  // of the tree: a few seconds
};

struct EveryPlan {
  std::optional<plan::Plan> best;  // none: no plan is faster than `faster_than` and fits
  base::Nanoseconds step_ns{0};
  std::int64_t plans_seen = 0;  // that got to the end
  bool complete = true;         // false: the limit on nodes was reached
};

// The least step_ns below `faster_than`; ties: the first found.
[[nodiscard]] EveryPlan every_plan(const Graph& graph, const Machine& machine,
                                   const cost::Durations& durations, const plan::Budgets& budgets,
                                   base::Limit<base::Nanoseconds> faster_than,
                                   const EveryPlanLimits& limits = {});

}  // namespace worktop::solver
