#include <string>

#include "advisor/asked.h"
#include "plan/legal.h"

namespace worktop::advisor {

base::Result<ExplainAnswer> explain(const Subject& subject, const plan::Plan& plan) {
  const graph::Graph& graph = subject.graph;
  WORKTOP_CHECK(plan::legal(graph, subject.machine, plan));
  const plan::MemoryProfile memory = plan::measure_memory(graph, subject.machine, plan);
  const simulator::Timeline timeline = simulator::simulate(graph, subject.machine, subject.durations, plan);
  return ExplainAnswer{.graph_name = graph.name(),
                       .machine_name = subject.machine.name,
                       .made_by = plan.made_by,
                       .peak = memory.peak[0],
                       .step_ns = timeline.step_ns,
                       .residents = memory.residents,
                       .peak_op = name_of_moment(graph, memory.peak_moment),
                       .at_peak = report::residents_at_peak(graph, plan, memory),
                       .reasons = report::reasons(graph, subject.machine, subject.durations, plan)};
}

}  // namespace worktop::advisor
