#include "solver/starts.h"

#include "base/ensure.h"
#include "plan/hold.h"
#include "solver/evaluation.h"
#include "solver/fewer_trips.h"
#include "solver/offload.h"
#include "solver/strategies.h"

namespace worktop::solver {

using graph::ValueId;
using machine::Tier;
using plan::Holding;
using plan::Trip;

namespace {
// Where each stage replays what it needs anew, a plan has as many actions as the square of the ops: gigabytes
// for a plan that nobody would run.
bool too_large_to_redo(const Graph& graph) {
  return graph.op_count() > 10'000;
}
}  // namespace

Starts::Starts(const Problem& problem, Techniques without) {
  add_strategies(problem);
  strategies_ = list_.size();
  // Whatever a graph is like, everything can be kept.
  ensure(!list_.empty() && list_.front().planned.plan.made_by == "keep_all");
  if (!without.has(Technique::nested_checkpoints)) add_nested_checkpoints(problem);
}

void Starts::add_strategies(const Problem& problem) {
  for (const plan::Policy& policy : standard_strategies(problem.graph, problem.machine, problem.durations)) {
    if (policy.replay == plan::Replay::redo && too_large_to_redo(problem.graph)) continue;
    plan::Held held = plan::hold(problem.graph, plan::fates_of(policy, problem.graph), policy.replay);
    const auto trips =
        plan::place_trips(problem.graph, problem.machine, problem.durations.op, held.trips, held.holding);
    std::optional<Planned> planned = realised(problem, held.holding, trips, policy.name);
    if (!planned) continue;  // not possible on this graph
    list_.push_back({*std::move(planned), std::nullopt, trips});
    // Where everything is redone, a change costs too much to evaluate: nested checkpoints start as lean.
    if (policy.replay == plan::Replay::hold) list_.back().holding = std::move(held.holding);
  }
}

void Starts::add_nested_checkpoints(const Problem& problem) {
  const std::int32_t layers = layer_count(problem.graph);
  for (std::int32_t segments = 2; segments * 2 <= layers; segments *= 2)
    for (const bool redo_inside : {false, true}) {
      if (redo_inside && too_large_to_redo(problem.graph)) continue;
      Holding holding = nested_checkpoints(problem.graph, segments, redo_inside);
      std::optional<Planned> planned = realised(problem, holding, {}, "search");
      if (!planned) continue;
      list_.push_back({*std::move(planned), std::nullopt, {}});
      // Where a layer is replayed for each of its ops, a change costs too much to evaluate.
      if (!redo_inside) list_.back().holding = std::move(holding);
    }
}

std::vector<Planned> Starts::strategies() const {
  std::vector<Planned> all;
  for (std::size_t i = 0; i < strategies_; ++i) all.push_back(list_[i].planned);
  return all;
}

std::optional<Planned> Starts::best(const Problem& problem) const {
  std::optional<Planned> best;
  for (const Start& start : list_) {
    if (!fits(start.planned, problem.budgets)) continue;
    Planned planned = start.holding && !start.trips.empty()
                          ? with_fewer_trips(problem, *start.holding, start.trips, start.planned)
                          : start.planned;
    if (!best || better(planned, *best)) best = std::move(planned);
  }
  return best;
}

Way::Way(const Problem& problem, const Starts& starts, const std::vector<plan::TripRequest>& requests) {
  base::IdVector<ValueId, plan::Fate> fates(problem.graph.value_count(), plan::Fate::keep);
  for (const plan::TripRequest& r : requests)
    fates[r.value] = r.tier == Tier::host ? plan::Fate::offload_host : plan::Fate::offload_disk;
  plan::Held held = plan::hold(problem.graph, fates, plan::Replay::hold);
  trips = plan::place_trips(problem.graph, problem.machine, problem.durations.op, held.trips, held.holding);
  add(problem, held.holding);
  for (const Start& start : starts.list()) {
    if (!start.holding || !start.trips.empty()) continue;
    Holding holding = *start.holding;
    for (const Trip& trip : trips) holding.copy_row(held.holding, trip.value);
    add(problem, std::move(holding));
  }
  ensure(!candidates.empty());
}

Way::Way(const Problem& problem, Holding holding, const std::vector<plan::TripRequest>& requests) {
  trips = plan::place_trips(problem.graph, problem.machine, problem.durations.op, requests, holding);
  add(problem, std::move(holding));
}

void Way::add(const Problem& problem, Holding holding) {
  const Evaluation state(problem.graph, problem.durations, std::move(holding), trips, Bytes{INT64_MAX / 4});
  if (state.possible()) candidates.push_back({state.holding(), state.peak(), state.replay_ns()});
}

std::vector<Way> ways_of(const Problem& problem, const Starts& starts) {
  std::vector<Way> ways;
  ways.emplace_back(problem, starts, std::vector<plan::TripRequest>{});
  const bool has_lower_tier = !offload_requests(problem, OffloadOrder::dearest_first, 1000).empty();
  if (!has_lower_tier) return ways;
  for (const OffloadOrder order : {OffloadOrder::dearest_first, OffloadOrder::earliest_first})
    for (const std::int32_t share : {1000, 750, 500})
      ways.emplace_back(problem, starts, offload_requests(problem, order, share));
  return ways;
}

}  // namespace worktop::solver
