#include "solver/offload.h"

#include <algorithm>

#include "plan/hold.h"
#include "solver/evaluation.h"

namespace worktop::solver {
namespace {

using graph::OpId;
using graph::ValueId;
using machine::Tier;

struct Candidate {
  plan::TripRequest trip;
  std::int64_t bytes = 0;
  std::int64_t recompute_ns = 0;
};

// By time to recompute a byte.
void sort_dearest_first(std::vector<Candidate>& list) {
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return static_cast<double>(a.recompute_ns) * static_cast<double>(b.bytes) >
           static_cast<double>(b.recompute_ns) * static_cast<double>(a.bytes);
  });
}

// Every activation that offload_all would send.
std::vector<Candidate> candidates(const Problem& problem) {
  base::IdVector<ValueId, plan::Fate> fates(problem.graph.value_count(), plan::Fate::keep);
  for (ValueId v : base::ids<ValueId>(problem.graph.value_count()))
    if (problem.graph.decidable(v)) fates[v] = plan::Fate::offload_host;
  std::vector<Candidate> list;
  for (const plan::TripRequest& trip : plan::hold(problem.graph, fates, plan::Replay::hold).trips) {
    const graph::Value& value = problem.graph.value(trip.value);
    const bool replayable = problem.graph.recomputable(trip.value);
    const std::int64_t ns = replayable ? problem.durations[value.producer].count() : INT64_MAX / 4;
    list.push_back({trip, value.bytes.count(), ns});
  }
  return list;
}

// Bytes that a way out and back can carry while forward and backward compute, and the tier can hold.
class Capacity {
 public:
  explicit Capacity(const Problem& problem) : problem_(problem) {
    for (OpId op : base::ids<OpId>(problem.graph.op_count())) {
      if (problem.graph.op(op).phase == graph::Phase::forward) forward_ns_ += problem.durations[op].count();
      if (problem.graph.op(op).phase == graph::Phase::backward) backward_ns_ += problem.durations[op].count();
    }
  }

  [[nodiscard]] std::int64_t of(Tier tier) const {
    const auto& machine = problem_.machine;
    if (!machine.has_tier(tier)) return 0;
    std::int64_t least = INT64_MAX;
    const bool direct = machine.link(Tier::device, tier).exists();
    if (!direct) least = std::min(carried(Tier::device, Tier::host), carried(Tier::host, tier));
    if (direct) least = carried(Tier::device, tier);
    if (const auto& budget = problem_.budgets.of(tier)) least = std::min(least, budget->count());
    return least;
  }

 private:
  [[nodiscard]] std::int64_t carried(Tier upper, Tier lower) const {
    const machine::LinkId out = problem_.machine.link(upper, lower),
                          back = problem_.machine.link(lower, upper);
    if (!out.exists() || !back.exists()) return 0;
    const double seconds_out = static_cast<double>(forward_ns_) / 1e9;
    const double seconds_back = static_cast<double>(backward_ns_) / 1e9;
    return static_cast<std::int64_t>(
        std::min(problem_.machine.links[out].bandwidth.per_second * seconds_out,
                 problem_.machine.links[back].bandwidth.per_second * seconds_back));
  }
  const Problem& problem_;
  std::int64_t forward_ns_ = 0, backward_ns_ = 0;
};

bool worth_a_copy(const Problem& problem, const Candidate& c, Tier tier) {
  const machine::LinkId direct = problem.machine.link(Tier::device, tier);
  const machine::LinkId first = direct.exists() ? direct : problem.machine.link(Tier::device, Tier::host);
  return first.exists() && c.bytes >= problem.machine.links[first].smallest.count();
}

// The candidates in their order, as many as a share of the links can carry and the tiers can hold.
std::vector<plan::TripRequest> fill_links(const Problem& problem, std::vector<Candidate> list,
                                          std::int32_t share_permille) {
  const Capacity capacity(problem);
  std::vector<plan::TripRequest> requests;
  std::vector<std::uint8_t> taken(list.size(), 0);
  for (const Tier tier : {Tier::host, Tier::disk}) {
    const std::int64_t whole = capacity.of(tier);
    std::int64_t left = static_cast<std::int64_t>(static_cast<double>(whole) * share_permille / 1000.0);
    if (const auto& budget = problem.budgets.of(tier)) left = std::min(left, budget->count());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (taken[i] || list[i].bytes > left || !worth_a_copy(problem, list[i], tier)) continue;
      taken[i] = 1;
      left -= list[i].bytes;
      list[i].trip.tier = tier;
      requests.push_back(list[i].trip);
    }
  }
  return requests;
}

}  // namespace

std::vector<plan::TripRequest> offload_requests(const Problem& problem, OffloadOrder order,
                                                std::int32_t share_permille) {
  std::vector<Candidate> list = candidates(problem);
  if (order == OffloadOrder::dearest_first)
    sort_dearest_first(list);
  else
    std::stable_sort(list.begin(), list.end(),
                     [](const Candidate& a, const Candidate& b) { return a.trip.after < b.trip.after; });
  return fill_links(problem, std::move(list), share_permille);
}

std::vector<plan::TripRequest> trips_for_replays(const Problem& problem, const plan::Holding& holding,
                                                 std::int32_t share_permille) {
  const Graph& graph = problem.graph;
  Evaluation state(graph, problem.durations, holding, {}, Bytes{INT64_MAX / 4});
  std::vector<Candidate> list;
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    if (!state.movable(v)) continue;
    plan::TripRequest trip{.value = v};
    std::int32_t after = graph.value(v).producer.index();
    for (std::int32_t need = state.touch_from(v, after + 1); need < state.stage_count();
         after = need, need = state.touch_from(v, need + 1))
      if (!state.holding().present(v, need) && need - after > trip.need - trip.after)
        trip.after = after, trip.need = need;
    if (trip.need - trip.after < 2) continue;
    const std::int64_t before = state.replay_ns();
    state.hold(v, trip.after + 1, trip.need);
    state.settle();
    const std::int64_t saved = before - state.replay_ns();
    state.undo();
    if (saved > 0) list.push_back({trip, graph.value(v).bytes.count(), saved});
  }
  sort_dearest_first(list);
  return fill_links(problem, std::move(list), share_permille);
}

}  // namespace worktop::solver
