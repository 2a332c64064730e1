// The mixed-integer programme of the stages, solved by HiGHS, against the exhaustive twin on random steps. It
// covers plans that run an op again at most once at one boundary, in program order: it is never faster than
// the twin, and as fast wherever the twin's plan is of that kind.
#include <gtest/gtest.h>

#include "highs/highs.h"
#include "solver/milp.h"
#include "solver/testing.h"

namespace worktop::solver {
namespace {

using test::CaseOptions;
using test::Flavour;
using testing::budget_between;
using testing::fault_of;
using testing::problem_of;

bool covered(const test::Case& c, const plan::Plan& plan) {
  for (plan::Boundary t : base::ids<plan::Boundary>(plan.actions.rows())) {
    graph::OpId last;
    for (const plan::Action& action : plan.actions[t]) {
      if (action.kind != plan::ActionKind::recompute) continue;
      if (last.exists() && action.op <= last) return false;
      last = action.op;
    }
  }
  return plan.graph == c.graph.hash();
}

struct Count {
  std::int32_t compared = 0, infeasible = 0, outside = 0, with_replays = 0;
};

void compare(const test::Case& c, LinearSolver& solver, Bytes budget, Count& count) {
  const Problem problem = problem_of(c, budget);
  const Path twin = fastest_without_copies(c.graph, c.machine, c.durations, problem.budgets, 200'000);
  if (!twin.complete) return;
  const Certificate found = certify(problem, std::nullopt, Nanoseconds{0}, solver, 60);
  if (twin.actions.empty()) {
    EXPECT_TRUE(found.infeasible && !found.best) << "nothing fits";
    ++count.infeasible;
    return;
  }
  const plan::Plan best = plan_of(c.graph, c.machine, twin.actions, "twin");
  const Nanoseconds step_ns = predict(problem, best).step_ns;
  if (found.best) {
    EXPECT_EQ(fault_of(problem, *found.best, true), "");
    EXPECT_GE(found.best->step_ns, step_ns);
  }
  EXPECT_TRUE(found.optimal || found.infeasible);
  if (!covered(c, best)) {
    ++count.outside;
    return;
  }
  ASSERT_TRUE(found.best.has_value());
  EXPECT_EQ(found.best->step_ns, step_ns);
  ++count.compared;
  count.with_replays += found.best->recompute_ns > Nanoseconds{0};
  const auto relaxed = relaxed_bound(problem, solver, 60);
  ASSERT_TRUE(relaxed.has_value());
  EXPECT_LE(*relaxed, step_ns);
}

Count agree(const CaseOptions& options, std::uint64_t seeds) {
  Count count;
  const auto solver = highs::make_solver();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const test::Case c =
        test::random_case({.seed = seed, .size = 3 + static_cast<std::int32_t>(seed % 3)}, options);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + test::describe(c.graph));
    const Path lean = leanest(c.graph, c.machine, {}, 200'000);
    if (!lean.complete || lean.actions.empty()) continue;
    const Bytes least = lean.device_peak;
    for (const Bytes budget : {least - Bytes{1}, least, budget_between(c, least, 200),
                               budget_between(c, least, 500), budget_between(c, least, 1000)}) {
      SCOPED_TRACE("budget " + std::to_string(budget.count()));
      compare(c, *solver, budget, count);
    }
  }
  std::printf("%d compared, of them %d with replays; %d infeasible; %d outside what is covered\n",
              count.compared, count.with_replays, count.infeasible, count.outside);
  return count;
}

#define SKIP_WITHOUT_HIGHS() \
  if (!highs::make_solver()) GTEST_SKIP() << "this build has no HiGHS"

TEST(Milp, IsAsFastAsTheTwinOnEagerSteps) {
  SKIP_WITHOUT_HIGHS();
  EXPECT_GE(agree({.flavour = Flavour::eager}, 100).with_replays, 80);
}
TEST(Milp, IsAsFastAsTheTwinOnEveryBoundary) {
  SKIP_WITHOUT_HIGHS();
  EXPECT_GE(agree({.flavour = Flavour::every_boundary}, 100).with_replays, 80);
}
TEST(Milp, IsAsFastAsTheTwinOnTensorDags) {
  SKIP_WITHOUT_HIGHS();
  EXPECT_GE(agree({.flavour = Flavour::tensor_dag}, 100).with_replays, 80);
}

// With a plan to start from and a bound to stop at the answer is the same.
TEST(Milp, AgreesWithThePortfolioThatItStartsFrom) {
  SKIP_WITHOUT_HIGHS();
  const auto solver = highs::make_solver();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const test::Case c = test::random_case({.seed = seed, .size = 9},
                                           {.flavour = Flavour::every_boundary, .needed_at_end = 20});
    const Bytes least = least_possible_peak(c.graph);
    const Problem problem = problem_of(c, budget_between(c, least, 250));
    const Answer answer = fastest(problem, {.effort = Effort::quick});
    const Certificate alone = certify(problem, std::nullopt, Nanoseconds{0}, *solver, 60);
    const Certificate helped = certify(problem, answer.best, answer.bound_ns, *solver, 60);
    ASSERT_EQ(alone.best.has_value(), helped.best.has_value()) << "seed " << seed;
    if (!alone.best) continue;
    EXPECT_TRUE(alone.optimal && helped.optimal) << "seed " << seed;
    EXPECT_EQ(alone.best->step_ns, helped.best->step_ns) << "seed " << seed;
    EXPECT_GE(alone.best->step_ns, answer.bound_ns) << "seed " << seed;
  }
}

}  // namespace
}  // namespace worktop::solver
