#include "solver/best_within.h"

#include <algorithm>
#include <memory>

#include "solver/bounds.h"
#include "solver/entrant.h"

namespace worktop::solver {
namespace {

constexpr std::int64_t kQuantum = 2000;  // units of a search's first turn; later turns double
constexpr std::size_t kFinalists = 3;    // searches that go on after the first pass

// The searches in turn: all of them once, then the best few, each turn twice as long as the one before. What
// a smaller effort does is a prefix of this.
std::optional<Planned> race(const Problem& problem, const std::vector<Way>& ways, const Options& options,
                            Meter& meter) {
  const Bytes budget = problem.budgets.device.value_or(Bytes{INT64_MAX / 4});
  std::vector<std::unique_ptr<Entrant>> entrants;
  for (const Way& way : ways)
    entrants.push_back(std::make_unique<Entrant>(problem, way, budget, options.seed + entrants.size()));

  std::optional<Planned> best;
  for (std::int64_t quantum = kQuantum; !meter.done(); quantum *= 2) {
    for (const auto& entrant : entrants) {
      entrant->run(meter, quantum);
      if (entrant->best() && (!best || better(*entrant->best(), *best))) {
        best = entrant->best();
        meter.found(best->step_ns);
      }
      if (meter.done()) break;
    }
    if (entrants.size() <= kFinalists) continue;
    std::stable_sort(entrants.begin(), entrants.end(), [](const auto& a, const auto& b) {
      const auto step = [](const auto& e) { return e->best() ? e->best()->step_ns.count() : INT64_MAX; };
      return step(a) < step(b);
    });
    entrants.resize(kFinalists);
  }
  return best;
}

}  // namespace

std::optional<Planned> fastest_within(const Problem& problem, const Starts& starts,
                                      const std::vector<Way>& ways, const Options& options, Meter& meter) {
  std::optional<Planned> strategy = starts.best(problem);
  if (strategy && strategy->step_ns == first_runs_ns(problem)) return strategy;  // nothing is faster
  std::optional<Planned> found = race(problem, ways, options, meter);
  if (strategy && (!found || !better(*found, *strategy))) return strategy;
  return found;
}

// Strategies, then searches for plans that fit ever smaller budgets,
// halving what is left above the proven bound.
Planned leanest_within(const Problem& problem, const Starts& starts, const std::vector<Way>& ways,
                       const Options& options, Meter& meter) {
  plan::Budgets lower_tiers = problem.budgets;
  lower_tiers.device.reset();
  const Planned* leanest = &starts.keep_all();
  for (const Start& s : starts.list())
    if (fits(s.planned, lower_tiers) && s.planned.device_peak() < leanest->device_peak())
      leanest = &s.planned;
  Planned best = *leanest;
  Bytes floor = least_possible_peak(problem.graph);
  constexpr std::int32_t kHalvings = 6;
  for (std::int32_t i = 0; i < kHalvings && floor < best.device_peak() && !meter.done(); ++i) {
    Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
    // The first target is the bound itself: it is often reached.
    target.budgets.device = i == 0 ? floor : floor + (best.device_peak() - floor) / 2;
    bool found = false;
    for (const Way& way : ways) {
      if (found) break;
      Entrant entrant(target, way, *target.budgets.device, options.seed);
      entrant.run(meter, 2 * kQuantum);
      if (!entrant.best() || entrant.best()->device_peak() >= best.device_peak()) continue;
      best = *entrant.best();
      found = true;
    }
    if (!found) floor = *target.budgets.device;
  }
  return best;
}

}  // namespace worktop::solver
