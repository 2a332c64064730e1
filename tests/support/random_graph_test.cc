#include "support/random_graph.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "support/any_case.h"

namespace worktop::test {
namespace {

using graph::OpId;
using graph::ValueId;

// How many of `count` seeds give a graph with the property.
template <class Property>
int seen(const CaseOptions& options, Property property) {
  int number = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    if (property(random_graph({.seed = seed, .size = 5}, options))) ++number;
  return number;
}

TEST(RandomGraph, SameSeedSameGraph) {
  EXPECT_EQ(random_graph({.seed = 3, .size = 5}).hash(), random_graph({.seed = 3, .size = 5}).hash());
  EXPECT_NE(random_graph({.seed = 3, .size = 5}).hash(), random_graph({.seed = 4, .size = 5}).hash());
}

TEST(RandomGraph, EverySizeAndFlavourIsAccepted) {
  for (Flavour flavour : {Flavour::eager, Flavour::every_boundary, Flavour::tensor_dag})
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      for (std::int32_t size = 1; size <= 6; ++size) {
        const graph::Graph graph = random_graph({.seed = seed, .size = size}, {.flavour = flavour});
        EXPECT_GE(graph.op_count(), 2 * size);
      }
}

TEST(RandomGraph, FeaturesDoOccur) {
  const auto any_value = [](const graph::Graph& graph, auto property) {
    for (ValueId id : base::ids<ValueId>(graph.value_count()))
      if (property(id)) return true;
    return false;
  };
  const auto overwritten_and_read_again = [&](const graph::Graph& graph) {
    return any_value(graph,
                     [&](ValueId id) { return graph.decidable(id) && graph.overwritten_by(id).exists(); });
  };
  const auto several_decidable = [&](const graph::Graph& graph) {
    int number = 0;
    for (ValueId id : base::ids<ValueId>(graph.value_count())) number += graph.decidable(id) ? 1 : 0;
    return number >= 3;
  };
  const auto decidable_not_recomputable = [&](const graph::Graph& graph) {
    return any_value(graph, [&](ValueId id) { return graph.decidable(id) && !graph.recomputable(id); });
  };
  EXPECT_GE(seen({}, overwritten_and_read_again), 5);
  EXPECT_GE(seen({}, several_decidable), 100);
  EXPECT_GE(seen({}, decidable_not_recomputable), 20);
}

TEST(RandomGraph, TensorDagIsHeldByTheExecutorAlone) {
  const graph::Graph graph = random_graph({.seed = 1, .size = 4}, {.flavour = Flavour::tensor_dag});
  for (ValueId id : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(id);
    if (!value.producer.exists() || !value.held_until.exists()) continue;
    EXPECT_TRUE(value.holdable) << value.name;
    EXPECT_EQ(value.held_until, value.producer) << value.name;
  }
}

TEST(RandomGraph, MachineHasTheTiersAskedFor) {
  using machine::Tier;
  const machine::Machine machine = random_machine({.seed = 1, .size = 3}, {.tiers = Tiers::host_and_disk});
  EXPECT_TRUE(machine.link(Tier::device, Tier::host).exists());
  EXPECT_TRUE(machine.link(Tier::disk, Tier::host).exists());
  EXPECT_FALSE(machine.link(Tier::device, Tier::disk).exists());
}

TEST(RandomGraph, RapidCheckDrawsCases) {
  EXPECT_TRUE(rc::check("durations cover the graph", [] {
    const CaseId id = *any_case(1, 6);
    const Case drawn = random_case(id);
    RC_ASSERT(drawn.durations.op.size() == drawn.graph.op_count());
  }));
}

}  // namespace
}  // namespace worktop::test
