#include "plan/diff.h"

namespace worktop::plan {

using base::ids;

base::Result<Difference> diff(const Graph& graph, const Plan& first, const Plan& second) {
  for (const Plan* plan : {&first, &second})
    if (plan->graph != graph.hash() || plan->fates.size() != graph.value_count())
      return base::fail(base::ErrorCode::usage, "only plans of one graph can be compared value by value",
                        "plan by '" + plan->made_by + "' is not of graph '" + graph.name() + "'",
                        "lower both policies onto the same graph");
  Difference difference;
  for (const ValueId v : ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    const Fate from = first.fates[v];
    const Fate to = second.fates[v];
    if (from != to) difference.changes.push_back({v, value.name, value.bytes, from, to});
    if (from == to && !graph.decidable(v)) continue;
    Amount& amount = difference.moved[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
    ++amount.values;
    amount.bytes += value.bytes;
  }
  difference.same_actions = first.actions == second.actions;
  return difference;
}

}  // namespace worktop::plan
