// The `tensor-dag` kind of graph file: one output a node, as the logs of checkpointing solvers give them.
//
//   {"format": "tensor-dag", "version": 1, "name": ..., "time_unit": "0.01 ms", "bytes_unit": "KiB",
//    "fixed_kib": 187451, "loss": 153, "node_time": [...], "node_output_kib": [...], "edges": [[0, 1], ...],
//    "sum_time": 61047}
//
// What it means as a step graph:
//   - node ids are program order, so every edge goes to a larger id; nodes after `loss` are backward;
//   - what a node writes is held by the executor alone (ProgramHold::producer_only), and wanted until its
//   last
//     reader has run; forward nodes write activations, backward ones temporaries;
//   - `fixed_kib` (parameters and their gradients) is a value "fixed" of kind weight, resident for the whole
//   step;
//   - durations are node_time in units of 10,000 ns; `sum_time`, if stated, must be their sum;
//   - `node_workspace_kib` is ignored: the files' own reference solutions don't count it, and where
//   frameworks
//     re-use a buffer in place it is negative, which is not a size.
// Other keys are ignored.
#pragma once

#include "base/error.h"
#include "format/graph_file.h"
#include "format/json_cursor.h"

namespace worktop::format {

inline constexpr std::string_view kTensorDagFormat = "tensor-dag";

[[nodiscard]] base::Result<GraphFile> read_tensor_dag(const JsonObject& file);

}  // namespace worktop::format
