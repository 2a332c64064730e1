#include "format/tensor_dag.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using graph::ValueId;

// 0 -> 1 -> 2 (loss) -> 3, and 0 -> 3: node 3 is backward and needs node 0's output.
constexpr std::string_view kToy = R"({"format":"tensor-dag","version":1,"name":"toy","time_unit":"0.01 ms",
  "bytes_unit":"KiB","fixed_kib":7,"loss":2,"node_time":[1,2,3,4],"node_output_kib":[10,20,0,5],
  "node_workspace_kib":[1,-20,0,0],"edges":[[0,1],[1,2],[0,3],[2,3]],"sum_time":10,"references":[]})";

std::string with(std::string_view what, std::string_view instead) {
  return testing::with(kToy, what, instead);
}

base::Error error_of(std::string_view text) {
  return testing::error_of(read_graph_file(text), text);
}

TEST(TensorDag, MeansWhatItsHeaderSays) {
  const auto file = read_graph_file(kToy);
  ASSERT_TRUE(file) << file.error().what << " " << file.error().where;
  const graph::Graph& g = file->graph;
  EXPECT_EQ(g.op_count(), 4);
  EXPECT_EQ(g.value_count(), 5);
  EXPECT_EQ(file->durations->total(), Nanoseconds{100'000});
  EXPECT_EQ(g.op(OpId{2}).phase, graph::Phase::forward);
  EXPECT_EQ(g.op(OpId{3}).phase, graph::Phase::backward);
  EXPECT_EQ(g.op(OpId{1}).workspace, Bytes{0});
  const graph::Value& first = g.value(ValueId{0});
  EXPECT_EQ(first.bytes, Bytes{10'240});
  EXPECT_EQ(first.kind, graph::ValueKind::activation);
  EXPECT_EQ(first.held_until, OpId{0});
  EXPECT_EQ(first.needed_until, OpId{3});
  EXPECT_TRUE(first.holdable);
  const graph::Value& last = g.value(ValueId{3});
  EXPECT_EQ(last.kind, graph::ValueKind::temporary);
  EXPECT_EQ(last.needed_until, OpId{3});  // nobody reads it
  const graph::Value& fixed = g.value(ValueId{4});
  EXPECT_EQ(fixed.bytes, Bytes{7'168});
  EXPECT_EQ(fixed.kind, graph::ValueKind::weight);
  EXPECT_FALSE(fixed.producer.exists());
  EXPECT_FALSE(fixed.held_until.exists());
}

TEST(TensorDag, Refuses) {
  EXPECT_EQ(error_of(with("[1,2]", "[2,1]")).what, "edge [2, 1] does not go forward");
  EXPECT_EQ(error_of(with("[1,2]", "[1,1]")).what, "edge [1, 1] does not go forward");
  EXPECT_EQ(error_of(with("[1,2]", "[1,4]")).what, "4 is not between 0 and 3");
  EXPECT_EQ(error_of(with("[1,2]", "[1]")).what, "is not a pair [producer, reader]");
  EXPECT_EQ(error_of(with("\"loss\":2", "\"loss\":4")).what, "4 is not between 0 and 3");
  EXPECT_EQ(error_of(with("KiB", "MiB")).hint, "write 'KiB'");
  EXPECT_EQ(error_of(with("[1,2,3,4]", "[1,2,3]")).what, "node_time has 3 entries, node_output_kib 4");
  EXPECT_EQ(error_of(with("[1,2,3,4]", "[1,2,3,5]")).what, "states 10, but node_time sums to 11");
  EXPECT_EQ(error_of(with("[10,20,0,5]", "[10,-20,0,5]")).where, "2:89 node_output_kib[1]");
  EXPECT_EQ(error_of(with("\"fixed_kib\":7", "\"fixed_kib\":1e30")).what, "1e30 is not a whole number");
  EXPECT_EQ(error_of(with("\"version\":1", "\"version\":3")).what, "version 3 of 'tensor-dag' is not known");
}

}  // namespace
}  // namespace worktop::format
