#include "graph/autograd.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace worktop::graph {
namespace {

using base::Dtype;
using Names = std::set<std::string>;

// A finished graph, asked by names.
struct Finished {
  explicit Finished(GraphBuilder builder) : graph(std::move(builder).build()) {
    EXPECT_TRUE(graph) << graph.error().what << " at " << graph.error().where;
    for (OpId id : base::ids<OpId>(graph->op_count())) ops[graph->op(id).name] = id;
  }
  [[nodiscard]] bool has(const std::string& op) const { return ops.contains(op); }
  [[nodiscard]] const Op& op(const std::string& name) const { return graph->op(ops.at(name)); }
  [[nodiscard]] Names reads(const std::string& op) const {
    Names names;
    for (ValueId id : graph->reads(ops.at(op))) names.insert(graph->value(id).name);
    return names;
  }
  // "new" or "new <- old" for each output.
  [[nodiscard]] Names writes(const std::string& op) const {
    Names names;
    for (const Output& out : graph->writes(ops.at(op)))
      names.insert(graph->value(out.value).name +
                   (out.overwrites.exists() ? " <- " + graph->value(out.overwrites).name : ""));
    return names;
  }
  [[nodiscard]] const Value& value(const std::string& name) const {
    for (ValueId id : base::ids<ValueId>(graph->value_count()))
      if (graph->value(id).name == name) return graph->value(id);
    ADD_FAILURE() << "no value " << name;
    return graph->value(ValueId{0});
  }

  base::Result<Graph> graph;
  std::map<std::string, OpId> ops;
};

struct Bench {
  explicit Bench(Accumulate accumulate = Accumulate::no) : tape(builder, accumulate) {
    builder.set_eager_triggers();
  }
  TensorId parameter(const std::string& name, std::int64_t n, bool trained = true) {
    return tape.parameter({name, n, Dtype::bf16}, trained);
  }
  TensorId product(const std::string& name, TensorId x, TensorId w, std::int64_t n = 8) {
    return tape.run_one({.name = name,
                         .kind = "linear",
                         .flops = Flops{100},
                         .reads = {x, w},
                         .writes = {{n, Dtype::bf16}},
                         .gradients = {{.of = x, .saved = {w}, .flops = Flops{10}},
                                       {.of = w, .saved = {x}, .flops = Flops{1}}}});
  }
  TensorId sum(const std::string& name, TensorId a, TensorId b, Dtype dtype = Dtype::bf16) {
    return tape.run_one({.name = name,
                         .kind = "add",
                         .reads = {a, b},
                         .writes = {{8, dtype}},
                         .gradients = {{.of = a, .passes = true}, {.of = b, .passes = true}}});
  }
  Finished finish(TensorId loss) {
    tape.backward(loss);
    return Finished(std::move(builder));
  }

  GraphBuilder builder{"toy", Origin::analytic};
  Tape tape;
};

// Two products in a row: each backward reads what its gradients need, and the gradient that came in.
TEST(Autograd, backward_reads_the_saved_and_the_incoming) {
  Bench b;
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId h = b.product("f", x, b.parameter("v", 4));
  const Finished g = b.finish(b.product("g", h, b.parameter("w", 4)));
  EXPECT_EQ(g.reads("g.grad"), (Names{"w", "f/out#0"}));  // the gradient of the last output is one
  EXPECT_EQ(g.writes("g.grad"), (Names{"g.grad/out#0", "w.grad"}));
  EXPECT_EQ(g.op("g.grad").flops, Flops{11});
  // x is an input of the step: no gradient, so that v is not read.
  EXPECT_EQ(g.reads("f.grad"), (Names{"x", "g.grad/out#0"}));
  EXPECT_EQ(g.writes("f.grad"), (Names{"v.grad"}));
  EXPECT_EQ(g.op("f.grad").flops, Flops{1});
  EXPECT_EQ(g.op("f.grad").kind, "linear.grad");
  EXPECT_EQ(g.value("w.grad").kind, ValueKind::gradient);
  EXPECT_FALSE(g.value("w.grad").held_until.exists());
  EXPECT_EQ(g.value("g.grad/out#0").kind, ValueKind::temporary);
  EXPECT_EQ(g.value("g.grad/out#0").held_until, g.ops.at("f.grad"));
}

// Bytes in and out: x 16 + w 8 + y 16 forward; backward of g reads w 8, h 16 and writes 16 + 8.
TEST(Autograd, traffic_is_bytes_in_and_out) {
  Bench b;
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId h = b.product("f", x, b.parameter("v", 4));
  const Finished g = b.finish(b.product("g", h, b.parameter("w", 4)));
  EXPECT_EQ(g.op("f").traffic, Bytes{40});
  EXPECT_EQ(g.op("g.grad").traffic, Bytes{48});
}

TEST(Autograd, a_frozen_weight_saves_no_input_and_needs_no_backward_below) {
  Bench b;
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId low = b.product("below", x, b.parameter("u", 4, false));
  const TensorId h = b.product("f", low, b.parameter("v", 4));
  const Finished g = b.finish(b.product("g", h, b.parameter("w", 4, false)));
  EXPECT_EQ(g.reads("g.grad"), (Names{"w"}));
  EXPECT_EQ(g.writes("g.grad"), (Names{"g.grad/out#0"}));
  EXPECT_EQ(g.reads("f.grad"), (Names{"below/out#0", "g.grad/out#0"}));
  EXPECT_FALSE(g.has("below.grad"));
}

// x feeds f1 and f2. The later one runs back first; the other adds to it in place, its summand is workspace.
TEST(Autograd, gradients_of_several_consumers_are_summed_in_place) {
  Bench b;
  const TensorId x = b.product("x", b.tape.input({"in", 8, Dtype::bf16}), b.parameter("u", 4));
  const TensorId y1 = b.product("f1", x, b.parameter("v1", 4));
  const TensorId y2 = b.product("f2", x, b.parameter("v2", 4));
  const Finished g = b.finish(b.product("g", b.sum("add", y1, y2), b.parameter("w", 4)));
  EXPECT_FALSE(g.has("add.grad"));  // its gradient is the incoming one, twice
  EXPECT_EQ(g.reads("f2.grad"), (Names{"x/out#0", "v2", "g.grad/out#0"}));
  EXPECT_EQ(g.writes("f2.grad"), (Names{"f2.grad/out#0", "v2.grad"}));
  EXPECT_EQ(g.writes("f1.grad"), (Names{"f1.grad/out#0 <- f2.grad/out#0", "v1.grad"}));
  EXPECT_EQ(g.op("f2.grad").workspace, Bytes{0});
  EXPECT_EQ(g.op("f1.grad").workspace, Bytes{16});
}

// y = x + f(x): the gradient of y is x's too, and f's backward still reads it while it adds: not in place.
TEST(Autograd, what_somebody_else_holds_is_not_overwritten) {
  Bench b;
  const TensorId x = b.product("x", b.tape.input({"in", 8, Dtype::bf16}), b.parameter("u", 4));
  const TensorId y = b.sum("add", x, b.product("f", x, b.parameter("v", 4)));
  const Finished g = b.finish(b.product("g", y, b.parameter("w", 4)));
  EXPECT_EQ(g.writes("f.grad"), (Names{"f.grad/out#0", "v.grad"}));
  EXPECT_EQ(g.reads("x.grad"), (Names{"in", "f.grad/out#0"}));
}

// With one more op in the branch nobody else holds it any more.
TEST(Autograd, the_gradient_of_a_residual_stream_is_updated_in_place) {
  Bench b;
  const TensorId x = b.product("x", b.tape.input({"in", 8, Dtype::bf16}), b.parameter("u", 4));
  const TensorId branch = b.product("f2", b.product("f1", x, b.parameter("v1", 4)), b.parameter("v2", 4));
  const Finished g = b.finish(b.product("g", b.sum("add", x, branch), b.parameter("w", 4)));
  EXPECT_EQ(g.writes("f1.grad"), (Names{"f1.grad/out#0 <- g.grad/out#0", "v1.grad"}));
}

TEST(Autograd, a_passing_gradient_is_cast_where_precisions_differ) {
  Bench b;
  const TensorId x = b.tape.parameter({"x", 8, Dtype::fp32}, true);
  const TensorId y = b.product("f", b.tape.input({"in", 8, Dtype::bf16}), b.parameter("v", 4));
  const TensorId s = b.sum("add", x, y, Dtype::fp32);
  const TensorId loss = b.tape.run_one(
      {.name = "loss", .kind = "loss", .reads = {s}, .writes = {{1, Dtype::fp32}}, .gradients = {{.of = s}}});
  const Finished g = b.finish(loss);
  EXPECT_EQ(g.reads("add.grad"), (Names{"loss.grad/out#0"}));
  EXPECT_EQ(g.writes("add.grad"), (Names{"x.grad", "add.grad/out#0"}));
  EXPECT_EQ(g.value("loss.grad/out#0").bytes, Bytes{32});
  EXPECT_EQ(g.value("add.grad/out#0").bytes, Bytes{16});
}

TEST(Autograd, accumulated_gradients_are_there_from_the_start) {
  Bench b(Accumulate::yes);
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId w = b.parameter("w", 4);
  const Finished g = b.finish(b.product("g", b.product("f", x, w), w));
  EXPECT_FALSE(g.value("w.grad").producer.exists());
  EXPECT_EQ(g.writes("g.grad"), (Names{"g.grad/out#0", "w.grad#1 <- w.grad"}));
  EXPECT_EQ(g.op("g.grad").workspace, Bytes{8});
  EXPECT_EQ(g.writes("f.grad"), (Names{"w.grad#2 <- w.grad#1"}));
  EXPECT_FALSE(g.value("w.grad#2").held_until.exists());
}

TEST(Autograd, parts_of_one_storage_are_one_value_whose_gradient_is_joined) {
  Bench b;
  const TensorId whole = b.product("qk", b.tape.input({"x", 4, Dtype::bf16}), b.parameter("w", 4), 8);
  const auto parts = b.tape.split("split", whole, {4, 4});
  const TensorId y = b.tape.run_one(
      {.name = "mul",
       .kind = "mul",
       .reads = {parts[0], parts[1]},
       .writes = {{4, Dtype::bf16}},
       .gradients = {{.of = parts[0], .saved = {parts[1]}}, {.of = parts[1], .saved = {parts[0]}}}});
  const Finished g = b.finish(y);
  EXPECT_EQ(g.reads("mul"), (Names{"qk/out#0"}));
  EXPECT_EQ(g.reads("mul.grad"), (Names{"qk/out#0"}));
  EXPECT_EQ(g.value("mul.grad/out#0").bytes, Bytes{8});
  EXPECT_EQ(g.reads("split.grad"), (Names{"mul.grad/out#0", "mul.grad/out#1"}));
  EXPECT_EQ(g.value("split.grad/out#0").bytes, Bytes{16});
  EXPECT_FALSE(g.has("split"));
}

// out#0 and the mask out#1 are saved by place; workspaces: the op's own 5 and the larger of 3 and 7.
TEST(Autograd, outputs_are_saved_by_place_and_workspaces_of_gradients_follow_each_other) {
  Bench b;
  const TensorId x = b.parameter("x", 8);
  const TensorId y = b.parameter("y", 8);
  const auto outs = b.tape.run({.name = "f",
                                .kind = "f",
                                .backward_flops = Flops{9},
                                .backward_workspace = Bytes{5},
                                .flags = {.random = true},
                                .reads = {x, y},
                                .writes = {{8, Dtype::bf16}, {8, Dtype::boolean, false}},
                                .gradients = {{.of = x, .saved_outputs = {0, 1}, .workspace = Bytes{3}},
                                              {.of = y, .workspace = Bytes{7}}}});
  EXPECT_TRUE(b.tape.requires_grad(outs[0]));
  EXPECT_FALSE(b.tape.requires_grad(outs[1]));
  const Finished g = b.finish(outs[0]);
  EXPECT_EQ(g.reads("f.grad"), (Names{"f/out#0", "f/out#1"}));
  EXPECT_EQ(g.op("f.grad").workspace, Bytes{12});
  EXPECT_EQ(g.op("f.grad").flops, Flops{9});
  EXPECT_FALSE(g.op("f").flags.replayable());
  EXPECT_EQ(g.value("f/out#1").bytes, Bytes{8});
}

TEST(Autograd, a_forward_op_may_compute_a_gradient_itself_and_is_then_not_replayed) {
  Bench b;
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId w = b.parameter("w", 4);
  const TensorId h = b.product("f", x, b.parameter("v", 4));
  const TensorId loss = b.tape.run_one({.name = "loss",
                                        .kind = "loss",
                                        .reads = {h, w},
                                        .writes = {{1, Dtype::fp32}, {8, Dtype::bf16, false}},
                                        .gradients = {{.of = h, .saved_outputs = {1}}},
                                        .gradients_now = {w}});
  const Finished g = b.finish(loss);
  EXPECT_EQ(g.writes("loss"), (Names{"loss/out#0", "loss/out#1", "w.grad"}));
  EXPECT_FALSE(g.op("loss").flags.replayable());
  EXPECT_EQ(g.reads("loss.grad"), (Names{"loss/out#1"}));
}

TEST(Autograd, a_branch_that_the_loss_does_not_see_has_no_backward) {
  Bench b;
  const TensorId x = b.tape.input({"x", 8, Dtype::bf16});
  const TensorId h = b.product("f", x, b.parameter("v", 4));
  (void)b.product("unused", h, b.parameter("u", 4));
  const Finished g = b.finish(b.product("g", h, b.parameter("w", 4)));
  EXPECT_FALSE(g.has("unused.grad"));
  EXPECT_TRUE(g.has("f.grad"));
}

}  // namespace
}  // namespace worktop::graph
