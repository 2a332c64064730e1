#include "solver/bounds.h"

#include <algorithm>

#include "plan/holding.h"

namespace worktop::solver {

using graph::OpId;
using graph::ValueId;

Nanoseconds first_runs_ns(const Problem& problem) {
  Nanoseconds sum{0};
  for (OpId op : base::ids<OpId>(problem.graph.op_count())) {
    const bool once = problem.graph.op(op).phase == graph::Phase::optimizer;
    sum = saturating_add(sum, saturating_mul(problem.durations[op], once ? 1 : problem.graph.micro_steps()));
  }
  return sum;
}

base::IdVector<OpId, Bytes> needed_by_ops(const Graph& graph) {
  base::IdVector<OpId, Bytes> needs(graph.op_count(), Bytes{0});
  std::vector<Bytes> held(static_cast<std::size_t>(graph.op_count()) + 1,
                          Bytes{0});  // by the program, at each op
  std::vector<Bytes> starts(held.size(), Bytes{0}), ends(held.size(), Bytes{0});
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const plan::ProgramWindow window = plan::program_window(graph, v);
    if (window.last < window.first) continue;
    starts[static_cast<std::size_t>(window.first)] += graph.value(v).bytes;
    if (window.last < graph.op_count())
      ends[static_cast<std::size_t>(window.last) + 1] += graph.value(v).bytes;
  }
  Bytes now{0};
  for (OpId op : base::ids<OpId>(graph.op_count())) {
    now += starts[op.at()] - ends[op.at()];
    Bytes need = now + graph.op(op).workspace;
    for (ValueId v : graph.reads(op))
      if (!plan::program_window(graph, v).holds(op.index())) need += graph.value(v).bytes;
    for (const graph::Output& out : graph.writes(op))
      if (!out.overwrites.exists()) need += graph.value(out.value).bytes;
    needs[op] = need;
  }
  return needs;
}

Bytes least_possible_peak(const Graph& graph) {
  Bytes least{0};
  for (const Bytes need : needed_by_ops(graph)) least = std::max(least, need);
  return least;
}

}  // namespace worktop::solver
