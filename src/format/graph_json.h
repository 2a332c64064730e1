// Our own step-graph format.
//
//   {"format": "worktop-graph", "version": 1,
//    "graph": {
//      "name": "toy", "origin": "analytic" | "profile" | "trace", "micro_steps": 1, "tokens_per_step": 0,
//      "triggers": "every" | "eager", "storages": 3,
//      "blocks": [["layers.3", "decoder_layer"], ...],
//      "values": [{"name": "x", "kind": "activation", "bytes": 8, "storage": 0, "held_until": 4,
//                  "needed_until": 7, "holdable": true}, ...],
//      "ops": [{"name": "f", "kind": "linear", "phase": "forward", "block": 0, "engine": "matmul", "dtype":
//      "bf16",
//               "flops": 0, "traffic_bytes": 0, "workspace_bytes": 0, "flags": ["random"],
//               "reads": [0, 2], "writes": [3, [4, 2]]}, ...]},
//    "durations_ns": [12, ...]}
//
// Ops stand in program order. Values, ops, blocks and storages are named by their place in the list, from 0;
// a pair in `writes` is an in-place write: [new version, old version]. What is 0, false, empty or "none" may
// be left out. `held_until` and `needed_until` name ops; null is "to the end of the step". Where `held_until`
// is left out, `held` says the rule of GraphBuilder ("to_last_reader", the default, "to_last_forward_reader",
// "producer_only"); where `storage` is, the value gets one of its own. `durations_ns` has an entry per op.
//
// Every graph goes through GraphBuilder: what that refuses never leaves a reader. Written and read again, a
// graph is equal in all that its hash covers, and in flops, traffic, engines and dtypes.
#pragma once

#include <string>

#include "base/error.h"
#include "format/graph_file.h"
#include "format/json_cursor.h"
#include "format/json_writer.h"

namespace worktop::format {

inline constexpr std::string_view kGraphFormat = "worktop-graph";

// `file` is the whole object, {"format": ...}.
[[nodiscard]] base::Result<GraphFile> read_graph_json(const JsonObject& file);
[[nodiscard]] std::string write_graph_json(const graph::Graph& graph, const cost::Durations* durations);

// The inner object alone, as plan.json carries it.
[[nodiscard]] base::Result<graph::Graph> read_graph(const JsonObject& object);
void write_graph(JsonWriter& writer, const graph::Graph& graph);
[[nodiscard]] base::Result<cost::Durations> read_durations(JsonCursor at, std::int32_t op_count);
void write_durations(JsonWriter& writer, const cost::Durations& durations);

}  // namespace worktop::format
