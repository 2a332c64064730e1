// Trips that buy nothing are taken back: by hand on a small chain, and on random steps for legality, fit and
// time.
#include "solver/fewer_trips.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/builder.h"
#include "plan/hold.h"
#include "solver/strategies.h"
#include "solver/testing.h"
#include "support/any_case.h"

namespace worktop::solver {
namespace {

using graph::Phase;

// Ten nanoseconds an op; x: 1 B, there throughout; a, b, c: 4 B each, which the executor alone holds.
//
//   boundary  0   1   2  3   4   5   6   7   8
//   op        f1  f2  p  f3  g3  q   r   g2  g1      p, q, r touch x alone
//   reads     x   a   x  b   c   x   x   b   a
//   writes    a   b      c
//
// One byte a nanosecond: a leaves in 20..24 and is gone at boundary 3, back at 7; b leaves in 40..44, is gone
// at 5 and back at 6. Keeping all, f3 and g3 hold 1 + 3 * 4 = 13 B, q and r 1 + 4 + 4 = 9 B.
struct Chain {
  graph::Graph graph;
  machine::Machine machine = test::toy_machine();
  cost::Durations durations;
};
Chain chain() {
  graph::GraphBuilder build("chain", graph::Origin::profile);
  const auto x = build.add_value({.name = "x", .kind = graph::ValueKind::input, .bytes = Bytes{1}});
  const auto value = [&](const char* name) {
    return build.add_value({.name = name, .bytes = Bytes{4}, .holdable = true},
                           graph::ProgramHold::producer_only);
  };
  const auto a = value("a"), b = value("b"), c = value("c");
  build.add_op({.name = "f1"}, {x}, {{a}});
  build.add_op({.name = "f2"}, {a}, {{b}});
  build.add_op({.name = "p"}, {x}, {});
  build.add_op({.name = "f3"}, {b}, {{c}});
  build.add_op({.name = "g3", .phase = Phase::backward}, {c}, {});
  build.add_op({.name = "q", .phase = Phase::backward}, {x}, {});
  build.add_op({.name = "r", .phase = Phase::backward}, {x}, {});
  build.add_op({.name = "g2", .phase = Phase::backward}, {b}, {});
  build.add_op({.name = "g1", .phase = Phase::backward}, {a}, {});
  Chain result{.graph = *std::move(build).build(), .durations = {}};
  test::add_toy_links(result.machine, machine::Tier::device, machine::Tier::host);
  result.durations.op = base::IdVector<graph::OpId, Nanoseconds>(9, Nanoseconds{10});
  return result;
}

TEST(FewerTrips, MovesOnlyWhatTheBudgetAsksFor) {
  const Chain c = chain();
  const auto plan_within = [&](base::Limit<Bytes> device) {
    plan::Budgets budgets;
    budgets.device = device;
    return *fastest({c.graph, c.machine, c.durations, budgets}, {}).best;
  };
  const Problem free{c.graph, c.machine, c.durations, {}};
  const Planned all =
      predict(free, *plan::lower(c.graph, c.machine, offload_all(machine::Tier::host), c.durations.op));
  EXPECT_EQ(all.moved, Bytes{16});  // a and b, out and back
  EXPECT_EQ(all.step_ns, Nanoseconds{90});

  const Planned nine = plan_within(Bytes{9});  // a has to be away at f3; where b would be, both fit
  EXPECT_EQ(nine.moved, Bytes{8});
  EXPECT_EQ(nine.step_ns, Nanoseconds{90});
  EXPECT_EQ(nine.plan.fates[graph::ValueId{1}], plan::Fate::offload_host);
  EXPECT_EQ(nine.plan.fates[graph::ValueId{2}], plan::Fate::keep);
  EXPECT_EQ(plan_within(Bytes{13}).moved, Bytes{0});
  EXPECT_EQ(plan_within({}).moved, Bytes{0});
}

// Twice the micro-steps, twice the bytes.
TEST(FewerTrips, PrefersTheFasterThenTheOneThatMovesLess) {
  Planned slow, fast, quiet;
  slow.step_ns = Nanoseconds{2}, fast.step_ns = quiet.step_ns = Nanoseconds{1};
  fast.moved = Bytes{8}, quiet.moved = Bytes{4};
  EXPECT_TRUE(better(fast, slow));
  EXPECT_FALSE(better(slow, fast));
  EXPECT_TRUE(better(quiet, fast));
  EXPECT_FALSE(better(fast, quiet));
  EXPECT_FALSE(better(fast, fast));
}

RC_GTEST_PROP(FewerTrips, StayLegalAndFitAndAreNoSlower, ()) {
  const test::CaseId id = *rc::gen::resize(100, test::any_case(1, 9));
  test::CaseOptions options;
  options.flavour =
      *rc::gen::element(test::Flavour::eager, test::Flavour::every_boundary, test::Flavour::tensor_dag);
  options.tiers = *rc::gen::element(test::Tiers::host, test::Tiers::disk, test::Tiers::host_and_disk);
  options.slowdown = 30;
  const test::Case c = test::random_case(id, options);
  const auto tier = options.tiers == test::Tiers::disk ? machine::Tier::disk : machine::Tier::host;
  plan::Held held = plan::hold(c.graph, plan::fates_of(offload_all(tier), c.graph), plan::Replay::hold);
  const auto trips = plan::place_trips(c.graph, c.machine, c.durations.op, held.trips, held.holding);
  const auto all = realised(testing::problem_of(c), held.holding, trips, "test");
  if (!all || trips.empty()) return;
  const Bytes budget = testing::budget_between(c, all->device_peak(), *rc::gen::inRange(0, 1100));
  const Problem problem = testing::problem_of(c, std::max(budget, all->device_peak()));
  const Planned fewer = with_fewer_trips(problem, held.holding, trips, *all);
  RC_ASSERT(testing::fault_of(problem, fewer, true) == "");
  RC_ASSERT(!better(*all, fewer));
  RC_CLASSIFY(fewer.moved < all->moved, "moves less");
  // With room for everything nothing has to move; only where links slow each other down may it stay so.
  const Planned unlimited = with_fewer_trips(testing::problem_of(c), held.holding, trips, *all);
  RC_ASSERT(unlimited.moved == Bytes{0});
}

}  // namespace
}  // namespace worktop::solver
