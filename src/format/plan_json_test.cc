#include "format/plan_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "format/policy_json.h"
#include "format/testing.h"
#include "graph/builder.h"
#include "plan/legal.h"
#include "plan/lower.h"
#include "support/random_graph.h"

namespace worktop::format {
namespace {

using base::Bytes;
using graph::OpId;
using graph::ValueId;
using plan::Action;
using plan::Fate;
using plan::Plan;

// x -> f -> y, which only g reads, in backward, after h. The executor alone holds y.
graph::Graph toy_graph(Bytes y_bytes = Bytes{8}) {
  graph::GraphBuilder b("toy", graph::Origin::trace);
  const ValueId x = b.add_value({.name = "x", .kind = graph::ValueKind::input, .bytes = Bytes{4}});
  const ValueId y =
      b.add_value({.name = "y", .bytes = y_bytes, .holdable = true}, graph::ProgramHold::producer_only);
  b.add_op({.name = "f"}, {x}, {{y}});
  b.add_op({.name = "h"}, {x}, {});
  b.add_op({.name = "g", .phase = graph::Phase::backward}, {y}, {});
  return *std::move(b).build();
}

machine::Machine toy_machine() {
  machine::Machine m = test::toy_machine();
  m.usable_bytes = Bytes{1000};
  test::add_toy_links(m, machine::Tier::device, machine::Tier::host);
  return m;
}

// Drops y after f and makes it again before g.
Plan toy_plan(const graph::Graph& g) {
  Plan p;
  p.made_by = "hand";
  p.graph = g.hash();
  p.fates = base::IdVector<ValueId, Fate>(2, Fate::keep);
  p.fates[ValueId{1}] = Fate::recompute;
  p.actions.end_row();
  p.actions.push_item(Action::drop(ValueId{1}));
  p.actions.end_row();
  p.actions.push_item(Action::recompute(OpId{0}));
  p.actions.push_item(Action::drop(ValueId{1}));
  p.actions.end_row();
  p.actions.end_row();
  return p;
}

constexpr std::string_view kToyPlan =
    R"({"format":"worktop-plan","version":1,"made_by":"hand","graph_hash":"HASH","fates":{"recompute":["y"]},
"actions":[{"before":"h","do":[["drop","y","device"]]},
{"before":"g","do":[["recompute","f"],["drop","y","device"]]}]})";

std::string toy_text(std::string_view what = "", std::string_view instead = "") {
  return testing::with(testing::with(kToyPlan, "HASH", print_hash(toy_graph().hash())), what, instead);
}

base::Error error_of(std::string_view text) {
  const graph::Graph g = toy_graph();
  const machine::Machine m = toy_machine();
  return testing::error_of(read_plan_file(text, &g, &m), text);
}

TEST(PlanJson, ReadsActionsByName) {
  const graph::Graph g = toy_graph();
  const machine::Machine m = toy_machine();
  const auto file = read_plan_file(toy_text(), &g, &m);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  EXPECT_EQ(file->plan, toy_plan(g));
  EXPECT_FALSE(file->durations);
}

TEST(PlanJson, CarriesGraphMachineAndDurations) {
  const graph::Graph g = toy_graph();
  cost::Durations durations;
  durations.op.push_back(base::Nanoseconds{3});
  durations.op.push_back(base::Nanoseconds{4});
  durations.op.push_back(base::Nanoseconds{5});
  const std::string text = write_plan_file(toy_plan(g), g, toy_machine(), {.durations = &durations});
  const auto file = read_plan_file(text);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  EXPECT_EQ(file->plan, toy_plan(g));
  EXPECT_EQ(file->graph.hash(), g.hash());
  EXPECT_EQ(file->machine.links.size(), 2);
  EXPECT_EQ(file->durations->total(), base::Nanoseconds{12});
  const std::string bare = write_plan_file(toy_plan(g), g, toy_machine(), {.graph = false, .machine = false});
  EXPECT_EQ(read_plan_file(bare).error().what, "has no 'graph'");
  EXPECT_EQ(read_plan_file(bare, &g).error().what, "has no 'machine'");
}

TEST(PlanJson, APlanOfAnotherGraphIsIllegal) {
  const graph::Graph other = toy_graph(Bytes{9});
  const machine::Machine m = toy_machine();
  const auto file = read_plan_file(toy_text(), &other, &m);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, base::ErrorCode::illegal);
}

TEST(PlanJson, AnIllegalPlanLeavesNoReader) {
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"],", "")).code, base::ErrorCode::illegal);  // g finds no y
  EXPECT_EQ(error_of(toy_text("\"recompute\":[\"y\"]", "")).code, base::ErrorCode::illegal);  // the fate lies
}

TEST(PlanJson, Refuses) {
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"]", "[\"recompute\",\"k\"]")).what,
            "the graph has no op 'k'");
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"]", "[\"recompute\",\"k\"]")).where,
            "3:34 actions[1].do[0][1]");
  EXPECT_EQ(error_of(toy_text("\"before\":\"g\"", "\"before\":\"gg\"")).hint, "did you mean 'g'?");
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"]", "[\"recompute\"]")).what, "is not an action");
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"]", "[\"recompute\",\"f\",\"device\"]")).what,
            "recompute has 2 words, not 3");
  EXPECT_EQ(error_of(toy_text("[\"recompute\",\"f\"]", "[\"copy_in\",\"y\",\"disk\",\"host\"]")).what,
            "machine 'toy' has no link from disk to host");
  EXPECT_EQ(error_of(toy_text("[\"y\"]", "[\"y\",\"y\"]")).what, "has a fate already");
  EXPECT_EQ(error_of(toy_text("]]}]", "]]},{\"before\":\"f\",\"do\":[]}]")).what,
            "comes after a later op, or a second time");
  EXPECT_EQ(error_of(toy_text("\"graph_hash\":\"", "\"graph_hash\":\"0")).what,
            "is not a hash of sixteen hexadecimal digits");
}

RC_GTEST_PROP(PlanJson, LoweredPoliciesComeBackTheSame, (std::uint64_t seed)) {
  for (const Fate fate : {Fate::keep, Fate::recompute, Fate::offload_host, Fate::offload_disk}) {
    test::Case c = test::random_case({.seed = seed, .size = 6}, {.tiers = test::Tiers::host_and_disk});
    const auto lowered = plan::lower(c.graph, c.machine, {.name = "all", .otherwise = fate}, c.durations.op);
    if (!lowered) continue;
    const auto judged = plan::legal(c.graph, c.machine, *lowered);
    if (!judged)
      RC_FAIL("not legal: " + judged.error().what + " " + judged.error().where + test::describe(c.graph));
    c.machine.name = "random";
    c.machine.usable_bytes = Bytes{1000};
    c.machine.context_bytes = Bytes{0};
    c.machine.margin = 0;
    c.machine.memory_bandwidth.per_second = 1e9;
    c.machine.vector_rate.per_second = 1e9;
    const std::string text = write_plan_file(*lowered, c.graph, c.machine, {.durations = &c.durations});
    const auto file = read_plan_file(text);
    if (!file) RC_FAIL(file.error().what + " " + file.error().where);
    RC_ASSERT(file->plan == *lowered);
    RC_ASSERT(write_plan_file(file->plan, file->graph, file->machine, {.durations = &*file->durations}) ==
              text);
  }
}

TEST(PolicyJson, ComesBackTheSame) {
  const plan::Policy policy{.name = "selective",
                            .rules = {{{.value = "y"}, Fate::keep},
                                      {{.block = "layers.0", .op_kind = "linear"}, Fate::offload_host},
                                      {{.block_kind = "layer"}, Fate::offload_disk},
                                      {{}, Fate::recompute}},
                            .otherwise = Fate::keep,
                            .replay = plan::Replay::redo};
  const auto again = read_policy_file(write_policy_file(policy));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(*again, policy);
}

TEST(PolicyJson, Refuses) {
  const auto error = [](std::string_view rest) {
    return read_policy_file(R"({"format":"worktop-policy","version":1,)" + std::string(rest) + "}").error();
  };
  EXPECT_EQ(error(R"("name":"p","otherwise":"recomptue")").hint, "did you mean 'recompute'?");
  EXPECT_EQ(error(R"("name":"p","rules":[{"block":"x"}])").what, "has no 'fate'");
  EXPECT_EQ(error(R"("name":"p","rules":[{"blok":"x","fate":"keep"}])").hint, "did you mean 'block'?");
  EXPECT_EQ(error(R"("rules":[])").what, "has no 'name'");
  EXPECT_EQ(error(R"("name":3)").where, "1:47 name");
}

}  // namespace
}  // namespace worktop::format
