#include "solver/milp.h"

#include <algorithm>

#include "plan/legal.h"
#include "solver/bounds.h"
#include "solver/stage_programme.h"

namespace worktop::solver {
namespace {

// What the solver's floating point may be off by, in the units of StageProgramme.
constexpr double kCostTolerance = 1e-6;

// A bound rounded towards the safe side.
Nanoseconds whole(const StageProgramme& stages, double cost) {
  const double ns = stages.step_ns(cost - kCostTolerance);
  return ns > 0 ? Nanoseconds{static_cast<std::int64_t>(ns)} : Nanoseconds{0};
}

// A solution within tolerances can mean a plan that is a byte too large: then it is none.
std::optional<Planned> judged(const Problem& problem, plan::Plan plan) {
  if (!plan::legal(problem.graph, problem.machine, plan)) return std::nullopt;
  Planned planned = predict(problem, std::move(plan));
  return fits(planned, problem.budgets) ? std::optional(std::move(planned)) : std::nullopt;
}

}  // namespace

Certificate certify(const Problem& problem, const std::optional<Planned>& known, Nanoseconds known_bound_ns,
                    LinearSolver& solver, double seconds) {
  Certificate answer{.best = known, .bound_ns = std::max(known_bound_ns, first_runs_ns(problem))};
  if (known && known->step_ns <= answer.bound_ns) {
    answer.optimal = true;
    return answer;
  }
  answer.too_large = problem.graph.op_count() > kMostOpsOfMilp;
  if (answer.too_large) return answer;
  const StageProgramme stages(problem);
  answer.infeasible = stages.impossible();
  if (answer.infeasible) return answer;
  std::vector<double> start;
  if (known) start = stages.columns_of(known->plan);
  const double target = stages.cost_of(answer.bound_ns) + kCostTolerance;
  const LinearSolution found =
      solver.solve(stages.programme(), start, {.seconds = seconds, .target = target});
  answer.infeasible = found.infeasible && !known;
  if (found.values) {
    std::optional<Planned> planned = judged(problem, stages.plan_of(*found.values));
    if (planned && (!answer.best || planned->step_ns < answer.best->step_ns))
      answer.best = std::move(planned);
  }
  answer.bound_ns = std::max(answer.bound_ns, whole(stages, found.bound));
  if (!answer.best) return answer;
  // Costs that differ by less than the tolerance are the same to the solver.
  answer.optimal =
      answer.best->step_ns <= answer.bound_ns ||
      (found.optimal && stages.cost_of(answer.best->step_ns) <= found.bound + 2 * kCostTolerance);
  if (answer.optimal) answer.bound_ns = answer.best->step_ns;
  return answer;
}

std::optional<Nanoseconds> relaxed_bound(const Problem& problem, LinearSolver& solver, double seconds) {
  if (problem.graph.op_count() > kMostOpsOfMilp) return std::nullopt;
  const StageProgramme stages(problem);
  if (stages.impossible()) return std::nullopt;
  const LinearSolution found = solver.solve(stages.programme(), {}, {.seconds = seconds, .relaxed = true});
  if (!found.optimal) return std::nullopt;
  return std::max(first_runs_ns(problem), whole(stages, found.bound));
}

}  // namespace worktop::solver
