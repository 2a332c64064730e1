#include "solver/entrant.h"

#include <algorithm>

#include "solver/evaluation.h"
#include "solver/fewer_trips.h"

namespace worktop::solver {

using plan::Holding;
using plan::Trip;

Entrant::Entrant(const Problem& problem, const Way& way, Bytes budget, std::uint64_t seed, Techniques without)
    : problem_(problem),
      way_(way),
      search_(problem.graph, problem.durations, way.trips, budget, seed, !without.has(Technique::children)) {
  const Way::Candidate* fast = nullptr;   // the fastest that fits
  const Way::Candidate* above = nullptr;  // the first that does not
  for (const Way::Candidate& c : way.candidates) {
    if (c.peak <= budget && (!fast || c.replay_ns < fast->replay_ns)) fast = &c;
    if (c.peak > budget && (!above || c.peak < above->peak)) above = &c;
  }
  if (above) search_.add_start(above->holding);
  if (!without.has(Technique::mixes)) add_mixes(budget);
  if (fast) search_.add_start(fast->holding);
  search_.add_start(way.candidates.front().holding);
}

void Entrant::run(Meter& meter, std::int64_t units) {
  search_.run(meter, units);
  if (!search_.best() || search_.best_replay_ns() >= lowered_at_) return;
  lowered_at_ = search_.best_replay_ns();
  take(*search_.best());
}

// Layers are often alike: then the best plan is near a mix of two strategies, one for the first layers and
// one for the rest. The two are the ends of the edge of the lower hull (in peak and time) above the budget;
// the split is the one that just fits.
void Entrant::add_mixes(Bytes budget) {
  const Way::Candidate* rich = nullptr;
  const Way::Candidate* lean = nullptr;
  double least = 0;
  for (const Way::Candidate& a : way_.candidates)
    for (const Way::Candidate& b : way_.candidates) {
      if (a.peak <= budget || b.peak > budget) continue;
      const double share = ratio(a.peak - budget, a.peak - b.peak);
      const double mixed =
          static_cast<double>(a.replay_ns) * (1 - share) + static_cast<double>(b.replay_ns) * share;
      if (rich && mixed >= least) continue;
      rich = &a, lean = &b, least = mixed;
    }
  if (!rich) return;
  add_mix(*rich, *lean, budget);
  add_mix(*lean, *rich, budget);
}

// `first` up to a value and `rest` from there on, as rich as fits.
void Entrant::add_mix(const Way::Candidate& first, const Way::Candidate& rest, Bytes budget) {
  std::int32_t low = 0, high = problem_.graph.value_count();
  const bool lean_first = first.peak <= budget;
  std::optional<Holding> best;
  while (low < high) {
    const std::int32_t split = low + (high - low) / 2;
    Holding holding = rest.holding;
    for (ValueId v : base::ids<ValueId>(split)) holding.copy_row(first.holding, v);
    const Evaluation state(problem_.graph, problem_.durations, std::move(holding), way_.trips, budget);
    const bool fits = state.fits();
    if (fits) best = state.holding();
    if (fits == lean_first)
      high = split;
    else
      low = split + 1;
  }
  if (best) search_.add_start(*best);
}

void Entrant::take(const Holding& holding) {
  std::vector<Trip> trips = way_.trips;
  drop_idle_trips(holding, trips);
  const std::optional<Planned> planned = realised(problem_, holding, trips, "search");
  if (!planned || !fits(*planned, problem_.budgets)) return;
  Planned fewer = with_fewer_trips(problem_, holding, std::move(trips), *planned);
  if (!best_ || better(fewer, *best_)) best_ = std::move(fewer);
}

// A trip whose value nobody wants when it is back would be a copy that no one waits for.
void Entrant::drop_idle_trips(const Holding& holding, std::vector<Trip>& trips) const {
  if (trips.empty()) return;
  const Evaluation state(problem_.graph, problem_.durations, holding, way_.trips, Bytes{INT64_MAX / 4});
  std::erase_if(trips, [&](const Trip& trip) {
    if (trip.need == problem_.graph.op_count()) return false;  // needed at the end of the step
    if (std::ranges::binary_search(problem_.graph.readers(trip.value), OpId{trip.need})) return false;
    return std::ranges::none_of(state.replays(trip.need), [&](OpId op) {
      return std::ranges::count(problem_.graph.reads(op), trip.value) > 0;
    });
  });
}

}  // namespace worktop::solver
