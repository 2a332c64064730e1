// The one door to the solvers, distrusted: on random steps every plan is judged anew by plan/legal and
// plan/memory, and compared with the exact twin where that can look at every plan.
#include "solver/portfolio.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <thread>

#include "graph/builder.h"
#include "solver/strategies.h"
#include "solver/testing.h"
#include "support/any_case.h"

namespace worktop::solver {
namespace {

using test::Flavour;
using test::Tiers;
using testing::fault_of;
using testing::problem_of;

// Stops at the first report after `units`.
Options stopping_at(std::int64_t units) {
  Options options{.effort = Effort::quick};
  options.on_progress = [units](const Progress& progress) { return progress.units_done < units; };
  return options;
}

bool same(const Planned& a, const Planned& b) {
  return a.plan == b.plan && a.peak == b.peak && a.step_ns == b.step_ns && a.recompute_ns == b.recompute_ns &&
         a.link_busy_ns == b.link_busy_ns && a.stalled_ns == b.stalled_ns;
}
bool same(const std::vector<Planned>& a, const std::vector<Planned>& b) {
  return std::ranges::equal(a, b, [](const Planned& x, const Planned& y) { return same(x, y); });
}
bool same(const Answer& a, const Answer& b) {
  return a.best.has_value() == b.best.has_value() && (!a.best || same(*a.best, *b.best)) &&
         same(a.strategies, b.strategies) && same(a.keep_all, b.keep_all) && same(a.leanest, b.leanest) &&
         a.least_possible == b.least_possible && a.bound_ns == b.bound_ns && a.units_spent == b.units_spent &&
         a.stopped == b.stopped;
}
bool same(const FrontierAnswer& a, const FrontierAnswer& b) {
  return same(a.points, b.points) && same(a.strategies, b.strategies) && same(a.keep_all, b.keep_all) &&
         a.least_possible == b.least_possible && a.bound_ns == b.bound_ns && a.units_spent == b.units_spent;
}

// Three threads that take the next number, so that the order is never the same.
class Threads final : public base::Executor {
 public:
  void for_each(std::int32_t count, const std::function<void(std::int32_t)>& body) override {
    std::atomic<std::int32_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        for (std::int32_t at = next++; at < count; at = next++) body(at);
      });
  }
};

struct AnyCase {
  test::CaseId id;
  test::CaseOptions options;
  test::Case c;
};
AnyCase any_case_of(std::int32_t most, std::initializer_list<Tiers> tiers) {
  const test::CaseId id = *rc::gen::resize(100, test::any_case(1, most));
  test::CaseOptions options;
  options.flavour = *rc::gen::element(Flavour::eager, Flavour::every_boundary, Flavour::tensor_dag);
  options.tiers = *rc::gen::elementOf(std::vector(tiers));
  options.slowdown = 30;
  options.needed_at_end = *rc::gen::element(0, 0, 20);
  return {id, options, test::random_case(id, options)};
}
constexpr std::initializer_list<Tiers> kAllTiers = {Tiers::device_only, Tiers::host, Tiers::disk,
                                                    Tiers::host_and_disk};

void check_answer(const Problem& problem, const Answer& answer) {
  RC_ASSERT(fault_of(problem, answer.keep_all) == "");
  RC_ASSERT(fault_of(problem, answer.leanest) == "");
  for (const Planned& strategy : answer.strategies) {
    RC_ASSERT(fault_of(problem, strategy) == "");
    RC_ASSERT(strategy.device_peak() >= answer.least_possible);
    if (!fits(strategy, problem.budgets)) continue;
    RC_ASSERT(answer.best.has_value());
    RC_ASSERT(strategy.step_ns >= answer.bound_ns);
  }
  RC_ASSERT(answer.leanest.device_peak() >= answer.least_possible);
  if (fits(answer.leanest, problem.budgets)) RC_ASSERT(answer.best.has_value());
  if (!answer.best) return;
  RC_ASSERT(fault_of(problem, *answer.best, true) == "");
  RC_ASSERT(answer.best->step_ns >= answer.bound_ns);
  RC_ASSERT(answer.best->device_peak() >= answer.leanest.device_peak());
  for (const Planned& strategy : answer.strategies)
    if (fits(strategy, problem.budgets)) RC_ASSERT(answer.best->step_ns <= strategy.step_ns);
}

plan::Budgets any_budgets(const test::Case& c, bool lower_tiers) {
  plan::Budgets budgets;
  if (*rc::gen::inRange(0, 10) > 0)
    budgets.device = testing::budget_between(c, least_possible_peak(c.graph), *rc::gen::inRange(-50, 1050));
  if (lower_tiers && *rc::gen::inRange(0, 3) == 0) budgets.host = Bytes{*rc::gen::inRange(0, 20)};
  if (lower_tiers && *rc::gen::inRange(0, 3) == 0) budgets.disk = Bytes{*rc::gen::inRange(0, 20)};
  return budgets;
}

RC_GTEST_PROP(Portfolio, GivesOnlyLegalPlansThatFitAndSayTheirPeak, ()) {
  const AnyCase any = any_case_of(7, kAllTiers);
  const test::Case& c = any.c;
  for (int i = 0; i < 3; ++i) {
    const Problem problem{c.graph, c.machine, c.durations, any_budgets(c, true)};
    check_answer(problem, fastest(problem, stopping_at(5000)));
  }
}

// The proven bounds against the exact twin, with and without copies.
RC_GTEST_PROP(Portfolio, IsNeverBetterThanTheOptimum, ()) {
  const AnyCase any = any_case_of(3, kAllTiers);
  const test::Case& c = any.c;
  const bool copies = !c.machine.links.empty();
  const Problem problem{c.graph, c.machine, c.durations, any_budgets(c, false)};
  const ExhaustiveAnswer exact = exhaustive(c.graph, c.machine, c.durations, problem.budgets,
                                            {.states = 20'000, .copies = {.nodes = 20'000}});
  if (!exact.complete || !exact.lean) RC_DISCARD("too large for the twin");
  if (!plan::legal(c.graph, c.machine, *exact.lean) ||
      (exact.best && !plan::legal(c.graph, c.machine, *exact.best)))
    RC_DISCARD("the twin does not know what is needed at the end of the step");
  RC_TAG(copies ? "with copies" : "without");
  const Answer answer = fastest(problem, stopping_at(5000));
  RC_ASSERT(answer.least_possible <= exact.least_peak_possible);
  RC_ASSERT(exact.least_peak_possible <= answer.leanest.device_peak());
  if (exact.best) RC_ASSERT(answer.bound_ns <= exact.step_ns);
  if (!answer.best) return;
  RC_ASSERT(exact.best.has_value());
  RC_ASSERT(answer.best->step_ns >= exact.step_ns);
}

// x: input, 8 B, held throughout; f: x -> y; f.grad: y -> nothing. At f both are there: 16 B, and nothing can
// be held or made again.
TEST(Portfolio, EndsWhereNothingCanBeMoved) {
  graph::GraphBuilder build("stiff", graph::Origin::profile);
  const auto x = build.add_value({.name = "x", .kind = graph::ValueKind::input, .bytes = Bytes{8}});
  const auto y = build.add_value({.name = "y", .bytes = Bytes{8}});
  build.add_op({.name = "f"}, {x}, {{y}});
  build.add_op({.name = "f.grad", .phase = graph::Phase::backward}, {y}, {});
  const auto graph = std::move(build).build();
  ASSERT_TRUE(graph.has_value()) << graph.error().what;
  const machine::Machine machine = test::toy_machine();
  const cost::Durations durations{.op = base::IdVector<graph::OpId, Nanoseconds>(2, Nanoseconds{1})};

  const Answer fitting = fastest({*graph, machine, durations, {.device = Bytes{16}}}, {});
  ASSERT_TRUE(fitting.best.has_value());
  EXPECT_EQ(fitting.best->step_ns, Nanoseconds{2});
  const Answer beyond = fastest({*graph, machine, durations, {.device = Bytes{15}}}, {});
  EXPECT_FALSE(beyond.best.has_value());
  EXPECT_EQ(beyond.least_possible, Bytes{16});
  EXPECT_EQ(beyond.units_spent, 0);  // proven before anything is searched
}

// Counted on fixed seeds, so that the shares are the same in every run. Values without bytes are left out:
// the search never moves them, the twin holds on to them for free.
TEST(Portfolio, ReachesTheOptimumWithoutCopiesOnAlmostEveryCase) {
  int compared = 0, reached = 0, leanest_reached = 0;
  std::string missed;
  for (std::uint64_t seed = 1000; seed < 1100; ++seed)
    for (const Flavour flavour : {Flavour::eager, Flavour::every_boundary, Flavour::tensor_dag})
      for (const std::int32_t permille : {0, 500}) {
        const test::CaseId id{.seed = seed, .size = 3 + static_cast<std::int32_t>(seed % 3)};
        const test::Case c = test::random_case(id, {.flavour = flavour, .no_bytes = 0});
        const Path lean = solver::leanest(c.graph, c.machine, {}, 30'000);
        if (!lean.complete) continue;
        const Problem problem = problem_of(c, testing::budget_between(c, lean.device_peak, permille));
        const ExhaustiveAnswer exact =
            exhaustive(c.graph, c.machine, c.durations, problem.budgets, {.states = 30'000, .copies = {}});
        if (!exact.complete || !testing::thinkable(c, *exact.best)) continue;
        ++compared;
        const Answer answer = fastest(problem, {.effort = Effort::quick});
        leanest_reached += answer.leanest.device_peak() == exact.least_peak_possible;
        ASSERT_TRUE(answer.best.has_value()) << "nothing fits, seed " << seed << " at " << permille << "\n"
                                             << test::describe(c.graph);
        if (answer.best->step_ns == exact.step_ns)
          ++reached;
        else
          missed += "\nseed " + std::to_string(seed) + " flavour " +
                    std::to_string(static_cast<int>(flavour)) + " permille " + std::to_string(permille) +
                    ": " + std::to_string(answer.best->step_ns.count()) + " instead of " +
                    std::to_string(exact.step_ns.count());
      }
  RecordProperty("compared", compared), RecordProperty("reached", reached);
  RecordProperty("leanest_reached", leanest_reached);
  EXPECT_GE(compared, 500);
  EXPECT_GE(reached * 100, compared * 99) << reached << " of " << compared << missed;
  EXPECT_GE(leanest_reached * 100, compared * 97) << leanest_reached << " of " << compared;
}

RC_GTEST_PROP(Portfolio, AnswersTheSameEachTime, ()) {
  const AnyCase any = any_case_of(6, kAllTiers);
  const Problem problem{any.c.graph, any.c.machine, any.c.durations, any_budgets(any.c, true)};
  Threads threads;
  Options in_threads = stopping_at(5000);
  in_threads.executor = &threads;
  const Answer first = fastest(problem, stopping_at(5000));
  RC_ASSERT(same(first, fastest(problem, stopping_at(5000))));
  RC_ASSERT(same(first, fastest(problem, in_threads)));
}

// Promised without copies only: see the header.
RC_GTEST_PROP(Portfolio, MoreEffortIsNeverWorseWithoutCopies, ()) {
  const AnyCase any = any_case_of(7, {Tiers::device_only});
  const Problem problem{any.c.graph, any.c.machine, any.c.durations, any_budgets(any.c, true)};
  const Answer quick = fastest(problem, {.effort = Effort::quick});
  const Answer normal = fastest(problem, {.effort = Effort::normal});
  RC_ASSERT(normal.best.has_value() >= quick.best.has_value());
  if (quick.best) RC_ASSERT(normal.best->step_ns <= quick.best->step_ns);
}

RC_GTEST_PROP(Portfolio, StopsWhenToldTo, ()) {
  const AnyCase any = any_case_of(7, kAllTiers);
  const Problem problem{any.c.graph, any.c.machine, any.c.durations, any_budgets(any.c, true)};
  int reports = 0;
  Options options{.effort = Effort::deep};
  options.on_progress = [&](const Progress& progress) {
    ++reports;
    return progress.units_done > progress.units_total;  // that is never
  };
  const Answer answer = fastest(problem, options);
  RC_ASSERT(reports <= 1);
  RC_ASSERT(answer.stopped == (reports == 1));
  check_answer(problem, answer);
}

void check_points(const Problem& problem, const FrontierAnswer& answer) {
  RC_ASSERT(!answer.points.empty());
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    RC_ASSERT(fault_of(problem, answer.points[i], true) == "");
    RC_ASSERT(answer.points[i].device_peak() >= answer.least_possible);
    RC_ASSERT(answer.points[i].step_ns >= answer.bound_ns);
    if (i == 0) continue;
    RC_ASSERT(answer.points[i - 1].device_peak() < answer.points[i].device_peak());
    RC_ASSERT(answer.points[i - 1].step_ns > answer.points[i].step_ns);
  }
  for (const Planned& strategy : answer.strategies) {
    RC_ASSERT(fault_of(problem, strategy) == "");
    if (!fits(strategy, problem.budgets)) continue;
    RC_ASSERT(std::ranges::any_of(answer.points, [&](const Planned& point) {
      return point.device_peak() <= strategy.device_peak() && point.step_ns <= strategy.step_ns;
    }));
  }
}

RC_GTEST_PROP(Portfolio, FrontierIsWhatNothingBeats, ()) {
  const AnyCase any = any_case_of(6, kAllTiers);
  plan::Budgets budgets = any_budgets(any.c, true);
  budgets.device.reset();
  const Problem problem{any.c.graph, any.c.machine, any.c.durations, budgets};
  const FrontierAnswer answer = frontier(problem, 3, {.effort = Effort::quick});
  check_points(problem, answer);
  Threads threads;
  RC_ASSERT(same(answer, frontier(problem, 3, {.effort = Effort::quick, .executor = &threads})));
}

TEST(Portfolio, FrontierStopsWhenToldTo) {
  const test::Case c = test::random_case({.seed = 5, .size = 6}, {.tiers = Tiers::host});
  const Problem problem = problem_of(c);
  std::vector<std::int64_t> done;
  Options options{.effort = Effort::quick};
  options.on_progress = [&](const Progress& progress) {
    done.push_back(progress.units_done);
    EXPECT_LE(progress.units_done, progress.units_total);
    return done.size() < 2;
  };
  const FrontierAnswer answer = frontier(problem, 30, options);
  EXPECT_TRUE(answer.stopped);
  EXPECT_EQ(done.size(), 2U);
  check_points(problem, answer);

  done.clear();
  options.on_progress = [&](const Progress& progress) {
    done.push_back(progress.units_done);
    EXPECT_LE(progress.units_done, progress.units_total);
    return true;
  };
  EXPECT_FALSE(frontier(problem, 5, options).stopped);
  EXPECT_EQ(done.back(), 5);
}

RC_GTEST_PROP(Portfolio, LeanestKeepsTheTimeLimit, ()) {
  const AnyCase any = any_case_of(5, {Tiers::device_only, Tiers::host});
  const Problem problem{any.c.graph, any.c.machine, any.c.durations, any_budgets(any.c, true)};
  const Answer free = fastest(problem, stopping_at(5000));
  const base::Limit<Nanoseconds> limit = free.bound_ns + free.bound_ns * *rc::gen::inRange(0, 80) / 100;
  const Answer answer = leanest(problem, limit, stopping_at(5000));
  for (const Planned& strategy : answer.strategies) {
    if (!fits(strategy, problem.budgets) || !within(strategy.step_ns, limit)) continue;
    RC_ASSERT(answer.best.has_value());
    RC_ASSERT(answer.best->device_peak() <= strategy.device_peak());
  }
  if (!answer.best) return;
  RC_ASSERT(fault_of(problem, *answer.best, true) == "");
  RC_ASSERT(within(answer.best->step_ns, limit));
  RC_ASSERT(answer.best->device_peak() >= answer.least_possible);
}

}  // namespace
}  // namespace worktop::solver
