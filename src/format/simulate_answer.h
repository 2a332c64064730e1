// What `simulate` shows of a played plan: as one JSON object (format "worktop-answer-simulate", version 1;
// docs/schema/simulate.schema.json) and for people. The whole timeline is in the trace (format/trace.h).
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "simulator/simulate.h"

namespace worktop::format {

// The references must outlive the call.
struct Simulated {
  const graph::Graph& graph;
  const machine::Machine& machine;
  const plan::Plan& plan;
  const simulator::Timeline& timeline;
  std::optional<double> tokens_per_s;
};

[[nodiscard]] std::string simulate_json(const Simulated& simulated);
[[nodiscard]] std::string simulate_text(const Simulated& simulated);

}  // namespace worktop::format
