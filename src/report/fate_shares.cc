#include "report/fate_shares.h"

#include <array>

namespace worktop::report {

using graph::OpId;
using graph::ValueId;
using plan::Fate;

std::vector<FateShare> fate_shares(const graph::Graph& graph, const cost::Durations& durations,
                                   const plan::Plan& plan, Nanoseconds recompute_ns, Nanoseconds stalled_ns) {
  constexpr std::array kFates{Fate::keep, Fate::recompute, Fate::offload_host, Fate::offload_disk};
  std::array<FateShare, kFates.size()> by_fate{};
  base::IdVector<OpId, std::uint8_t> counted(graph.op_count(), 0);
  Bytes all;
  for (const ValueId v : base::ids<ValueId>(graph.value_count())) {
    if (!graph.decidable(v) || graph.value(v).bytes <= Bytes{0}) continue;
    FateShare& share = by_fate[static_cast<std::size_t>(plan.fates[v])];
    ++share.count;
    share.bytes += graph.value(v).bytes;
    all += graph.value(v).bytes;
    const OpId producer = graph.value(v).producer;
    if (plan.fates[v] != Fate::keep || !graph.recomputable(v) || counted[producer] != 0) continue;
    counted[producer] = 1;
    share.ns = saturating_add(share.ns, durations[producer] * graph.micro_steps());
  }
  const Bytes away = by_fate[2].bytes + by_fate[3].bytes;
  std::vector<FateShare> shares;
  for (std::size_t i = 0; i < kFates.size(); ++i) {
    FateShare& share = by_fate[i];
    if (share.count == 0) continue;
    share.fate = kFates[i];
    share.share = ratio(share.bytes, all);
    if (share.fate == Fate::recompute) share.ns = recompute_ns;
    if (i >= 2)
      share.ns = Nanoseconds{static_cast<std::int64_t>(stalled_ns.as_double() * ratio(share.bytes, away))};
    shares.push_back(share);
  }
  return shares;
}

MainFate main_fate(const std::vector<FateShare>& shares) {
  Bytes recomputed, away;
  for (const FateShare& share : shares) {
    if (share.fate == Fate::recompute) recomputed += share.bytes;
    if (share.fate == Fate::offload_host || share.fate == Fate::offload_disk) away += share.bytes;
  }
  if (recomputed + away == Bytes{0}) return MainFate::keep;
  if (recomputed * 4 >= away && away * 4 >= recomputed) return MainFate::hybrid;
  return recomputed > away ? MainFate::recompute : MainFate::offload;
}

}  // namespace worktop::report
