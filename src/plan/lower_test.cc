// Any fates, on any graph, become a legal plan whose fates are what the actions do.
#include "plan/lower.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "graph/builder.h"
#include "plan/legal.h"
#include "plan/memory.h"
#include "support/any_case.h"
#include "support/random_graph.h"

namespace worktop::plan {
namespace {

base::IdVector<ValueId, Fate> random_fates(const Graph& graph, std::uint64_t seed, bool tiers) {
  base::Random random(seed);
  base::IdVector<ValueId, Fate> fates(graph.value_count(), Fate::keep);
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    if (!value.holdable || !value.producer.exists() || value.bytes.count() == 0) continue;
    if (graph.op(value.producer).phase != graph::Phase::forward) continue;
    fates[v] = static_cast<Fate>(random.below(tiers ? 4 : 2));
    if (fates[v] == Fate::recompute && !graph.recomputable(v)) fates[v] = Fate::keep;
  }
  return fates;
}

void expect_legal(const test::CaseOptions& options, std::uint64_t seed, Replay replay) {
  for (std::int32_t size = 1; size <= 6; ++size) {
    const test::Case c = test::random_case({.seed = seed, .size = size}, options);
    const auto fates = random_fates(c.graph, seed + 1, options.tiers != test::Tiers::device_only);
    Held held = hold(c.graph, fates, replay);
    const auto trips = place_trips(c.graph, c.machine, c.durations.op, held.trips, held.holding);
    const auto plan = lower(c.graph, c.machine, held.holding, trips, "test");
    ASSERT_TRUE(plan.has_value()) << seed << "/" << size << ": " << plan.error().what << " "
                                  << plan.error().where << "\n"
                                  << test::describe(c.graph);
    const auto status = legal(c.graph, c.machine, *plan);
    ASSERT_TRUE(status.has_value()) << seed << "/" << size << ": " << status.error().what << " "
                                    << status.error().where << "\n"
                                    << test::describe(c.graph);
  }
}

TEST(Lower, AnyFatesBecomeALegalPlan) {
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    for (const auto flavour :
         {test::Flavour::eager, test::Flavour::every_boundary, test::Flavour::tensor_dag})
      for (const auto tiers :
           {test::Tiers::device_only, test::Tiers::host, test::Tiers::host_and_disk, test::Tiers::disk})
        expect_legal({.flavour = flavour, .tiers = tiers, .needed_at_end = seed % 2 == 0 ? 0 : 20}, seed,
                     seed % 3 == 0 ? Replay::redo : Replay::hold);
}

// A norm's mean beside its output, which nobody reads and nobody can hold: made again with it, but no fate.
TEST(Lower, WhatCannotBeHeldHasNoFate) {
  graph::GraphBuilder build("norm", graph::Origin::profile);
  const ValueId x = build.add_value({.name = "x", .kind = graph::ValueKind::input, .bytes = Bytes{1}});
  const auto producer = graph::ProgramHold::producer_only;
  const ValueId a = build.add_value({.name = "a", .bytes = Bytes{2}, .holdable = true}, producer);
  const ValueId mean = build.add_value({.name = "mean", .bytes = Bytes{4}}, producer);
  const ValueId b = build.add_value({.name = "b", .bytes = Bytes{8}, .holdable = true}, producer);
  build.add_op({.name = "norm"}, {x}, {{a}, {mean}});
  build.add_op({.name = "g"}, {a}, {{b}});
  build.add_op({.name = "h"}, {b}, {});
  build.add_op({.name = "g.grad", .phase = graph::Phase::backward}, {a}, {});
  build.set_eager_triggers();
  const auto graph = std::move(build).build();
  ASSERT_TRUE(graph.has_value()) << graph.error().what;
  const auto plan = lower(*graph, {}, Policy{.otherwise = Fate::recompute}, Pace(graph->op_count()));
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->fates[a], Fate::recompute);
  EXPECT_EQ(plan->fates[mean], Fate::keep);
  const auto status = legal(*graph, {}, *plan);
  EXPECT_TRUE(status.has_value()) << status.error().what << " " << status.error().where;
}

// Logits that the model hands out: the program holds them to the last backward op, before which nobody can
// act.
TEST(Lower, LeavesToTheProgramWhatItHoldsToTheEndOfTheBackward) {
  graph::GraphBuilder build("logits", graph::Origin::trace);
  const auto forward = graph::ProgramHold::to_last_forward_reader;
  const ValueId x = build.add_value({.name = "x", .kind = graph::ValueKind::input, .bytes = Bytes{1}});
  const ValueId a = build.add_value({.name = "a", .bytes = Bytes{2}, .holdable = true}, forward);
  const ValueId logits = build.add_value({.name = "logits", .bytes = Bytes{4}, .holdable = true}, forward);
  const ValueId da = build.add_value({.name = "da", .kind = graph::ValueKind::temporary, .bytes = Bytes{8}});
  const ValueId dx = build.add_value({.name = "dx", .kind = graph::ValueKind::temporary, .bytes = Bytes{16}});
  build.add_op({.name = "f"}, {x}, {{a}, {logits}});
  build.add_op({.name = "g"}, {a}, {});
  build.add_op({.name = "g.grad", .phase = graph::Phase::backward}, {a}, {{da}});
  build.set_held_until(logits,
                       build.add_op({.name = "f.grad", .phase = graph::Phase::backward}, {da}, {{dx}}));
  build.set_eager_triggers();
  const auto graph = std::move(build).build();
  ASSERT_TRUE(graph.has_value()) << graph.error().what;
  ASSERT_FALSE(graph->is_trigger(3));
  for (const Fate fate : {Fate::keep, Fate::recompute}) {
    const auto plan = lower(*graph, {}, Policy{.otherwise = fate}, Pace(graph->op_count()));
    ASSERT_TRUE(plan.has_value());
    const auto status = legal(*graph, {}, *plan);
    EXPECT_TRUE(status.has_value()) << status.error().what << " " << status.error().where;
  }
}

}  // namespace
}  // namespace worktop::plan
