// The incremental evaluation against two that are not: a fresh one, and the lowered plan's measured memory.
#include "solver/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "plan/hold.h"
#include "plan/legal.h"
#include "plan/lower.h"
#include "plan/memory.h"
#include "support/random_graph.h"

namespace worktop::solver {
namespace {

using plan::Fate;

struct Start {
  plan::Holding holding;
  std::vector<plan::Trip> trips;
};

Start random_start(const test::Case& c, std::uint64_t seed) {
  base::Random random(seed);
  base::IdVector<ValueId, Fate> fates(c.graph.value_count(), Fate::keep);
  const int tiers = c.machine.links.empty() ? 2 : 4;
  for (ValueId v : base::ids<ValueId>(c.graph.value_count()))
    if (c.graph.value(v).holdable && c.graph.value(v).producer.exists() &&
        c.graph.op(c.graph.value(v).producer).phase == graph::Phase::forward &&
        c.graph.value(v).bytes.count() > 0)
      fates[v] = static_cast<Fate>(random.below(tiers));
  plan::Held held = plan::hold(c.graph, fates, random.chance(70) ? plan::Replay::hold : plan::Replay::redo);
  auto trips = plan::place_trips(c.graph, c.machine, c.durations.op, held.trips, held.holding);
  return {std::move(held.holding), std::move(trips)};
}

// Peak and replay time of the lowered plan.
void expect_agrees(const test::Case& c, const Evaluation& evaluation, const std::vector<plan::Trip>& trips,
                   const std::string& place) {
  const auto plan = plan::lower(c.graph, c.machine, evaluation.holding(), trips, "test");
  ASSERT_EQ(plan.has_value(), evaluation.possible()) << place << "\n" << test::describe(c.graph);
  if (!plan) return;
  const auto status = plan::legal(c.graph, c.machine, *plan);
  ASSERT_TRUE(status.has_value()) << place << status.error().what << status.error().where << "\n"
                                  << test::describe(c.graph);
  const plan::MemoryProfile memory = plan::measure_memory(c.graph, c.machine, *plan);
  ASSERT_EQ(evaluation.peak(), memory.peak[0]) << place << "\n" << test::describe(c.graph);
  std::int64_t replayed = 0;
  for (plan::Boundary b : base::ids<plan::Boundary>(plan->actions.rows()))
    for (const plan::Action& action : plan->actions[b])
      if (action.kind == plan::ActionKind::recompute) replayed += c.durations[action.op].count();
  ASSERT_EQ(evaluation.replay_ns(), replayed) << place;
}

void expect_fresh_agrees(const test::Case& c, const Evaluation& a, const std::vector<plan::Trip>& trips,
                         Bytes budget, const std::string& place) {
  const Evaluation b(c.graph, c.durations, a.holding(), trips, budget);
  ASSERT_EQ(a.holding(), b.holding()) << place;
  ASSERT_EQ(a.replay_ns(), b.replay_ns()) << place;
  ASSERT_EQ(a.excess(), b.excess()) << place;
  ASSERT_EQ(a.possible(), b.possible()) << place;
  for (std::int32_t t = 0; t < a.stage_count(); ++t)
    ASSERT_EQ(a.stage_bytes(t), b.stage_bytes(t)) << place << " " << t;
}

// One random change: a run between two touches, held or let go.
void change(Evaluation& e, const test::Case& c, base::Random& random) {
  const ValueId v{random.below(c.graph.value_count())};
  if (!e.movable(v)) return;
  const std::int32_t producer = c.graph.value(v).producer.index();
  const std::int32_t t = random.between(producer + 1, e.stage_count() - 1);
  const std::int32_t first = e.touch_before(v, t) + 1, last = e.touch_from(v, t);
  if (last >= e.stage_count()) return;
  if (e.holding().held(v, t))
    e.release(v, first, last);
  else
    e.hold(v, first, last);
  e.settle();
}

void check(const test::CaseOptions& options, std::uint64_t seed) {
  const test::Case c =
      test::random_case({.seed = seed, .size = 2 + static_cast<std::int32_t>(seed % 6)}, options);
  const Start start = random_start(c, seed * 31 + 5);
  const Bytes budget{20};
  Evaluation e(c.graph, c.durations, start.holding, start.trips, budget);
  const std::string place = "seed " + std::to_string(seed);
  expect_agrees(c, e, start.trips, place + " at the start");
  base::Random random(seed);
  for (int i = 0; i < 12; ++i) {
    const plan::Holding before = e.holding();
    const std::int64_t replay_ns = e.replay_ns(), excess = e.excess();
    change(e, c, random);
    expect_fresh_agrees(c, e, start.trips, budget, place + " changed");
    if (random.chance(40)) {
      e.undo();
      ASSERT_EQ(e.holding(), before) << place;
      ASSERT_EQ(e.replay_ns(), replay_ns) << place;
      ASSERT_EQ(e.excess(), excess) << place;
      expect_fresh_agrees(c, e, start.trips, budget, place + " undone");
    } else {
      e.commit();
    }
  }
  // A change may leave a copy in that nobody waits for any more; such a plan is not lowered.
  const bool all_read = std::ranges::all_of(start.trips, [&](const plan::Trip& trip) {
    return trip.need == c.graph.op_count() ||
           std::ranges::count(c.graph.reads(OpId{trip.need}), trip.value) > 0;
  });
  if (all_read) expect_agrees(c, e, start.trips, place + " at the end");
}

TEST(Evaluation, EqualsAFreshOneAndTheLoweredPlanAfterEveryChange) {
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    for (const auto flavour :
         {test::Flavour::eager, test::Flavour::every_boundary, test::Flavour::tensor_dag})
      for (const auto tiers : {test::Tiers::device_only, test::Tiers::host, test::Tiers::host_and_disk}) {
        check({.flavour = flavour, .tiers = tiers, .needed_at_end = seed % 2 == 0 ? 0 : 20}, seed);
        if (HasFatalFailure()) return;
      }
}

}  // namespace
}  // namespace worktop::solver
