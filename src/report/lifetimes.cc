#include "report/lifetimes.h"

namespace worktop::report {
namespace {

// Buffers of one value, by tier: while it is recomputed though it is resident, there are two on the device.
struct Buffers {
  std::int32_t device = 0, below = 0;
  Nanoseconds since{0};
  [[nodiscard]] Whereabouts where() const {
    if (device > 0) return Whereabouts::device;
    return below > 0 ? Whereabouts::away : Whereabouts::gone;
  }
};

void append(std::vector<Stay>& stays, const Stay& stay) {
  if (stay.from == stay.to) return;
  if (stays.empty() && stay.where == Whereabouts::gone) return;  // not born yet
  if (!stays.empty() && stays.back().where == stay.where && stays.back().to == stay.from)
    stays.back().to = stay.to;
  else
    stays.push_back(stay);
}

}  // namespace

base::IdVector<ValueId, std::vector<Stay>> lifetimes(const graph::Graph& graph,
                                                     std::span<const MemoryChange> changes, Nanoseconds end) {
  base::IdVector<ValueId, std::vector<Stay>> all(graph.value_count());
  base::IdVector<ValueId, Buffers> buffers(graph.value_count());
  const auto weighs = [&](ValueId v) { return graph.decidable(v) && graph.value(v).bytes > Bytes{0}; };
  for (const MemoryChange& change : changes) {
    if (!change.value.exists() || !weighs(change.value)) continue;
    Buffers& now = buffers[change.value];
    append(all[change.value], {now.since, change.at, now.where()});
    now.since = change.at;
    (change.tier == Tier::device ? now.device : now.below) += change.bytes > Bytes{0} ? 1 : -1;
  }
  for (const ValueId v : base::ids<ValueId>(graph.value_count()))
    if (weighs(v) && buffers[v].where() != Whereabouts::gone)
      append(all[v], {buffers[v].since, end, buffers[v].where()});
  return all;
}

}  // namespace worktop::report
