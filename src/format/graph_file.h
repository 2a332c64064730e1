// A step graph from a file of any kind: our own (graph_json.h), `tensor-dag` (tensor_dag.h) or `step-trace`
// (step_trace.h). The key "format" says which.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "cost/durations.h"
#include "graph/graph.h"

namespace worktop::format {

struct GraphFile {
  graph::Graph graph;
  std::optional<cost::Durations> durations;  // nullopt: a formula gives them
};

[[nodiscard]] base::Result<GraphFile> read_graph_file(std::string_view text);

}  // namespace worktop::format
