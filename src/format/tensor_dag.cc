#include "format/tensor_dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/builder.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;
using base::Status;
using graph::GraphBuilder;
using graph::OpId;
using graph::Phase;
using graph::ValueId;
using graph::ValueKind;

constexpr std::int64_t kTick = 10'000;  // ns in 0.01 ms
constexpr std::int64_t kMostKib = Bytes::largest().count() / 1024;
constexpr std::int64_t kMostTicks = Nanoseconds::largest().count() / kTick;

struct Edge {
  std::int32_t to, from;
  auto operator<=>(const Edge&) const = default;
};

Status has_unit(const JsonObject& file, std::string_view key, std::string_view unit) {
  WORKTOP_TRY(const JsonCursor at, file.at(key));
  WORKTOP_TRY(const std::string_view stated, at.string());
  if (stated != unit)
    return at.fail(fmt::format("unit '{}' is not known here", stated.substr(0, 40)),
                   fmt::format("write '{}'", unit));
  return {};
}

Result<std::vector<std::int64_t>> read_column(const JsonObject& file, std::string_view key,
                                              std::int64_t most) {
  WORKTOP_TRY(const JsonArray list, file.array(key));
  if (list.count() > graph::kMaxOps)
    return list.cursor().fail(fmt::format("has more than {} entries", graph::kMaxOps));
  std::vector<std::int64_t> column;
  for (const JsonCursor item : list) {
    WORKTOP_TRY(const std::int64_t number, item.integer(0, most));
    column.push_back(number);
  }
  return column;
}

// Sorted by reader.
Result<std::vector<Edge>> read_edges(const JsonObject& file, std::int64_t nodes) {
  WORKTOP_TRY(const JsonArray list, file.array("edges"));
  std::vector<Edge> edges;
  for (const JsonCursor item : list) {
    WORKTOP_TRY(const JsonArray pair, item.array());
    if (pair.count() != 2) return item.fail("is not a pair [producer, reader]");
    auto it = pair.begin();
    WORKTOP_TRY(const std::int64_t from, (*it).integer(0, nodes - 1));
    WORKTOP_TRY(const std::int64_t to, (*++it).integer(0, nodes - 1));
    if (from >= to)
      return item.fail(fmt::format("edge [{}, {}] does not go forward", from, to),
                       "number the nodes in the order in which they run");
    edges.push_back({static_cast<std::int32_t>(to), static_cast<std::int32_t>(from)});
  }
  std::ranges::sort(edges);
  return edges;
}

Status check_sum(const JsonObject& file, const std::vector<std::int64_t>& ticks) {
  const auto at = file.find_set("sum_time");
  if (!at) return {};
  WORKTOP_TRY(const std::int64_t stated, at->integer(0, INT64_MAX));
  std::int64_t sum = 0;  // at most 2^20 entries below 2^40
  for (const std::int64_t t : ticks) sum += t;
  if (sum != stated) return at->fail(fmt::format("states {}, but node_time sums to {}", stated, sum));
  return {};
}

}  // namespace

Result<GraphFile> read_tensor_dag(const JsonObject& file) {
  WORKTOP_CHECK(file.is_format(kTensorDagFormat, 1));
  WORKTOP_CHECK(has_unit(file, "time_unit", "0.01 ms"));
  WORKTOP_CHECK(has_unit(file, "bytes_unit", "KiB"));
  WORKTOP_TRY(std::string name, file.string("name"));
  WORKTOP_TRY(const std::int64_t fixed_kib, file.integer_or("fixed_kib", 0, 0, kMostKib));
  WORKTOP_TRY(const std::vector<std::int64_t> ticks, read_column(file, "node_time", kMostTicks));
  WORKTOP_TRY(const std::vector<std::int64_t> kib, read_column(file, "node_output_kib", kMostKib));
  const auto nodes = static_cast<std::int64_t>(ticks.size());
  if (ticks.size() != kib.size())
    return file.cursor().fail(fmt::format("node_time has {} entries, node_output_kib {}", nodes, kib.size()));
  if (nodes == 0) return file.cursor().fail("has no nodes");
  WORKTOP_TRY(const std::int64_t loss, file.integer("loss", 0, nodes - 1));
  WORKTOP_TRY(const std::vector<Edge> edges, read_edges(file, nodes));
  WORKTOP_CHECK(check_sum(file, ticks));

  GraphBuilder builder(std::move(name), graph::Origin::trace);
  cost::Durations durations;
  auto edge = edges.begin();
  std::vector<ValueId> reads;
  for (std::int64_t i = 0; i < nodes; ++i) {
    const bool forward = i <= loss;
    const auto row = static_cast<std::size_t>(i);
    const ValueId output = builder.add_value({.name = fmt::format("node#{}/out#0", i),
                                              .kind = forward ? ValueKind::activation : ValueKind::temporary,
                                              .bytes = Bytes{kib[row] * 1024},
                                              .holdable = true},
                                             graph::ProgramHold::producer_only);
    // Values are added in the order of nodes: value i is what node i writes.
    for (reads.clear(); edge != edges.end() && edge->to == i; ++edge) reads.push_back(ValueId{edge->from});
    const graph::Output writes[] = {{output}};
    builder.add_op({.name = fmt::format("node#{}", i),
                    .kind = "node",
                    .phase = forward ? Phase::forward : Phase::backward},
                   reads, writes);
    durations.op.push_back(Nanoseconds{ticks[row] * kTick});
  }
  if (fixed_kib > 0)
    builder.add_value({.name = "fixed", .kind = ValueKind::weight, .bytes = Bytes{fixed_kib * 1024}});
  WORKTOP_TRY(graph::Graph graph, std::move(builder).build());
  return GraphFile{std::move(graph), std::move(durations)};
}

}  // namespace worktop::format
