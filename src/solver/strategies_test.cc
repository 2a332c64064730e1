// What each strategy holds, replays and costs, by hand on a chain of layers; and that the lists of kinds name
// what the decoders are made of.
#include "solver/strategies.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "graph/builder.h"
#include "graph/testing.h"
#include "solver/testing.h"

namespace worktop::solver {
namespace {

using graph::GraphBuilder;
using graph::OpId;
using graph::Phase;
using graph::ProgramHold;
using graph::ValueId;
using graph::ValueKind;
using machine::Tier;
using plan::Fate;

// L layers of two ops, as blocks, and their backward. Of layer i, with y(-1) = x:
//
//   a_i: y(i-1) -> u_i   3 ns      b_i: u_i -> y_i   5 ns      (loss: y(L-1) -> g   1 ns, first of backward)
//   b_i.grad: u_i, g_i -> h_i   1 ns      a_i.grad: y(i-1), h_i -> g(i-1)   1 ns
//
// Bytes: x 1, u 10, y 4, g and h 2. The program holds u_i until b_i and y_i until a_(i+1); g and h until they
// were read. a runs on matrix units. For L = 4 ops are numbered:
//
//   a0 b0 a1 b1 a2 b2 a3 b3 | loss b3' a3' b2' a2' b1' a1' b0' a0'
//    0  1  2  3  4  5  6  7 |   8   9  10  11  12  13  14  15  16
//
// Keep all: 4 (3 + 5) + 1 + 8 = 41 ns; at `loss` x, all u, all y and g are there: 1 + 40 + 16 + 2 = 59 B.
struct Chain {
  graph::Graph graph;
  cost::Durations durations;
  machine::Machine machine = test::toy_machine();

  explicit Chain(std::int32_t layers, std::int64_t nanoseconds_a_unit = 1) {
    GraphBuilder build("chain", graph::Origin::profile);
    std::vector<ValueId> u, y = {build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}})};
    const auto activation = [&](const std::string& name, std::int64_t bytes) {
      return build.add_value({.name = name, .bytes = Bytes{bytes}, .holdable = true},
                             ProgramHold::to_last_forward_reader);
    };
    const auto gradient = [&](const std::string& name) {
      return build.add_value({.name = name, .kind = ValueKind::temporary, .bytes = Bytes{2}});
    };
    const auto lasts = [&](std::int64_t ns) { durations.op.push_back(Nanoseconds{ns * nanoseconds_a_unit}); };
    for (std::int32_t i = 0; i < layers; ++i) {
      const std::string n = std::to_string(i);
      const graph::BlockId block = build.add_block("layers." + n, "layer");
      u.push_back(activation("u" + n, 10));
      build.add_op({.name = "a" + n, .kind = "a", .block = block, .engine = graph::Engine::matmul},
                   {y.back()}, {{u.back()}});
      lasts(3);
      y.push_back(activation("y" + n, 4));
      build.add_op({.name = "b" + n, .kind = "b", .block = block}, {u.back()}, {{y.back()}});
      lasts(5);
    }
    ValueId g = gradient("g");
    build.add_op({.name = "loss", .phase = Phase::backward}, {y.back()}, {{g}});
    lasts(1);
    for (std::int32_t i = layers; i-- > 0;) {
      const std::string n = std::to_string(i);
      const auto at = static_cast<std::size_t>(i);
      const ValueId h = gradient("h" + n);
      build.add_op({.name = "b" + n + ".grad", .phase = Phase::backward}, {u[at], g}, {{h}});
      g = gradient("g" + n);
      build.add_op({.name = "a" + n + ".grad", .phase = Phase::backward}, {y[at], h}, {{g}});
      lasts(1), lasts(1);
    }
    graph = *std::move(build).build();
  }

  [[nodiscard]] Problem problem() const { return {graph, machine, durations, {}}; }
  [[nodiscard]] Planned played(const Policy& policy) const {
    auto plan = plan::lower(graph, machine, policy, durations.op);
    EXPECT_TRUE(plan.has_value()) << plan.error().what;
    Planned planned = predict(problem(), *std::move(plan));
    EXPECT_EQ(testing::fault_of(problem(), planned), "");
    return planned;
  }
  // The names of the values of a fate, in order: as the policy means it, or as the plan does it.
  [[nodiscard]] std::string meant(const Policy& policy, Fate fate) const {
    return names(plan::fates_of(policy, graph), fate);
  }
  [[nodiscard]] std::string done(const Policy& policy, Fate fate) const {
    return names(played(policy).plan.fates, fate);
  }
  [[nodiscard]] std::string names(const base::IdVector<ValueId, Fate>& fates, Fate fate) const {
    std::string text;
    for (ValueId v : base::ids<ValueId>(graph.value_count()))
      if (fates[v] == fate) text += (text.empty() ? "" : " ") + graph.value(v).name;
    return text;
  }
  // Recomputes by boundary: "9:a2 9:b2".
  [[nodiscard]] std::string replays(const Planned& planned) const {
    std::string text;
    for (plan::Boundary t : base::ids<plan::Boundary>(planned.plan.actions.rows()))
      for (const plan::Action& action : planned.plan.actions[t])
        if (action.kind == plan::ActionKind::recompute)
          text += (text.empty() ? "" : " ") + std::to_string(t.index()) + ":" + graph.op(action.op).name;
    return text;
  }
};

TEST(Strategies, KeepAll) {
  const Chain chain(4);
  const Planned planned = chain.played(keep_all());
  EXPECT_EQ(chain.replays(planned), "");
  EXPECT_EQ(planned.step_ns, Nanoseconds{41});
  EXPECT_EQ(planned.device_peak(), Bytes{59});
}

// Two segments, layers 0-1 and 2-3: only y1 crosses. (y3 crosses into no segment; `loss` follows at once.)
//   Stage 9 needs u3, hence y2, u2, from y1: a2 b2 a3, 11 ns; they stay until used. With x, y1, g before:
//     1 + 4 + 2 = 7, then u2 17, y2 21, u3 31, and h3 in b3.grad: 33 B.
//   Stage 13 needs u1, hence y0, u0, from x: a0 b0 a1, 11 ns. x, g1: 3, then 13, 17, 27, and h1: 29 B.
TEST(Strategies, CheckpointHoldsWhatCrossesSegments) {
  const Chain chain(4);
  const Policy policy = checkpoint(chain.graph, 2);
  EXPECT_EQ(policy.name, "checkpoint(2)");
  EXPECT_EQ(chain.meant(policy, Fate::recompute), "u0 y0 u1 u2 y2 u3 y3");
  const Planned planned = chain.played(policy);
  EXPECT_EQ(chain.replays(planned), "9:a2 9:b2 9:a3 13:a0 13:b0 13:a1");
  EXPECT_EQ(chain.names(planned.plan.fates, Fate::recompute), "u0 y0 u1 u2 y2 u3");
  EXPECT_EQ(planned.step_ns, Nanoseconds{41 + 22});
  EXPECT_EQ(planned.device_peak(), Bytes{33});
  EXPECT_EQ(chain.played(checkpoint_every(chain.graph, 2)).plan.actions, planned.plan.actions);
}

// One segment: nothing crosses. Stage 9 replays all but b3 from x: 4 * 3 + 3 * 5 = 27 ns; then all u (40),
// y0 to y2 (12), x and g (3) are there, and h3: 57 B.
TEST(Strategies, OneSegmentReplaysEverythingAtOnce) {
  const Chain chain(4);
  const Planned planned = chain.played(checkpoint(chain.graph, 1));
  EXPECT_EQ(chain.replays(planned), "9:a0 9:b0 9:a1 9:b1 9:a2 9:b2 9:a3");
  EXPECT_EQ(planned.step_ns, Nanoseconds{41 + 27});
  EXPECT_EQ(planned.device_peak(), Bytes{57});
}

// A segment a layer: y0 to y2 are held, each u is made again, 4 * 3 = 12 ns. b3 has x, y0 to y2, u3, y3:
// 1 + 12 + 10 + 4 = 27; b3.grad x, y0 to y2, u3, g, h: 27 too.
TEST(Strategies, CheckpointEveryLayerKeepsTheInputsOfLayers) {
  const Chain chain(4);
  const Policy policy = checkpoint_every(chain.graph, 1);
  EXPECT_EQ(policy.name, "checkpoint_every(1)");
  const Planned planned = chain.played(policy);
  EXPECT_EQ(chain.replays(planned), "9:a3 11:a2 13:a1 15:a0");
  EXPECT_EQ(planned.step_ns, Nanoseconds{41 + 12});
  EXPECT_EQ(planned.device_peak(), Bytes{27});
  EXPECT_EQ(chain.played(checkpoint(chain.graph, 4)).plan.actions, planned.plan.actions);
}

TEST(Strategies, SegmentsAreClamped) {
  const Chain chain(4);
  EXPECT_EQ(checkpoint(chain.graph, 0).name, "checkpoint(1)");
  EXPECT_EQ(checkpoint(chain.graph, 99).name, "checkpoint(4)");
  EXPECT_EQ(checkpoint_every(chain.graph, -3).name, "checkpoint_every(1)");
  EXPECT_EQ(checkpoint_every(chain.graph, 5).name, "checkpoint_every(4)");
  // Five layers in two segments: 0-2 and 3-4, as layer i goes to segment i * 2 / 5.
  EXPECT_EQ(Chain(5).meant(checkpoint(Chain(5).graph, 2), Fate::keep).substr(0, 4), "x y2");
}

// Stages 9 to 15 need u3, y2, u2, y1, u1, y0, u0, each from x: 7 + 6 + ... + 1 = 28 replays (n (n + 1) / 2:
// O(L^2)), of 27 + 24 + 19 + 16 + 11 + 8 + 3 = 108 ns. Only x, a gradient and two neighbours are ever there:
// 1 + 2 + 10 + 4 = 17 B.
TEST(Strategies, RecomputeAllHoldsNothing) {
  const Chain chain(4);
  const Planned planned = chain.played(recompute_all());
  const std::string replays = chain.replays(planned);
  EXPECT_EQ(std::ranges::count(replays, ':'), 28);
  EXPECT_EQ(planned.recompute_ns, Nanoseconds{108});
  EXPECT_EQ(planned.step_ns, Nanoseconds{41 + 108});
  EXPECT_EQ(planned.device_peak(), Bytes{17});
  // Twice the layers: 15 needs, 15 * 16 / 2 replays, and no byte more.
  const Chain twice(8);
  const Planned longer = twice.played(recompute_all());
  EXPECT_EQ(std::ranges::count(twice.replays(longer), ':'), 120);
  EXPECT_EQ(longer.device_peak(), Bytes{17});
}

// Ops a hundred times as long, links of one byte a nanosecond: every copy ends within the op after it, and
// nothing waits. u3 is wanted again two ops after b3: it would be back before it has left, and stays.
//   Out: a value leaves during the op after its last use. a3 runs with x, y2, u3 and u2 that leaves: 25 B.
//   In: each comes back during the op before its need: 19 B at most. On the host: 3 u and 3 y, 42 B.
TEST(Strategies, OffloadAllSendsWhatCanComeBackInTime) {
  Chain chain(4, 100);
  EXPECT_EQ(chain.done(offload_all(Tier::host), Fate::offload_host), "");  // no host: kept
  test::add_toy_links(chain.machine, Tier::device, Tier::host);
  const Policy policy = offload_all(Tier::host);
  EXPECT_EQ(policy.name, "offload_all");
  const Planned planned = chain.played(policy);
  EXPECT_EQ(chain.names(planned.plan.fates, Fate::offload_host), "u0 y0 u1 y1 u2 y2");
  EXPECT_EQ(planned.step_ns, Nanoseconds{4100});
  EXPECT_EQ(planned.stalled_ns, Nanoseconds{0});
  EXPECT_EQ(planned.link_busy_ns, Nanoseconds{2 * 42});
  EXPECT_EQ(planned.device_peak(), Bytes{25});
  EXPECT_EQ(planned.peak[1], Bytes{42});
}

// Half of four layers offload; of the others, layers 2 and 3, y2 is held if they are segments of their own.
TEST(Strategies, HybridOffloadsTheFirstAndCheckpointsTheRest) {
  Chain chain(4, 100);
  test::add_toy_links(chain.machine, Tier::device, Tier::host);
  const Policy policy = hybrid(chain.graph, 500, 4, Tier::host);
  EXPECT_EQ(policy.name, "hybrid(0.5,4)");
  EXPECT_EQ(chain.meant(policy, Fate::offload_host), "u0 y0 u1 y1");
  EXPECT_EQ(chain.meant(policy, Fate::recompute), "u2 u3 y3");
  EXPECT_EQ(chain.replays(chain.played(policy)), "9:a3 11:a2");
  const Policy coarse = hybrid(chain.graph, 500, 2, Tier::host);
  EXPECT_EQ(chain.meant(coarse, Fate::recompute), "u2 y2 u3 y3");
  // beta 1 is checkpoint, beta 0 is offload_all of what a plan decides.
  EXPECT_EQ(chain.meant(hybrid(chain.graph, 1000, 2, Tier::host), Fate::recompute),
            chain.meant(checkpoint(chain.graph, 2), Fate::recompute));
  EXPECT_EQ(chain.done(hybrid(chain.graph, 0, 2, Tier::host), Fate::offload_host),
            chain.done(offload_all(Tier::host), Fate::offload_host));
}

// All decidable bytes over their ops' time: 56 B / 32 ns = 1.75. a frees 10 / 3 B a ns, 1.9047... times that;
// b 4 / 5, 0.457... times.
TEST(Strategies, RatioRecomputesWhatIsAboveTheThreshold) {
  const Chain chain(4);
  const auto above = [&](std::int32_t permille) {
    return chain.meant(ratio(chain.graph, chain.durations, permille), Fate::recompute);
  };
  EXPECT_EQ(ratio(chain.graph, chain.durations, 2000).name, "ratio(2)");
  EXPECT_EQ(above(1905), "");
  EXPECT_EQ(above(1904), "u0 u1 u2 u3");
  EXPECT_EQ(above(458), "u0 u1 u2 u3");
  EXPECT_EQ(above(457), "u0 y0 u1 y1 u2 y2 u3 y3");
  // A frees 10 B in a third of the time: exactly 1 is not above 1 where all are equal.
  Chain equal(2);
  for (Nanoseconds& ns : equal.durations.op) ns = Nanoseconds{4};
  for (std::int32_t a : {0, 2}) equal.durations.op[OpId{a}] = Nanoseconds{10};
  EXPECT_EQ(equal.meant(ratio(equal.graph, equal.durations, 1000), Fate::recompute), "");
  EXPECT_EQ(equal.meant(ratio(equal.graph, equal.durations, 999), Fate::recompute), "u0 y0 u1 y1");
}

TEST(Strategies, SaveMatmulsReplaysTheRest) {
  const Chain chain(4);
  EXPECT_EQ(chain.meant(save_matmuls(chain.graph), Fate::recompute), "y0 y1 y2 y3");
}

// 16 layers: a checkpoint each holds 15 y, 60 B, where the backward begins; two levels of four hold 3 and,
// within a segment, 3 more.
TEST(Strategies, NestedCheckpointsHoldLessThanOneALayer) {
  const Chain chain(16);
  const Planned flat = chain.played(checkpoint_every(chain.graph, 1));
  auto plan = plan::lower(chain.graph, chain.machine, nested_checkpoints(chain.graph, 4), {}, "nested");
  ASSERT_TRUE(plan.has_value()) << plan.error().what;
  const Planned nested = predict(chain.problem(), *std::move(plan));
  EXPECT_EQ(testing::fault_of(chain.problem(), nested), "");
  // Flat, as above for L = 4: x, 15 y, u, y: 75 B.
  EXPECT_EQ(flat.device_peak(), Bytes{1 + 15 * 4 + 10 + 4});
  // Nested, stage 33 (b15.grad): x, y3 y7 y11, g; replayed from y11: y12 y13 y14 and u15, then h. A replay of
  // u14 on the way is gone by then.
  EXPECT_EQ(nested.device_peak(), Bytes{1 + 12 + 2 + 12 + 10 + 2});
  EXPECT_LT(nested.recompute_ns, 2 * 16 * Nanoseconds{8});
}

TEST(Strategies, GraphWithoutBlocksHasForwardOpsAsLayers) {
  GraphBuilder build("flat", graph::Origin::profile);
  const ValueId x = build.add_value({.name = "x", .bytes = Bytes{1}});
  const ValueId y = build.add_value({.name = "y", .bytes = Bytes{1}, .holdable = true},
                                    ProgramHold::to_last_forward_reader);
  build.add_op({.name = "f"}, {x}, {{y}});
  build.add_op({.name = "g"}, {y}, {});
  build.add_op({.name = "h", .phase = Phase::backward}, {y}, {});
  EXPECT_EQ(layer_count(*std::move(build).build()), 2);
  EXPECT_EQ(layer_count(Chain(4).graph), 4);
}

// ------------------------------------------------------------------------------------- lists, on decoders

using graph::testing::Built;

std::vector<graph::Graph> decoders() {
  using namespace graph::testing;
  std::vector<graph::Graph> graphs;
  for (const model::Settings& s : {settings(), materialised(), settings(model::Precision::bf16_mixed)})
    for (model::Activation activation :
         {model::Activation::silu, model::Activation::gelu_new, model::Activation::gelu,
          model::Activation::gelu_tanh, model::Activation::relu}) {
      model::Decoder llama = tiny_llama(), gpt2 = tiny_gpt2();
      llama.activation = gpt2.activation = activation;
      graphs.push_back(*graph::build(llama, s));
      graphs.push_back(*graph::build(gpt2, s));
    }
  return graphs;
}

TEST(Strategies, EveryKindOfTheListsIsMadeBySomeDecoder) {
  std::set<std::string> kinds;
  for (const graph::Graph& graph : decoders())
    for (OpId op : base::ids<OpId>(graph.op_count())) kinds.insert(graph.op(op).kind);
  for (const Policy& policy : {attention_core(), norms_and_activations()})
    for (const plan::Rule& rule : policy.rules)
      EXPECT_TRUE(kinds.contains(*rule.select.op_kind)) << policy.name << ": " << *rule.select.op_kind;
}

// The values that a policy recomputes in layer 1, by the names of their ops.
std::set<std::string> recomputed_in_layer(const graph::Graph& graph, const Policy& policy) {
  std::set<std::string> names;
  const auto fates = plan::fates_of(policy, graph);
  const std::string prefix = "layers.1";
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    if (fates[v] != Fate::recompute || !graph.decidable(v)) continue;
    const std::string& name = graph.op(graph.value(v).producer).name;
    if (name.starts_with(prefix)) names.insert(name.substr(prefix.size() + 1));
  }
  return names;
}

TEST(Strategies, ListsSelectOnATinyLlama) {
  using Names = std::set<std::string>;
  const Built llama(graph::testing::tiny_llama(), graph::testing::settings());
  EXPECT_EQ(recomputed_in_layer(llama.graph(), attention_core()), Names{"self_attn/attention"});
  EXPECT_EQ(recomputed_in_layer(llama.graph(), mlp(llama.graph())),
            (Names{"mlp/gate_proj", "mlp/mul", "mlp/silu", "mlp/up_proj"}));
  const Names norms = recomputed_in_layer(llama.graph(), norms_and_activations());
  for (const char* name : {"input_layernorm/upcast", "input_layernorm/rstd", "input_layernorm/scale",
                           "input_layernorm/weight", "mlp/mul", "mlp/silu"})
    EXPECT_TRUE(norms.contains(name)) << name;
  EXPECT_FALSE(norms.contains("mlp/up_proj"));
  const Names rest = recomputed_in_layer(llama.graph(), save_matmuls(llama.graph()));
  EXPECT_TRUE(rest.contains("mlp/silu"));
  for (const char* name : {"mlp/up_proj", "self_attn/attention", "self_attn/q_proj"})
    EXPECT_FALSE(rest.contains(name)) << name;

  const Built written(graph::testing::tiny_llama(), graph::testing::materialised());
  const Names core = recomputed_in_layer(written.graph(), attention_core());
  EXPECT_TRUE(core.contains("self_attn/softmax"));
  EXPECT_FALSE(core.contains("mlp/silu"));
}

// ------------------------------------------------------------------------------------------------- names

TEST(Strategies, StandardOnesGoWithTheMachine) {
  Chain chain(4);
  const auto names = [&] {
    std::string text;
    for (const Policy& policy : standard_strategies(chain.graph, chain.machine, chain.durations))
      text += policy.name + " ";
    return text;
  };
  EXPECT_EQ(
      names(),
      "keep_all checkpoint(2) checkpoint_every(1) checkpoint_every(2) checkpoint_every(4) recompute_all "
      "ratio(2) save_matmuls attention_core mlp norms_and_activations ");
  test::add_toy_links(chain.machine, Tier::device, Tier::host);
  EXPECT_NE(names().find(" offload_all hybrid(0.25,4) hybrid(0.5,4) hybrid(0.75,4) "), std::string::npos);
  test::add_toy_links(chain.machine, Tier::host, Tier::disk);
  EXPECT_NE(names().find(" offload_all offload_all(disk) "), std::string::npos);
}

base::Result<Policy> named(const std::string& name) {
  static const Chain chain = [] {
    Chain with_host(4);
    test::add_toy_links(with_host.machine, Tier::device, Tier::host);
    return with_host;
  }();
  return strategy_by_name(name, chain.graph, chain.machine, chain.durations);
}

TEST(Strategies, NamesAreRead) {
  const std::map<std::string, std::string> names = {
      {"keep_all", "keep_all"},
      {"checkpoint(3)", "checkpoint(3)"},
      {"checkpoint(3.0)", "checkpoint(3)"},
      {"checkpoint", "checkpoint(2)"},  // the square root of the layers
      {"checkpoint_every", "checkpoint_every(1)"},
      {"checkpoint_every(2)", "checkpoint_every(2)"},
      {"recompute_all", "recompute_all"},
      {"offload_all", "offload_all"},
      {"offload_all(host)", "offload_all"},
      {"offload_all(disk)", "offload_all(disk)"},
      {"hybrid(0.25,2)", "hybrid(0.25,2)"},
      {"hybrid(0.5, 2)", "hybrid(0.5,2)"},
      {"hybrid", "hybrid(0.5,4)"},
      {"hybrid()", "hybrid(0.5,4)"},
      {"ratio", "ratio(2)"},
      {"ratio(1.5)", "ratio(1.5)"},
      {"ratio(0.125)", "ratio(0.125)"},
      {"save_matmuls", "save_matmuls"},
      {"attention_core", "attention_core"},
      {"mlp", "mlp"},
      {"norms_and_activations", "norms_and_activations"}};
  for (const auto& [text, name] : names) {
    const auto policy = named(text);
    ASSERT_TRUE(policy.has_value()) << text << ": " << policy.error().what;
    EXPECT_EQ(policy->name, name);
  }
}

TEST(Strategies, OtherNamesAreRefused) {
  for (const char* text : {"",
                           "keepall",
                           "checkpont(8)",
                           "checkpoint(8",
                           "checkpoint(eight)",
                           "ratio(1.2345)",
                           "ratio(-1)",
                           "ratio(.)",
                           "hybrid(0.5,x)",
                           "offload_all(tape)",
                           "checkpoint(9999999999)",
                           "checkpoint(2.5)",
                           "checkpoint(2,3)",
                           "checkpoint(2,)",
                           "checkpoint_every(1.5)",
                           "hybrid(0.5,2.5)",
                           "hybrid(0.5,2,1)",
                           "ratio(2,3)",
                           "recompute_all(1)",
                           "keep_all(1)",
                           "mlp(x)",
                           "offload_all(host,disk)"}) {
    const auto policy = named(text);
    ASSERT_FALSE(policy.has_value()) << text << " is read as " << policy->name;
    EXPECT_EQ(policy.error().code, base::ErrorCode::usage) << text;
  }
  EXPECT_EQ(named("checkpoint(2.5)").error().what,
            "strategy 'checkpoint(2.5)' has 2.5 where a whole number belongs");
  EXPECT_EQ(named("checkpoint(2,3)").error().what,
            "strategy 'checkpoint(2,3)' has 2 arguments, and checkpoint takes at most 1");
  EXPECT_EQ(named("mlp(2)").error().what, "strategy 'mlp(2)' has 1 argument, and mlp takes none");
  const base::Error near = named("checkpont(8)").error();
  EXPECT_NE((near.what + near.hint).find("checkpoint"), std::string::npos) << near.what << " " << near.hint;
}

}  // namespace
}  // namespace worktop::solver
