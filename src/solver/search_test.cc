// The search against the exact twin, on random steps without copies: what it holds is what it says, never
// better than the optimum, and seldom worse.
#include "solver/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/hold.h"
#include "solver/testing.h"
#include "solver/tiny_paths.h"
#include "support/any_case.h"

namespace worktop::solver {
namespace {

using test::Flavour;

constexpr Flavour kFlavours[] = {Flavour::eager, Flavour::every_boundary, Flavour::tensor_dag};
constexpr std::int64_t kStates = 30'000;

plan::Holding keep_everything(const graph::Graph& graph) {
  const base::IdVector<ValueId, plan::Fate> keep(graph.value_count(), plan::Fate::keep);
  return plan::hold(graph, keep, plan::Replay::hold).holding;
}

// As many units of search from keep-all as `units`, all at once or in `turns`.
std::optional<plan::Holding> searched(const test::Case& c, Bytes budget, std::int64_t units, int turns = 1) {
  const Options options;
  Meter meter(units, options);
  Search search(c.graph, c.durations, {}, budget, 7);
  search.add_start(keep_everything(c.graph));
  for (int i = 0; i < turns; ++i) search.run(meter, units / turns);
  return search.best();
}

// A step of several micro-steps replays in each.
std::int64_t step_ns_of(const test::Case& c, const plan::Holding& holding) {
  const auto plan = plan::lower(c.graph, c.machine, holding, {}, "search");
  return plan ? simulator::simulate(c.graph, c.machine, c.durations, *plan).step_ns.count() : -1;
}

struct Optimum {
  Bytes budget;
  plan::Plan plan;
  std::int64_t step_ns = 0;
};
// At a share of the way from the least peak to keep-all's; none where the twin gives up.
std::optional<Optimum> optimum(const test::Case& c, std::int32_t permille) {
  if (c.graph.value_count() > TinyStep::kMostValues) return std::nullopt;
  const Path lean = leanest(c.graph, c.machine, {}, kStates);
  if (!lean.complete || lean.actions.empty()) return std::nullopt;
  const Bytes budget = testing::budget_between(c, lean.device_peak, permille);
  const Path path = fastest_without_copies(c.graph, c.machine, c.durations, {.device = budget}, kStates);
  if (!path.complete || path.actions.empty()) return std::nullopt;
  plan::Plan plan = plan_of(c.graph, c.machine, path.actions, "exhaustive");
  const std::int64_t ns = simulator::simulate(c.graph, c.machine, c.durations, plan).step_ns.count();
  return Optimum{budget, std::move(plan), ns};
}

RC_GTEST_PROP(Search, FindsLegalPlansWithinTheBudgetThatNoneCanBeat, ()) {
  const test::CaseId id = *rc::gen::resize(100, test::any_case(1, 5));
  const std::int32_t permille = *rc::gen::element(0, 200, 500, 800);
  for (const Flavour flavour : kFlavours) {
    const test::Case c = test::random_case(id, {.flavour = flavour});
    const auto best = optimum(c, permille);
    if (!best) continue;
    RC_TAG("compared");
    const Problem problem = testing::problem_of(c, best->budget);
    const auto found = searched(c, best->budget, 3000);
    if (!found) continue;
    auto plan = plan::lower(c.graph, c.machine, *found, {}, "search");
    RC_ASSERT(plan.has_value());
    const Planned planned = predict(problem, *std::move(plan));
    RC_ASSERT(testing::fault_of(problem, planned, true) == "");
    RC_ASSERT(planned.step_ns.count() >= best->step_ns);
  }
}

// More effort is never worse, and the same effort gives the same answer.
RC_GTEST_PROP(Search, GoesOnFromWhatItHas, ()) {
  const test::CaseId id = *rc::gen::resize(100, test::any_case(1, 8));
  const test::Case c = test::random_case(
      id, {.flavour = *rc::gen::elementOf(std::vector(std::begin(kFlavours), std::end(kFlavours)))});
  const Bytes budget = testing::budget_between(c, least_possible_peak(c.graph), *rc::gen::inRange(0, 1000));
  std::int64_t last = INT64_MAX;
  for (const std::int64_t units : {500, 1000, 2500, 9000}) {
    const auto found = searched(c, budget, units);
    RC_ASSERT(found == searched(c, budget, units));
    if (!found) {
      RC_ASSERT(last == INT64_MAX);
      continue;
    }
    const std::int64_t now = step_ns_of(c, *found);
    RC_ASSERT(now <= last);
    last = now;
  }
}

// Counted on fixed seeds, so that the share is the same in every run. Values without bytes are left out: the
// search never moves them, the twin holds on to them for free.
TEST(Search, ReachesTheOptimumOnAlmostEveryCase) {
  int compared = 0, reached = 0;
  std::string missed;
  for (std::uint64_t seed = 0; seed < 150; ++seed)
    for (const Flavour flavour : kFlavours)
      for (const std::int32_t permille : {0, 300, 700}) {
        const test::CaseId id{.seed = seed, .size = 3 + static_cast<std::int32_t>(seed % 3)};
        const test::Case c = test::random_case(id, {.flavour = flavour, .no_bytes = 0});
        const auto best = optimum(c, permille);
        if (!best || !testing::thinkable(c, best->plan)) continue;
        ++compared;
        const auto found = searched(c, best->budget, 12'000);
        EXPECT_TRUE(found.has_value()) << "nothing fits, seed " << seed << " at " << permille << "\n"
                                       << test::describe(c.graph);
        if (found && step_ns_of(c, *found) == best->step_ns)
          ++reached;
        else
          missed += " " + std::to_string(seed) + "/" + std::to_string(static_cast<int>(flavour)) + "/" +
                    std::to_string(permille);
      }
  RecordProperty("compared", compared), RecordProperty("reached", reached);
  EXPECT_GE(compared, 1200);
  EXPECT_GE(reached * 100, compared * 99) << reached << " of " << compared << ", but not" << missed;
}

}  // namespace
}  // namespace worktop::solver
