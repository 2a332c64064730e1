#include "graph/builder.h"

#include <gtest/gtest.h>

#include <functional>

namespace worktop::graph {
namespace {

constexpr OpId kNoOp = OpId::none();

// Two forward ops and their backward: x -f-> a -g-> y;  y,a -g.grad-> da;  da,x -f.grad-> dw.
//   op 0 f   1 g   2 g.grad   3 f.grad
struct Toy {
  GraphBuilder b{"toy", Origin::analytic};
  ValueId x, a, y, da, dw;
  OpId f, g, gg, fg;

  Toy() {
    x = b.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{4}});
    a = b.add_value({.name = "a", .bytes = Bytes{8}, .holdable = true}, ProgramHold::to_last_forward_reader);
    y = b.add_value({.name = "y", .bytes = Bytes{2}, .holdable = true}, ProgramHold::producer_only);
    da = b.add_value({.name = "da", .kind = ValueKind::temporary, .bytes = Bytes{8}});
    dw = b.add_value({.name = "dw", .kind = ValueKind::gradient, .bytes = Bytes{1}});
    f = b.add_op({.name = "f"}, {x}, {{a}});
    g = b.add_op({.name = "g"}, {a}, {{y}});
    gg = b.add_op({.name = "g.grad", .phase = Phase::backward}, {y, a}, {{da}});
    fg = b.add_op({.name = "f.grad", .phase = Phase::backward}, {da, x}, {{dw}});
  }
  Graph build() {
    base::Result<Graph> graph = std::move(b).build();
    EXPECT_TRUE(graph.has_value()) << graph.error().what << " at " << graph.error().where;
    return *std::move(graph);
  }
};

TEST(Builder, HoldsAndReadersByHand) {
  Toy toy;
  const Graph graph = toy.build();
  EXPECT_EQ(graph.op_count(), 4);
  EXPECT_EQ(graph.value_count(), 5);
  EXPECT_EQ(graph.storage_count(), 5);
  const auto readers = graph.readers(toy.a);
  EXPECT_EQ(std::vector(readers.begin(), readers.end()), (std::vector{toy.g, toy.gg}));
  EXPECT_EQ(graph.value(toy.a).producer, toy.f);

  EXPECT_EQ(graph.value(toy.x).producer, kNoOp);
  EXPECT_EQ(graph.value(toy.x).held_until, kNoOp);  // no producer: the program holds it throughout
  EXPECT_EQ(graph.value(toy.x).needed_until, kNoOp);
  EXPECT_EQ(graph.value(toy.a).held_until, toy.g);  // the last reader in forward
  EXPECT_EQ(graph.value(toy.a).needed_until, toy.gg);
  EXPECT_EQ(graph.value(toy.y).held_until, toy.g);  // its producer only
  EXPECT_EQ(graph.value(toy.y).needed_until, toy.gg);
  EXPECT_EQ(graph.value(toy.da).held_until, toy.fg);  // the last reader
  EXPECT_EQ(graph.value(toy.dw).held_until, toy.fg);  // never read: its producer
  EXPECT_EQ(graph.value(toy.dw).needed_until, toy.fg);

  EXPECT_FALSE(graph.decidable(toy.x));
  EXPECT_TRUE(graph.decidable(toy.a));
  EXPECT_TRUE(graph.decidable(toy.y));
  EXPECT_FALSE(graph.decidable(toy.da));
  EXPECT_TRUE(graph.recomputable(toy.a));
  EXPECT_FALSE(graph.recomputable(toy.x));
}

TEST(Builder, SetHoldsWin) {
  Toy toy;
  toy.b.set_held_until(toy.a, toy.gg);    // the program itself holds a to its last reader
  toy.b.set_held_until(toy.dw, kNoOp);    // the gradient is never let go
  toy.b.set_held_until(toy.x, toy.fg);    // an input that the program gives up after its last reader
  toy.b.set_needed_until(toy.y, toy.fg);  // a trace: wanted beyond its last reader
  toy.b.set_needed_until(toy.a, toy.f);   // earlier than its last reader changes nothing
  const Graph graph = toy.build();
  EXPECT_EQ(graph.value(toy.a).held_until, toy.gg);
  EXPECT_FALSE(graph.decidable(toy.a));  // no reader after the program's hold
  EXPECT_EQ(graph.value(toy.a).needed_until, toy.gg);
  EXPECT_EQ(graph.value(toy.dw).held_until, kNoOp);
  EXPECT_EQ(graph.value(toy.dw).needed_until, kNoOp);
  EXPECT_EQ(graph.value(toy.x).held_until, toy.fg);
  EXPECT_EQ(graph.value(toy.x).needed_until, toy.fg);
  EXPECT_EQ(graph.value(toy.y).needed_until, toy.fg);
}

TEST(Builder, NeededToTheEndOfTheStep) {
  Toy toy;
  toy.b.set_needed_until(toy.y, kNoOp);
  EXPECT_EQ(toy.build().value(toy.y).needed_until, kNoOp);
}

TEST(Builder, DecidableNeedsBytes) {
  Toy toy;
  const ValueId empty =
      toy.b.add_value({.name = "empty", .bytes = Bytes{0}, .holdable = true}, ProgramHold::producer_only);
  const OpId h = toy.b.add_op({.name = "h", .phase = Phase::backward}, {}, {{empty}});
  const OpId k = toy.b.add_op({.name = "k", .phase = Phase::backward}, {empty}, {});
  const Graph graph = toy.build();
  EXPECT_EQ(graph.value(empty).held_until, h);
  EXPECT_EQ(graph.value(empty).needed_until, k);
  EXPECT_FALSE(graph.decidable(empty));
}

TEST(Builder, EveryBoundaryIsATriggerUnlessEager) {
  Toy every;
  const Graph graph = every.build();
  for (std::int32_t t = 0; t <= 4; ++t) EXPECT_TRUE(graph.is_trigger(t)) << t;

  Toy toy;
  toy.b.set_eager_triggers();
  const Graph eager = toy.build();
  EXPECT_FALSE(eager.is_trigger(0));
  EXPECT_TRUE(eager.is_trigger(1));   // after f
  EXPECT_TRUE(eager.is_trigger(2));   // after g, and before g.grad, which reads a and y
  EXPECT_FALSE(eager.is_trigger(3));  // f.grad reads nothing that the executor can hold
  EXPECT_TRUE(eager.is_trigger(4));   // the end
}

TEST(Builder, NobodyIsToldWhenAMomentOfUnseenCodeEnds) {
  GraphBuilder b("unseen", Origin::profile);
  const ValueId x = b.add_value({.name = "x", .bytes = Bytes{8}, .holdable = true});
  b.add_op({.name = "f"}, {}, {{x}});
  b.add_op({.name = "moment", .flags = {.opaque = true}}, {}, {});
  b.add_op({.name = "g", .flags = {.opaque = true}}, {x}, {});
  b.set_eager_triggers();
  const Graph graph = *std::move(b).build();
  EXPECT_TRUE(graph.is_trigger(1));
  EXPECT_FALSE(graph.is_trigger(2));
  EXPECT_TRUE(graph.is_trigger(3));
}

TEST(Builder, RepeatedReadsCountOnce) {
  Toy toy;
  const OpId square = toy.b.add_op({.name = "square", .phase = Phase::backward}, {toy.x, toy.x}, {});
  const Graph graph = toy.build();
  EXPECT_EQ(graph.reads(square).size(), 1U);
  EXPECT_EQ(graph.readers(toy.x).size(), 3U);  // f, f.grad and square
}

TEST(Builder, BlocksGetTheirForwardRange) {
  GraphBuilder b("blocks", Origin::analytic);
  const BlockId block = b.add_block("layers.0", "layer");
  b.add_op({.name = "embed"}, {}, {});
  const OpId first = b.add_op({.name = "norm", .block = block}, {}, {});
  const OpId last = b.add_op({.name = "mlp", .block = block}, {}, {});
  b.add_op({.name = "loss"}, {}, {});
  b.add_op({.name = "mlp.grad", .phase = Phase::backward, .block = block}, {}, {});
  const base::Result<Graph> graph = std::move(b).build();
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->block(block).first, first);
  EXPECT_EQ(graph->block(block).last, last);
}

// x -f-> a, relu_ turns a into b in place, h reads b:  op 0 f   1 relu_   2 h (backward)
struct InPlace {
  GraphBuilder b{"in_place", Origin::profile};
  ValueId x, a, z;
  OpId f, relu, h;
  explicit InPlace(OpFlags flags = {}, bool read_old = false, bool holdable = true) {
    x = b.add_value({.name = "x", .bytes = Bytes{4}});
    a = b.add_value({.name = "a", .bytes = Bytes{8}, .holdable = holdable});
    z = b.add_value({.name = "z", .bytes = Bytes{8}, .holdable = true}, ProgramHold::producer_only);
    f = b.add_op({.name = "f", .flags = flags}, {x}, {{a}});
    relu = b.add_op({.name = "relu_"}, {a}, {{z, a}});
    std::vector<ValueId> reads{z};
    if (read_old) reads.push_back(a);
    h = b.add_op({.name = "h", .phase = Phase::backward}, reads, std::span<const Output>());
  }
};

TEST(Builder, InPlaceVersionsShareTheirStorage) {
  InPlace toy;
  const base::Result<Graph> graph = std::move(toy.b).build();
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->value(toy.a).storage, graph->value(toy.z).storage);
  EXPECT_EQ(graph->storage_count(), 2);
  EXPECT_EQ(graph->overwritten_by(toy.a), toy.relu);
  EXPECT_EQ(graph->overwritten_by(toy.z), kNoOp);
  EXPECT_FALSE(graph->decidable(toy.a));
  EXPECT_TRUE(graph->decidable(toy.z));
}

TEST(Builder, HoldEndsWhereTheValueIsOverwritten) {
  InPlace toy;
  toy.b.set_held_until(toy.a, kNoOp);
  const base::Result<Graph> graph = std::move(toy.b).build();
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->value(toy.a).held_until, toy.relu);
}

TEST(Builder, OverwrittenValueIsReadAgainOnlyIfItCanBeRecomputed) {
  InPlace again({}, true);
  const base::Result<Graph> graph = std::move(again.b).build();
  ASSERT_TRUE(graph.has_value());
  EXPECT_EQ(graph->value(again.a).held_until, again.relu);  // not its last reader, which comes too late
  EXPECT_TRUE(graph->decidable(again.a));

  InPlace random({.random = true}, true);
  EXPECT_FALSE(std::move(random.b).build().has_value());
  InPlace not_holdable({}, true, false);
  EXPECT_FALSE(std::move(not_holdable.b).build().has_value());
}

TEST(Builder, HashFollowsWhatAPlanDependsOnAndNothingElse) {
  const GraphHash plain = Toy().build().hash();
  EXPECT_EQ(Toy().build().hash(), plain);
  Toy eager;
  eager.b.set_eager_triggers();
  EXPECT_NE(eager.build().hash(), plain);
  Toy held;
  held.b.set_held_until(held.a, held.gg);
  EXPECT_NE(held.build().hash(), plain);
  Toy more;
  more.b.add_value({.name = "more"});
  EXPECT_NE(more.build().hash(), plain);
  Toy tokens;
  tokens.b.set_tokens_per_step(5);
  EXPECT_EQ(tokens.build().hash(), plain);

  const auto single = [](Op op) {
    GraphBuilder b("single", Origin::trace);
    b.add_op(std::move(op), {}, {});
    return std::move(b).build()->hash();
  };
  const GraphHash base_hash = single({.name = "f"});
  EXPECT_EQ(single({.name = "f", .flops = Flops{9}, .traffic = Bytes{9}}), base_hash);  // durations only
  EXPECT_NE(single({.name = "g"}), base_hash);
  EXPECT_NE(single({.name = "f", .workspace = Bytes{1}}), base_hash);
  EXPECT_NE(single({.name = "f", .flags = {.random = true}}), base_hash);
  EXPECT_NE(single({.name = "f", .flags = {.discrete = true}}), base_hash);
}

// ---- refusals: each case breaks one rule of an otherwise sound graph.

struct Refusal {
  const char* name;
  const char* what;   // part of the message
  const char* where;  // part of the place
  std::function<void(Toy&)> break_it;
};
void PrintTo(const Refusal& refusal, std::ostream* out) {
  *out << refusal.name;
}

class Refuses : public testing::TestWithParam<Refusal> {};

TEST_P(Refuses, WithTheRuleAndThePlace) {
  Toy toy;
  GetParam().break_it(toy);
  const base::Result<Graph> graph = std::move(toy.b).build();
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().code, base::ErrorCode::input);
  EXPECT_NE(graph.error().what.find(GetParam().what), std::string::npos) << graph.error().what;
  EXPECT_NE(graph.error().where.find(GetParam().where), std::string::npos) << graph.error().where;
}

void add_backward(Toy& t, std::initializer_list<ValueId> reads, std::initializer_list<Output> writes) {
  t.b.add_op({.name = "last", .phase = Phase::backward}, reads, writes);
}

const Refusal kRefusals[] = {
    {"empty_op_name", "has no name", "op number 4",
     [](Toy& t) { t.b.add_op({.name = "", .phase = Phase::backward}, {}, {}); }},
    {"empty_value_name", "has no name", "value number 5", [](Toy& t) { t.b.add_value({.name = ""}); }},
    {"two_ops_of_one_name", "one name", "op 'f'",
     [](Toy& t) { t.b.add_op({.name = "f", .phase = Phase::backward}, {}, {}); }},
    {"two_values_of_one_name", "one name", "value 'da'", [](Toy& t) { t.b.add_value({.name = "da"}); }},
    {"two_blocks_of_one_name", "one name", "block 'b'",
     [](Toy& t) {
       t.b.add_block("b", "k");
       t.b.add_block("b", "k");
     }},
    {"negative_bytes", "bytes is negative", "value 'v'",
     [](Toy& t) { t.b.add_value({.name = "v", .bytes = Bytes{-1}}); }},
    {"bytes_too_large", "above 2^53", "value 'v'",
     [](Toy& t) { t.b.add_value({.name = "v", .bytes = Bytes::largest() + Bytes{1}}); }},
    {"bytes_too_large_together", "of all values", "value 'v'",
     [](Toy& t) { t.b.add_value({.name = "v", .bytes = Bytes::largest()}); }},
    {"negative_workspace", "workspace", "op 'last'",
     [](Toy& t) { t.b.add_op({.name = "last", .phase = Phase::backward, .workspace = Bytes{-1}}, {}, {}); }},
    {"flops_too_large", "flops", "op 'last'",
     [](Toy& t) {
       t.b.add_op({.name = "last", .phase = Phase::backward, .flops = Flops::largest() + Flops{1}}, {}, {});
     }},
    {"no_micro_steps", "micro_steps", "toy", [](Toy& t) { t.b.set_micro_steps(0); }},
    {"negative_tokens", "tokens_per_step", "toy", [](Toy& t) { t.b.set_tokens_per_step(-1); }},
    {"forward_after_backward", "phases", "op 'late'", [](Toy& t) { t.b.add_op({.name = "late"}, {}, {}); }},
    {"backward_after_optimizer", "phases", "op 'last'",
     [](Toy& t) {
       t.b.add_op({.name = "adam", .phase = Phase::optimizer}, {}, {});
       add_backward(t, {}, {});
     }},
    {"unknown_block", "unknown block", "op 'last'",
     [](Toy& t) { t.b.add_op({.name = "last", .phase = Phase::backward, .block = BlockId{7}}, {}, {}); }},
    {"block_without_forward", "without forward", "block 'b'",
     [](Toy& t) {
       t.b.add_op({.name = "last", .phase = Phase::backward, .block = t.b.add_block("b", "k")}, {}, {});
     }},
    {"read_of_unknown_value", "unknown value", "op 'last'",
     [](Toy& t) { add_backward(t, {ValueId{99}}, {}); }},
    {"read_before_write", "before it is written", "op 'last'",
     [](Toy& t) {
       const ValueId v = t.b.add_value({.name = "v"});
       add_backward(t, {v}, {{v}});
     }},
    {"written_twice", "second time", "op 'last'", [](Toy& t) { add_backward(t, {}, {{t.da}}); }},
    {"write_of_unknown_value", "unknown value", "op 'last'",
     [](Toy& t) { add_backward(t, {}, {{ValueId{99}}}); }},
    {"overwrites_unknown_value", "unknown value", "op 'last'",
     [](Toy& t) { add_backward(t, {}, {{t.b.add_value({.name = "v"}), ValueId{99}}}); }},
    {"overwrites_unread", "does not read", "op 'last'",
     [](Toy& t) { add_backward(t, {}, {{t.b.add_value({.name = "v", .bytes = Bytes{4}}), t.x}}); }},
    {"overwrites_another_size", "another size", "op 'last'",
     [](Toy& t) { add_backward(t, {t.x}, {{t.b.add_value({.name = "v", .bytes = Bytes{5}}), t.x}}); }},
    {"overwrites_another_storage", "another storage", "op 'last'",
     [](Toy& t) {
       const StorageId own = t.b.add_storage();
       const ValueId v = t.b.add_value({.name = "v", .bytes = Bytes{4}, .storage = own});
       add_backward(t, {t.x}, {{v, t.x}});
     }},
    {"overwrites_twice", "overwritten before", "op 'last'",
     [](Toy& t) {
       const ValueId v = t.b.add_value({.name = "v", .bytes = Bytes{4}});
       const ValueId w = t.b.add_value({.name = "w", .bytes = Bytes{4}});
       add_backward(t, {t.x}, {{v, t.x}, {w, t.x}});
     }},
    {"read_of_overwritten_input", "let go", "op 'last'",
     [](Toy& t) {
       const ValueId v = t.b.add_value({.name = "v", .bytes = Bytes{4}});
       t.b.add_op({.name = "x_", .phase = Phase::backward}, {t.x}, {{v, t.x}});
       add_backward(t, {t.x}, {});
     }},
    {"unknown_storage", "unknown storage", "value 'v'",
     [](Toy& t) { t.b.add_value({.name = "v", .storage = StorageId{99}}); }},
    {"storage_shared_without_replacing", "shares its storage", "value 'w'",
     [](Toy& t) {
       const StorageId shared = t.b.add_storage();
       t.b.add_value({.name = "v", .storage = shared});
       t.b.add_value({.name = "w", .storage = shared});
     }},
    {"held_until_unknown_op", "unknown op", "value 'a'", [](Toy& t) { t.b.set_held_until(t.a, OpId{99}); }},
    {"needed_until_unknown_op", "unknown op", "value 'a'",
     [](Toy& t) { t.b.set_needed_until(t.a, OpId{99}); }},
    {"let_go_before_written", "lets go before", "value 'da'", [](Toy& t) { t.b.set_held_until(t.da, t.g); }},
    {"not_holdable_read_too_late", "let go", "op 'f.grad'", [](Toy& t) { t.b.set_held_until(t.da, t.gg); }},
    {"input_read_too_late", "let go", "op 'f.grad'", [](Toy& t) { t.b.set_held_until(t.x, t.gg); }},
    {"decidable_read_without_trigger", "no trigger", "op 'adam'",
     [](Toy& t) {
       t.b.set_eager_triggers();
       t.b.add_op({.name = "adam", .phase = Phase::optimizer}, {t.a}, {});
     }},
};

INSTANTIATE_TEST_SUITE_P(Builder, Refuses, testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(Builder, RefusesBlocksThatAreNotContiguous) {
  GraphBuilder b("blocks", Origin::analytic);
  const BlockId block = b.add_block("layers.0", "layer");
  b.add_op({.name = "norm", .block = block}, {}, {});
  b.add_op({.name = "between"}, {}, {});
  b.add_op({.name = "mlp", .block = block}, {}, {});
  const base::Result<Graph> graph = std::move(b).build();
  ASSERT_FALSE(graph.has_value());
  EXPECT_NE(graph.error().what.find("not contiguous"), std::string::npos);
}

}  // namespace
}  // namespace worktop::graph
