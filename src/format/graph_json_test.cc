#include "format/graph_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "format/testing.h"
#include "support/random_graph.h"

namespace worktop::format {
namespace {

using base::Error;
using graph::OpId;
using graph::ValueId;

// A step of two ops: x -> f -> y -> g (backward), with y kept for backward by the executor.
constexpr std::string_view kToy = R"({"format":"worktop-graph","version":1,"graph":{
  "name":"toy","origin":"profile","micro_steps":2,"tokens_per_step":64,"blocks":[["layers.0","layer"]],
  "values":[{"name":"x","kind":"input","bytes":4},
            {"name":"y","bytes":8,"holdable":true,"held":"to_last_forward_reader"},
            {"name":"z","kind":"temporary","bytes":2}],
  "ops":[{"name":"f","kind":"linear","block":0,"engine":"matmul","dtype":"bf16","flops":7,"traffic_bytes":12,
          "workspace_bytes":3,"flags":["random","discrete"],"reads":[0],"writes":[1]},
         {"name":"g","phase":"backward","block":0,"reads":[1],"writes":[2]}]},
 "durations_ns":[5,6]})";

Error error_of(std::string_view text) {
  return testing::error_of(read_graph_file(text), text);
}

std::string with(std::string_view what, std::string_view instead) {
  return testing::with(kToy, what, instead);
}

TEST(GraphJson, ReadsEveryField) {
  const auto file = read_graph_file(kToy);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  const graph::Graph& g = file->graph;
  EXPECT_EQ(g.name(), "toy");
  EXPECT_EQ(g.origin(), graph::Origin::profile);
  EXPECT_EQ(g.micro_steps(), 2);
  EXPECT_EQ(g.tokens_per_step(), 64);
  EXPECT_EQ(g.block(graph::BlockId{0}).kind, "layer");
  const graph::Op& f = g.op(OpId{0});
  EXPECT_EQ(f.kind, "linear");
  EXPECT_EQ(f.engine, graph::Engine::matmul);
  EXPECT_EQ(f.dtype, base::Dtype::bf16);
  EXPECT_EQ(f.flops, base::Flops{7});
  EXPECT_EQ(f.traffic, base::Bytes{12});
  EXPECT_EQ(f.workspace, base::Bytes{3});
  EXPECT_TRUE(f.flags.random && f.flags.discrete && !f.flags.opaque);
  EXPECT_EQ(g.op(OpId{1}).phase, graph::Phase::backward);
  const graph::Value& y = g.value(ValueId{1});
  EXPECT_EQ(y.kind, graph::ValueKind::activation);
  EXPECT_EQ(y.producer, OpId{0});
  EXPECT_EQ(y.held_until, OpId{0});  // no forward op reads it
  EXPECT_EQ(y.needed_until, OpId{1});
  EXPECT_TRUE(g.decidable(ValueId{1}));
  EXPECT_EQ(file->durations->total(), base::Nanoseconds{11});
}

void expect_round_trip(const graph::Graph& graph, const cost::Durations* durations) {
  const std::string text = write_graph_json(graph, durations);
  const auto file = read_graph_file(text);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  EXPECT_EQ(file->graph.hash(), graph.hash());
  EXPECT_EQ(file->durations.has_value(), durations != nullptr);
  EXPECT_EQ(write_graph_json(file->graph, file->durations ? &*file->durations : nullptr), text);
}

RC_GTEST_PROP(GraphJson, RandomStepsComeBackTheSame, (std::uint64_t seed)) {
  for (const auto flavour :
       {test::Flavour::eager, test::Flavour::every_boundary, test::Flavour::tensor_dag}) {
    const test::Case c = test::random_case({.seed = seed, .size = 8}, {.flavour = flavour, .in_place = 40});
    expect_round_trip(c.graph, &c.durations);
    expect_round_trip(c.graph, nullptr);
  }
}

TEST(GraphJson, ErrorsNameThePlace) {
  EXPECT_EQ(error_of(with("\"reads\":[1]", "\"reads\":[9]")).where, "8:60 graph.ops[1].reads[0]");
  EXPECT_EQ(error_of(with("\"reads\":[1]", "\"reads\":[9]")).what, "9 is not between 0 and 2");
  EXPECT_EQ(error_of(with("\"bytes\":8", "\"bytes\":-8")).what, "-8 is not between 0 and 9007199254740992");
  EXPECT_EQ(error_of(with("\"bytes\":8", "\"byte\":8")).hint, "did you mean 'bytes'?");
  EXPECT_EQ(error_of(with("\"linear\"", "null,\"phase\":\"foreward\"")).hint, "did you mean 'forward'?");
  EXPECT_EQ(error_of(with("\"random\"", "\"rando\"")).hint, "did you mean 'random'?");
  EXPECT_EQ(error_of(with("\"version\":1", "\"version\":2")).what,
            "version 2 of 'worktop-graph' is not known");
  EXPECT_EQ(error_of(with("worktop-graph", "worktop-grph")).hint, "did you mean 'worktop-graph'?");
  EXPECT_EQ(error_of(with("[5,6]", "[5]")).what, "has 1 entries for 2 ops");
  EXPECT_EQ(error_of(with("[5,6]", "[5,NaN]")).code, base::ErrorCode::input);
  EXPECT_EQ(error_of(with("\"block\":0,\"engine\"", "\"block\":1,\"engine\"")).where,
            "6:46 graph.ops[0].block");
}

TEST(GraphJson, WhatTheBuilderRefusesIsRefusedHere) {
  EXPECT_EQ(error_of(with("\"name\":\"g\"", "\"name\":\"f\"")).what, "two of one name");
  // A cycle: f reads what g writes later.
  EXPECT_EQ(error_of(with("\"reads\":[0]", "\"reads\":[2]")).what, "reads value 'z' before it is written");
  EXPECT_FALSE(read_graph_file(with("\"writes\":[2]", "\"writes\":[1]")));  // written twice
  EXPECT_FALSE(
      read_graph_file(with("\"writes\":[2]", "\"writes\":[[2,0]]")));  // in place of what it does not read
  EXPECT_FALSE(read_graph_file(with("\"bytes\":4", "\"bytes\":9007199254740992")));  // the sum is too large
}

TEST(GraphJson, NonsenseIsAnError) {
  for (const char* text : {"[]", "{}", "3", "null", R"({"format":3})", R"({"format":"worktop-graph"})",
                           R"({"format":"worktop-graph","version":1})",
                           R"({"format":"worktop-graph","version":1,"graph":{"name":"x"}})",
                           R"({"format":"worktop-graph","version":"1","graph":{}})"})
    EXPECT_EQ(error_of(text).code, base::ErrorCode::input) << text;
}

}  // namespace
}  // namespace worktop::format
