#include "plan/transfers.h"

#include <algorithm>

#include "base/ensure.h"
#include "plan/replay.h"

namespace worktop::plan {
namespace {

std::int64_t copy_ns(const machine::Machine& machine, LinkId id, Bytes bytes) {
  const machine::Link& link = machine.links[id];
  return saturating_add(link.latency, link.bandwidth.time_for(bytes)).count();
}

// Places the trips of one call: knows the times of stages and the backlog of each link.
class Placer {
 public:
  Placer(const Graph& graph, const machine::Machine& machine, std::vector<std::int64_t> starts)
      : graph_(graph), machine_(machine), starts_(std::move(starts)) {}

  // The legs of a trip to `tier`, outward; empty where the machine has no way.
  [[nodiscard]] std::vector<LinkId> outward(Tier tier) const {
    if (const LinkId direct = machine_.link(Tier::device, tier); direct.exists()) return {direct};
    const LinkId first = machine_.link(Tier::device, Tier::host);
    const LinkId second = machine_.link(Tier::host, tier);
    if (tier == Tier::disk && first.exists() && second.exists()) return {first, second};
    return {};
  }

  void place_out(Trip& trip, std::vector<std::int64_t>& free) const {
    std::int64_t ready = starts_[static_cast<std::size_t>(trip.out_at)];
    std::int32_t gone = trip.out_at;
    for (const LinkId leg : outward(trip.tier)) {
      std::int64_t& link_free = free[leg.at()];
      ready = link_free = std::max(ready, link_free) + copy_ns(machine_, leg, graph_.value(trip.value).bytes);
      gone = trigger_at_or_after(ready, gone);
      if (gone < 0) gone = graph_.op_count();
      if (trip.release_at < 0)
        trip.release_at = gone;
      else
        trip.host_release_at = gone;
    }
  }

  // Backwards from `need`: `due[link]` is when the link must have finished what comes earlier.
  void place_in(Trip& trip, std::vector<std::int64_t>& due) const {
    std::int64_t deadline = starts_[static_cast<std::size_t>(trip.need)];
    std::int32_t latest = trip.need;
    for (const LinkId leg : outward(trip.tier)) {
      const LinkId back = machine_.opposite(leg);
      std::int64_t& link_due = due[back.at()];
      deadline = link_due =
          std::min(deadline, link_due) - copy_ns(machine_, back, graph_.value(trip.value).bytes);
      latest = trigger_at_or_before(deadline, latest);
      if (trip.in_at < 0)
        trip.in_at = latest;
      else
        trip.host_in_at = latest;
    }
  }

 private:
  [[nodiscard]] std::int32_t trigger_at_or_after(std::int64_t ns, std::int32_t from) const {
    auto it = std::lower_bound(starts_.begin() + from, starts_.end(), ns);
    for (; it != starts_.end(); ++it) {
      const auto boundary = static_cast<std::int32_t>(it - starts_.begin());
      if (graph_.is_trigger(boundary)) return boundary;
    }
    return -1;
  }
  [[nodiscard]] std::int32_t trigger_at_or_before(std::int64_t ns, std::int32_t from) const {
    const auto end = starts_.begin() + from + 1;
    auto boundary =
        static_cast<std::int32_t>(std::upper_bound(starts_.begin(), end, ns) - starts_.begin()) - 1;
    while (boundary > 0 && !graph_.is_trigger(boundary)) --boundary;
    return std::max(boundary, 0);
  }

  const Graph& graph_;
  const machine::Machine& machine_;
  std::vector<std::int64_t> starts_;
};

// Puts the boundaries of a disk trip that is staged on the host into order; says whether the trip is worth
// making.
bool settle(Trip& trip, bool staged) {
  if (staged) {
    trip.host_release_at = std::max(trip.host_release_at, trip.release_at);
    trip.host_in_at = std::max(trip.host_in_at, trip.host_release_at);
    trip.in_at = std::max(trip.in_at, trip.host_in_at);
  }
  trip.in_at = std::max(trip.in_at, trip.release_at);
  return trip.in_at <= trip.need && trip.release_at < trip.in_at &&
         (!staged || trip.host_release_at <= trip.host_in_at);
}

}  // namespace

std::vector<std::int64_t> stage_starts_ns(const Graph& graph, const Pace& pace, const Holding& holding) {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(graph.op_count()) + 1, 0);
  StageReplay replay(graph);
  for (std::int32_t t = 0; t < graph.op_count(); ++t) {
    const auto present = [&](ValueId v) { return holding.present(v, t); };
    replay.begin();
    for (ValueId v : graph.reads(OpId{t})) replay.need(v, present);
    base::Nanoseconds spent = pace[OpId{t}];
    for (OpId op : replay.ops()) spent = saturating_add(spent, pace[op]);
    starts[static_cast<std::size_t>(t) + 1] =
        saturating_add(base::Nanoseconds{starts[static_cast<std::size_t>(t)]}, spent).count();
  }
  return starts;
}

std::vector<Trip> place_trips(const Graph& graph, const machine::Machine& machine, const Pace& pace,
                              const std::vector<TripRequest>& requests, Holding& holding) {
  if (requests.empty()) return {};
  for (const TripRequest& r : requests) holding.hold(r.value, r.after + 1, r.need);
  const Placer placer(graph, machine, stage_starts_ns(graph, pace, holding));

  std::vector<TripRequest> order = requests;
  std::sort(order.begin(), order.end(), [](const TripRequest& a, const TripRequest& b) {
    return a.after != b.after ? a.after < b.after : a.value < b.value;
  });
  std::vector<Trip> trips;
  std::vector<std::int64_t> free(static_cast<std::size_t>(machine.links.size()), 0);
  for (const TripRequest& r : order) {
    if (placer.outward(r.tier).empty() || !graph.is_trigger(r.after + 1) || r.after + 1 >= r.need) continue;
    Trip trip{.value = r.value,
              .tier = r.tier,
              .out_at = r.after + 1,
              .release_at = -1,
              .in_at = -1,
              .need = r.need};
    placer.place_out(trip, free);
    trips.push_back(trip);
  }
  std::sort(trips.begin(), trips.end(), [](const Trip& a, const Trip& b) {
    return a.need != b.need ? a.need > b.need : a.value > b.value;
  });
  std::vector<std::int64_t> due(static_cast<std::size_t>(machine.links.size()), INT64_MAX);
  std::vector<Trip> worthwhile;
  for (Trip& trip : trips) {
    placer.place_in(trip, due);
    const bool staged = placer.outward(trip.tier).size() == 2;
    if (!settle(trip, staged)) continue;
    worthwhile.push_back(trip);
    holding.release(trip.value, trip.release_at + 1, trip.in_at);
  }
  std::reverse(worthwhile.begin(), worthwhile.end());
  return worthwhile;
}

}  // namespace worktop::plan
