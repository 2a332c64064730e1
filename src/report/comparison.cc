#include "report/comparison.h"

namespace worktop::report {
namespace {

double saved(Bytes old_bytes, Bytes new_bytes) {
  return old_bytes.count() > 0 ? 1 - ratio(new_bytes, old_bytes) : 0;
}

}  // namespace

Against against(const Sample& keep_all, const Sample& sample, Nanoseconds forward_ns) {
  return {.r_mem = saved(keep_all.activations, sample.activations),
          .r_mem_total = saved(keep_all.peak, sample.peak),
          .r_cost = forward_ns.count() > 0 ? ratio(sample.step_ns - keep_all.step_ns, forward_ns) : 0};
}

Nanoseconds forward_time(const graph::Graph& graph, const cost::Durations& durations) {
  Nanoseconds sum{0};
  for (const graph::OpId op : base::ids<graph::OpId>(graph.op_count()))
    if (graph.op(op).phase == graph::Phase::forward) sum = saturating_add(sum, durations[op]);
  return saturating_mul(sum, graph.micro_steps());
}

}  // namespace worktop::report
