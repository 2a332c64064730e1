#include "plan/lower.h"

#include <algorithm>
#include <span>

#include "base/ensure.h"
#include "plan/replay.h"

namespace worktop::plan {
namespace {

// The boundaries at which trips act, as rows: which trips begin, release, ... at t.
struct Calendar {
  explicit Calendar(std::int32_t boundaries) : rows(static_cast<std::size_t>(boundaries)) {}
  void add(std::int32_t boundary, std::size_t trip) {
    if (boundary >= 0) rows[static_cast<std::size_t>(boundary)].push_back(trip);
  }
  const std::vector<std::size_t>& at(std::int32_t boundary) const {
    return rows[static_cast<std::size_t>(boundary)];
  }
  std::vector<std::vector<std::size_t>> rows;
};

// The runs of set bits of a holding, by the stage in which they start and end.
class HoldRuns {
 public:
  HoldRuns(const Graph& graph, const Holding& holding)
      : starting_(static_cast<std::size_t>(holding.boundaries())), ending_(starting_.size()) {
    for (ValueId v : base::ids<ValueId>(graph.value_count()))
      holding.for_each_run(v, [&](std::int32_t first, std::int32_t last) {
        if (first > 0) starting_[at(first - 1)].push_back(v);
        ending_[at(last)].push_back(v);
      });
  }
  // Not held at t but held at t + 1; held at t but not at t + 1.
  [[nodiscard]] const std::vector<ValueId>& starting(std::int32_t t) const { return starting_[at(t)]; }
  [[nodiscard]] const std::vector<ValueId>& ending(std::int32_t t) const { return ending_[at(t)]; }

 private:
  static std::size_t at(std::int32_t t) { return static_cast<std::size_t>(t); }
  std::vector<std::vector<ValueId>> starting_, ending_;
};

class Lowering {
 public:
  Lowering(const Graph& graph, const machine::Machine& machine, const Holding& holding,
           const std::vector<Trip>& trips)
      : graph_(graph),
        machine_(machine),
        holding_(holding),
        trips_(trips),
        replay_(graph),
        runs_(graph, holding),
        last_use_(graph.value_count(), -1),
        first_use_(graph.value_count(), -1),
        held_now_(graph.value_count(), 0),
        leaving_(graph.value_count(), 0),
        arriving_(graph.value_count(), 0),
        out_(holding.boundaries()),
        release_(holding.boundaries()),
        host_release_(holding.boundaries()),
        host_in_(holding.boundaries()),
        in_(holding.boundaries()),
        done_(holding.boundaries()) {
    for (std::size_t i = 0; i < trips.size(); ++i) {
      out_.add(trips[i].out_at, i), release_.add(trips[i].release_at, i);
      host_release_.add(trips[i].host_release_at, i), host_in_.add(trips[i].host_in_at, i);
      in_.add(trips[i].in_at, i), done_.add(trips[i].need, i);
    }
    for (ValueId v : base::ids<ValueId>(graph.value_count()))
      if (needed_at_end(graph, v)) needed_at_end_.push_back(v);
    plan_.graph = graph.hash();
    plan_.fates = base::IdVector<ValueId, Fate>(graph.value_count(), Fate::keep);
  }

  base::Result<Plan> run(std::string made_by) {
    for (std::int32_t t = 0; t < holding_.boundaries(); ++t) WORKTOP_CHECK(stage(t));
    for (const Trip& trip : trips_)
      plan_.fates[trip.value] = trip.tier == Tier::host ? Fate::offload_host : Fate::offload_disk;
    plan_.made_by = std::move(made_by);
    return std::move(plan_);
  }

 private:
  base::Status stage(std::int32_t t) {
    WORKTOP_CHECK(find_replay(t));
    find_last_uses(t);
    copies_out(t);
    releases_and_early_drops(t);
    for (std::size_t i : host_in_.at(t))
      emit(Action::copy_in(trips_[i].value, machine_.link(trips_[i].tier, Tier::host)));
    copies_in(t, true);
    recompute(t);
    copies_in(t, false);
    drop_what_the_op_holds(t);
    lower_copies(t);
    plan_.actions.end_row();
    if (t < graph_.op_count()) first_run(t);
    return {};
  }

  base::Status find_replay(std::int32_t t) {
    for (std::size_t i : in_.at(t)) arriving_[trips_[i].value] = 1;
    for (ValueId v : fresh_)
      if (read_at_once(graph_, v)) arriving_[v] = 1;
    const auto present = [&](ValueId v) { return holding_.present(v, t) || arriving_[v] != 0; };
    replay_.begin();
    for (ValueId v : used_at(t)) WORKTOP_CHECK(need(v, t, present));
    for (ValueId v : runs_.starting(t))
      if (graph_.value(v).producer.index() < t) WORKTOP_CHECK(need(v, t, present));
    return {};
  }
  // What op t reads, or what is needed at the end of the step.
  [[nodiscard]] std::span<const ValueId> used_at(std::int32_t t) const {
    return t < graph_.op_count() ? graph_.reads(OpId{t}) : std::span<const ValueId>(needed_at_end_);
  }
  template <class Present>
  base::Status need(ValueId v, std::int32_t t, const Present& present) {
    replay_.need(v, present);
    if (replay_.feasible()) return {};
    return base::fail(base::ErrorCode::illegal,
                      "'" + graph_.value(v).name + "' is needed but nobody holds it",
                      t < graph_.op_count() ? "before op '" + graph_.op(OpId{t}).name + "'" : "end of step",
                      "hold it, or what it is made from");
  }

  // Position of the last use within the stage: 0 .. k-1 the recomputes, k op t itself or the end of the step.
  void find_last_uses(std::int32_t t) {
    for (ValueId v : touched_) last_use_[v] = -1;
    touched_.clear();
    const auto use = [&](ValueId v, std::int32_t position) {
      if (last_use_[v] < 0) touched_.push_back(v), first_use_[v] = position;
      last_use_[v] = position;
    };
    std::int32_t position = 0;
    for (OpId op : replay_.ops()) {
      for (ValueId v : graph_.reads(op)) use(v, position);
      ++position;
    }
    op_position_ = position;
    for (ValueId v : used_at(t)) use(v, position);
  }

  void copies_out(std::int32_t t) {
    for (std::size_t i : out_.at(t)) {
      const Trip& trip = trips_[i];
      if (!trip.staged()) {
        emit(Action::copy_out(trip.value, machine_.link(Tier::device, trip.tier)));
        continue;
      }
      emit(Action::copy_out(trip.value, machine_.link(Tier::device, Tier::host)));
      emit(Action::copy_out(trip.value, machine_.link(Tier::host, trip.tier)));
    }
  }

  void releases_and_early_drops(std::int32_t t) {
    for (std::size_t i : release_.at(t)) {
      leaving_[trips_[i].value] = 1;
      if (last_use_[trips_[i].value] < 0) drop(trips_[i].value);  // else after its last use
    }
    for (std::size_t i : host_release_.at(t)) emit(Action::release(trips_[i].value, Tier::host));
    for (ValueId v : runs_.ending(t))
      if (held_now_[v] && last_use_[v] < 0) drop(v);
    // What op t-1 wrote and nobody is to hold.
    for (ValueId v : fresh_)
      if (held_now_[v] && !holding_.held(v, t) && !read_at_once(graph_, v)) drop(v);
  }

  void copies_in(std::int32_t t, bool for_replay) {
    for (std::size_t i : in_.at(t)) {
      const Trip& trip = trips_[i];
      // Before the replay also where the replay would make a duplicate of it.
      const bool needed_by_replay = (last_use_[trip.value] >= 0 && first_use_[trip.value] < op_position_) ||
                                    replay_.runs(graph_.value(trip.value).producer);
      if (needed_by_replay != for_replay) continue;
      emit(Action::copy_in(trip.value, machine_.link(trip.staged() ? Tier::host : trip.tier, Tier::device)));
      take(trip.value);
    }
  }

  void recompute(std::int32_t t) {
    std::int32_t position = 0;
    for (OpId op : replay_.ops()) {
      emit(Action::recompute(op));
      for (const graph::Output& out : graph_.writes(op)) {
        if (!graph_.value(out.value).holdable) continue;  // nobody can take it, so it has no fate
        if (!resident(out.value, t)) plan_.fates[out.value] = Fate::recompute;  // else a duplicate
        take(out.value);
      }
      for (const graph::Output& out : graph_.writes(op)) drop_if_done(out.value, t, position);
      for (ValueId v : graph_.reads(op)) drop_if_done(v, t, position);
      ++position;
    }
  }
  void drop_if_done(ValueId v, std::int32_t t, std::int32_t position) {
    if (held_now_[v] && last_use_[v] <= position && !held_next(v, t)) drop(v);
  }

  void drop_what_the_op_holds(std::int32_t t) {
    if (t >= graph_.op_count()) return;
    for (ValueId v : graph_.reads(OpId{t}))
      if (held_now_[v] && !held_next(v, t)) drop(v);
  }

  void lower_copies(std::int32_t t) {
    for (std::size_t i : done_.at(t)) {
      const Trip& trip = trips_[i];
      if (trip.staged()) emit(Action::drop(trip.value, Tier::host));
      emit(Action::drop(trip.value, trip.tier));
    }
    for (std::size_t i : in_.at(t)) arriving_[trips_[i].value] = 0;
    for (ValueId v : fresh_) arriving_[v] = 0;
    fresh_.clear();
  }

  // Op t runs for the first time: the executor takes hold of what it wrote.
  void first_run(std::int32_t t) {
    for (const graph::Output& out : graph_.writes(OpId{t})) {
      if (out.overwrites.exists()) held_now_[out.overwrites] = 0;
      if (!graph_.value(out.value).holdable) continue;
      take(out.value);
      fresh_.push_back(out.value);
    }
  }

  [[nodiscard]] bool held_next(ValueId v, std::int32_t t) const {
    return t + 1 < holding_.boundaries() && holding_.held(v, t + 1);
  }
  [[nodiscard]] bool resident(ValueId v, std::int32_t t) const {
    return held_now_[v] != 0 || program_window(graph_, v).holds(t);
  }
  void take(ValueId v) { held_now_[v] = 1; }
  void drop(ValueId v) {
    emit(leaving_[v] != 0 ? Action::release(v) : Action::drop(v));
    held_now_[v] = leaving_[v] = 0;
  }
  void emit(Action action) { plan_.actions.push_item(action); }

  const Graph& graph_;
  const machine::Machine& machine_;
  const Holding& holding_;
  const std::vector<Trip>& trips_;
  StageReplay replay_;
  HoldRuns runs_;
  base::IdVector<ValueId, std::int32_t> last_use_, first_use_;  // within the stage
  base::IdVector<ValueId, std::uint8_t> held_now_;              // by the executor, on the device
  base::IdVector<ValueId, std::uint8_t> leaving_;               // on a trip: let go by release
  base::IdVector<ValueId, std::uint8_t> arriving_;  // there without a bit: by a copy, or just written
  Calendar out_, release_, host_release_, host_in_, in_, done_;
  std::vector<ValueId> needed_at_end_;
  std::vector<ValueId> touched_, fresh_;
  std::int32_t op_position_ = 0;
  Plan plan_;
};

}  // namespace

base::Result<Plan> lower(const Graph& graph, const machine::Machine& machine, const Holding& holding,
                         const std::vector<Trip>& trips, std::string made_by) {
  return Lowering(graph, machine, holding, trips).run(std::move(made_by));
}

base::Result<Plan> lower(const Graph& graph, const machine::Machine& machine, const Policy& policy,
                         const Pace& pace) {
  Held held = hold(graph, fates_of(policy, graph), policy.replay);
  const std::vector<Trip> trips = place_trips(graph, machine, pace, held.trips, held.holding);
  return lower(graph, machine, held.holding, trips, policy.name);
}

}  // namespace worktop::plan
