#include "cost/roofline.h"

#include <algorithm>

namespace worktop::cost {
namespace {

using base::BytesPerSecond;
using base::FlopsPerSecond;
using graph::Engine;
using graph::Op;
using machine::Machine;

FlopsPerSecond rate_of(const Op& op, const Machine& machine) {
  switch (op.engine) {
    case Engine::matmul:
      return machine.matmul_rate(op.dtype);
    case Engine::attention:
      return {machine.matmul_rate(op.dtype).per_second * machine.attention_efficiency};
    case Engine::vector:
      return machine.vector_rate;
  }
  return machine.vector_rate;
}

}  // namespace

Durations estimate(const graph::Graph& graph, const Machine& machine) {
  const BytesPerSecond bandwidth{machine.memory_bandwidth.per_second * machine.memory_efficiency};
  Durations durations;
  durations.op.reserve(graph.op_count());
  for (const graph::OpId id : base::ids<graph::OpId>(graph.op_count())) {
    const Op& op = graph.op(id);
    durations.op.push_back(
        std::max({machine.launch, rate_of(op, machine).time_for(op.flops), bandwidth.time_for(op.traffic)}));
  }
  return durations;
}

}  // namespace worktop::cost
