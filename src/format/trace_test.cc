#include "format/trace.h"

#include <gtest/gtest.h>

#include <string>

#include "format/json_cursor.h"
#include "graph/builder.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using graph::ValueId;

TEST(Trace, HasLanesSpansAndTheMemoryCounter) {
  graph::GraphBuilder b("toy", graph::Origin::trace);
  const ValueId y = b.add_value({.name = "y", .bytes = Bytes{8}, .holdable = true});
  b.add_op({.name = "f", .kind = "k"}, {}, {{y}});
  const graph::Graph g = *std::move(b).build();
  machine::Machine m;
  m.name = "m";
  m.links.push_back({.from = machine::Tier::host, .to = machine::Tier::device});
  simulator::Timeline timeline;
  timeline.runs = {
      {.op = OpId{0}, .start = Nanoseconds{1}, .end = Nanoseconds{1500}, .device_bytes = Bytes{8}},
      {.op = OpId{0}, .recompute = true, .start = Nanoseconds{2000}, .end = Nanoseconds{2001}}};
  timeline.copies = {{.value = y,
                      .link = machine::LinkId{0},
                      .issued = Nanoseconds{1500},
                      .start = Nanoseconds{1501},
                      .end = Nanoseconds{2000}}};
  timeline.stalls = {{.start = Nanoseconds{1500}, .end = Nanoseconds{2000}, .copy = 0, .before = OpId{0}}};

  const std::string text = write_trace(g, m, timeline);
  const auto has = [&](std::string_view part) {
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  };
  has(R"({"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "worktop: toy on m"}})");
  has(R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": 3, "args": {"name": "host to device"}})");
  has(R"({"ph": "X", "name": "f", "pid": 1, "tid": 1, "cat": "compute", "ts": 0.001, "dur": 1.499, "args": )");
  has(R"({"ph": "C", "name": "device memory", "pid": 1, "tid": 0, "ts": 0.001, "args": {"bytes": 8}})");
  has(R"("name": "recompute f")");
  has(R"({"ph": "X", "name": "wait for y", "pid": 1, "tid": 2, "cat": "wait", "ts": 1.5, "dur": 0.5, )");
  has(R"({"ph": "X", "name": "y", "pid": 1, "tid": 3, "cat": "copy_in", "ts": 1.501, "dur": 0.499, )");
  EXPECT_TRUE(JsonDocument::parse(text));
}

}  // namespace
}  // namespace worktop::format
