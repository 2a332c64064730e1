// Plans as JSON. A plan.json carries its machine and its graph (or the hash of one that must be given), so
// that it can be explained and simulated alone.
//
//   {"format": "worktop-plan", "version": 1, "made_by": "search", "graph_hash": "9c3b41f05d2a7e68",
//    "fates": {"recompute": ["layers.0.mlp/act_fn/out#0", ...], "offload_host": [...], "offload_disk":
//    [...]}, "actions": [{"before": "layers.0.mlp/up_proj.grad",
//                 "do": [["recompute", "layers.0.mlp/act_fn"], ["drop", "VALUE", "device"],
//                        ["copy_out", "VALUE", "device", "host"], ["release", "VALUE", "device"],
//                        ["copy_in", "VALUE", "host", "device"]]}, ...],
//    "machine": {"format": "worktop-machine", ...}, "graph": {...}, "durations_ns": [...]}
//
// Ops and values go by name, links by the tiers they join. A value without a fate is kept. "actions" has the
// boundaries at which something is done, in program order; "before": null is the end of the step. "machine",
// "graph" (as in graph_json.h) and "durations_ns" may be left out.
//
// A plan that leaves the reader is legal on its graph and machine (plan/legal.h): of anything else the error
// has code illegal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cost/durations.h"
#include "format/json_writer.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "plan/plan.h"

namespace worktop::format {

inline constexpr std::string_view kPlanFormat = "worktop-plan";

struct PlanFile {
  plan::Plan plan;
  graph::Graph graph;
  machine::Machine machine;
  std::optional<cost::Durations> durations;
};

// `graph` and `machine` are used where the file has none, and ignored where it has; null: nothing is given.
[[nodiscard]] base::Result<PlanFile> read_plan_file(std::string_view text,
                                                    const graph::Graph* graph = nullptr,
                                                    const machine::Machine* machine = nullptr);

// What goes along with the plan; `durations` only with the graph.
struct PlanLuggage {
  bool graph = true;
  bool machine = true;
  const cost::Durations* durations = nullptr;
};
[[nodiscard]] std::string write_plan_file(const plan::Plan& plan, const graph::Graph& graph,
                                          const machine::Machine& machine, const PlanLuggage& luggage);
void write_plan(JsonWriter& writer, const plan::Plan& plan, const graph::Graph& graph,
                const machine::Machine& machine, const PlanLuggage& luggage);

// "9c3b41f05d2a7e68": sixteen hexadecimal digits.
[[nodiscard]] std::string print_hash(graph::GraphHash hash);

}  // namespace worktop::format
