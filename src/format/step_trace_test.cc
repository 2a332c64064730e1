#include "format/step_trace.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using graph::ValueId;

// mm reads weight 0 and input 1, writes 2; add_ changes 2 in place with the number 3; a view of 2; then
// backward reads 2 and writes 4, a gradient that stays, and 5, that goes at once.
constexpr std::string_view kToy = R"({"format":"step-trace","version":1,"name":"toy","ops":[
 {"name":"mm","time_ns":10,"reads":[0,1],"writes":[2],"mutates":[]},
 {"name":"add_","time_ns":20,"reads":[2,3],"writes":[],"mutates":[2]},
 {"name":"view","time_ns":1,"reads":[2],"writes":[],"mutates":[],"views":[2]},
 {"name":"mm","time_ns":30,"reads":[0,2],"writes":[4,5],"mutates":[]}],
 "storages":[{"bytes":100,"produced_by":-1,"freed_after":null},{"bytes":40,"produced_by":-1,"freed_after":3},
  {"bytes":60,"produced_by":0,"freed_after":3},{"bytes":8,"produced_by":-1,"freed_after":1},
  {"bytes":100,"produced_by":3,"freed_after":null},{"bytes":7,"produced_by":3,"freed_after":3}],
 "persistent":[0,1,3],"backward_starts_at":3,"sum_time_ns":61,"keep_all_peak_bytes":307})";

std::string with(std::string_view what, std::string_view instead) {
  return testing::with(kToy, what, instead);
}

base::Error error_of(std::string_view text) {
  return testing::error_of(read_graph_file(text), text);
}

ValueId named(const graph::Graph& g, std::string_view name) {
  for (const ValueId id : base::ids<ValueId>(g.value_count()))
    if (g.value(id).name == name) return id;
  ADD_FAILURE() << "no value " << name;
  return ValueId{0};
}

TEST(StepTrace, MeansWhatItsHeaderSays) {
  const auto file = read_graph_file(kToy);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  const graph::Graph& g = file->graph;
  EXPECT_EQ(file->durations->total(), Nanoseconds{61});
  EXPECT_EQ(g.op(OpId{0}).name, "mm#0");
  EXPECT_EQ(g.op(OpId{3}).name, "mm#1");
  EXPECT_EQ(g.op(OpId{2}).phase, graph::Phase::forward);
  EXPECT_EQ(g.op(OpId{3}).phase, graph::Phase::backward);
  // Two values before the step and four that ops write: the number is workspace.
  EXPECT_EQ(g.value_count(), 6);
  EXPECT_EQ(g.op(OpId{1}).workspace, Bytes{8});
  EXPECT_EQ(g.value(named(g, "storage#0")).kind, graph::ValueKind::weight);
  EXPECT_FALSE(g.value(named(g, "storage#0")).held_until.exists());
  EXPECT_EQ(g.value(named(g, "storage#1")).kind, graph::ValueKind::input);
  EXPECT_EQ(g.value(named(g, "storage#1")).held_until, OpId{3});
  const ValueId before = named(g, "mm#0/out#0");
  const ValueId after = named(g, "add_#0/out#0");
  EXPECT_EQ(g.overwritten_by(before), OpId{1});
  EXPECT_EQ(g.value(before).storage, g.value(after).storage);
  EXPECT_EQ(g.value(after).needed_until, OpId{3});
  EXPECT_EQ(g.readers(after).size(), 2U);  // the view and the backward op
  EXPECT_TRUE(g.decidable(after));
  EXPECT_EQ(g.value(named(g, "mm#1/out#0")).kind, graph::ValueKind::gradient);
  EXPECT_FALSE(g.value(named(g, "mm#1/out#0")).needed_until.exists());
  EXPECT_EQ(g.value(named(g, "mm#1/out#1")).kind, graph::ValueKind::temporary);
}

TEST(StepTrace, AMutatedPersistentStorageIsNeverReplayedAndStays) {
  const auto file = read_graph_file(
      with(R"("reads":[2,3],"writes":[],"mutates":[2])", R"("reads":[0,3],"writes":[],"mutates":[0])"));
  ASSERT_TRUE(file) << file.error().what;
  const graph::Graph& g = file->graph;
  EXPECT_TRUE(g.op(OpId{1}).flags.side_effect);
  const graph::Value& newer = g.value(named(g, "add_#0/out#0"));
  EXPECT_EQ(newer.kind, graph::ValueKind::weight);
  EXPECT_FALSE(newer.held_until.exists());
  EXPECT_FALSE(newer.holdable);
}

TEST(StepTrace, RandomOpsAreKnownByName) {
  const auto is_random = [](std::string_view name) {
    const auto file = read_graph_file(with("\"view\"", "\"" + std::string(name) + "\""));
    EXPECT_TRUE(file);
    return file && file->graph.op(OpId{2}).flags.random;
  };
  EXPECT_TRUE(is_random("native_dropout"));
  EXPECT_TRUE(is_random("bernoulli_"));
  EXPECT_TRUE(is_random("randn"));
  EXPECT_FALSE(is_random("native_dropout_backward"));
  EXPECT_FALSE(is_random("native_layer_norm"));
}

TEST(StepTrace, Refuses) {
  EXPECT_EQ(error_of(with("\"reads\":[0,2]", "\"reads\":[0,5]")).what,
            "storage 5 is used before it is produced");
  EXPECT_EQ(error_of(with("\"reads\":[0,2]", "\"reads\":[0,5]")).where, "5:39 ops[3].reads[1]");
  EXPECT_EQ(error_of(with("\"reads\":[0,2]", "\"reads\":[0,6]")).what, "6 is not between 0 and 5");
  EXPECT_EQ(error_of(with("\"produced_by\":0,\"freed_after\":3", "\"produced_by\":0,\"freed_after\":1")).what,
            "storage 2 is used after op 1 has freed it");
  EXPECT_EQ(error_of(with("\"writes\":[2]", "\"writes\":[0]")).what,
            "storage 0 is not produced here, or not first here");
  EXPECT_EQ(error_of(with("\"writes\":[4,5]", "\"writes\":[4]")).what,
            "storage 5 is produced by op 3, which does not write it");
  EXPECT_EQ(error_of(with("\"sum_time_ns\":61", "\"sum_time_ns\":60")).what,
            "states 60, but time_ns sums to 61");
  EXPECT_EQ(error_of(with("\"time_ns\":20", "\"time_ns\":-20")).what,
            "-20 is not between 0 and 9007199254740992");
  EXPECT_EQ(error_of(with("\"backward_starts_at\":3", "\"backward_starts_at\":5")).what,
            "5 is not between 0 and 4");
  EXPECT_FALSE(read_graph_file(with("\"mutates\":[2]", "\"mutates\":[2,2]")));  // the same storage twice
  EXPECT_FALSE(read_graph_file(with("\"ops\":[", "\"ops\":[],\"x\":[")));
}

}  // namespace
}  // namespace worktop::format
