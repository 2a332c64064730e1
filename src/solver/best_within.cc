#include "solver/best_within.h"

#include <algorithm>
#include <array>
#include <memory>

#include "plan/hold.h"
#include "solver/bounds.h"
#include "solver/entrant.h"
#include "solver/mincut.h"
#include "solver/offload.h"

namespace worktop::solver {
namespace {

constexpr std::int64_t kQuantum = 2000;      // units of a search's first turn; later turns double
constexpr std::size_t kFinalists = 3;        // searches that go on after the first pass
constexpr std::int64_t kLeanUnits = 60'000;  // for the least peak
constexpr std::int32_t kHalvings = 6;

// The cut before the search, and again with branch and bound once the search has done so much without meeting
// the bound. Counted in what is spent, so that less effort is a prefix of more.
struct Cut {
  std::int64_t from_units;
  CutLimits limits;
};
const std::array kCuts = {
    Cut{0, {.work = 10'000'000, .branch_work = 0, .within = {}}},
    Cut{150'000, {.work = 20'000'000, .branch_work = 20'000'000, .within = {}}},
    Cut{2'000'000, {.work = 100'000'000, .branch_work = 400'000'000, .within = {}}},
};

// With lower tiers: when trips are looked for that take the place of replays of the best plan without copies.
constexpr std::array<std::int64_t, 3> kMixAt = {30'000, 200'000, 2'000'000};

// What the cut keeps is kept, what it lets go is made again when it is wanted.
plan::Holding holding_of(const Graph& graph, const CutBound& cut) {
  base::IdVector<graph::ValueId, plan::Fate> fates(graph.value_count(), plan::Fate::keep);
  for (graph::ValueId v : cut.gone) fates[v] = plan::Fate::recompute;
  return plan::hold(graph, fates, plan::Replay::hold).holding;
}

// The searches in turn: all of them once, then the best few, each turn twice as long as the one before. What
// a smaller effort does is a prefix of this.
class Race {
 public:
  Race(const Problem& problem, const std::vector<Way>& ways, const Options& options, Meter& meter)
      : problem_(problem),
        meter_(meter),
        seed_(options.seed),
        without_(options.without),
        copies_(ways.size() > 1) {
    if (problem.budgets.device) budget_ = *problem.budgets.device;
    for (const Way& way : ways)
      entrants_.push_back(
          std::make_unique<Entrant>(problem, way, budget_, seed_ + entrants_.size(), without_));
    alone_ = entrants_.front().get();
  }

  // For the entrant without trips.
  void add_start(const plan::Holding& holding) { alone_->add_start(holding); }

  void run() {
    for (std::int64_t quantum = kQuantum; !over(); quantum *= 2) {
      for (std::size_t i = 0; i < entrants_.size(); ++i) {
        cut();
        mix();
        if (over()) break;
        Entrant& entrant = *entrants_[i];
        // Mixes begin at what the one without trips finds.
        entrant.run(meter_, copies_ && &entrant == alone_ ? 3 * quantum : quantum);
        if (!entrant.best() || (best_ && !better(*entrant.best(), *best_))) continue;
        best_ = entrant.best();
        meter_.found(best_->step_ns);
      }
      keep_finalists();
    }
  }
  [[nodiscard]] const std::optional<Planned>& best() const { return best_; }
  [[nodiscard]] Nanoseconds bound_ns() const { return bound_ns_; }

 private:
  [[nodiscard]] bool over() const { return meter_.done() || (best_ && best_->step_ns <= bound_ns_); }

  // The cut of a step without lower tiers: a bound if there are none, and a start for the entrant without
  // trips.
  void cut() {
    if (next_cut_ == kCuts.size() || meter_.spent() < kCuts[next_cut_].from_units) return;
    CutLimits limits = kCuts[next_cut_++].limits;
    limits.alone = true;
    if (without_.has(Technique::branching)) limits.branch_work = 0;
    if (best_ && !copies_) limits.within = best_->step_ns;
    const CutBound found = cut_bound(problem_, limits);
    if (!copies_) bound_ns_ = std::max(bound_ns_, found.step_ns);
    if (!found.gone.empty() && !without_.has(Technique::cut_start))
      add_start(holding_of(problem_.graph, found));
  }

  // Two more entrants, whose trips take the place of what the best plan without copies replays.
  void mix() {
    if (!copies_ || without_.has(Technique::trips_for_replays)) return;
    if (next_mix_ == kMixAt.size() || meter_.spent() < kMixAt[next_mix_]) return;
    ++next_mix_;
    if (!alone_->holding()) return;
    for (const std::int32_t share : {900, 450}) {
      const auto requests = trips_for_replays(problem_, *alone_->holding(), share);
      auto way = std::make_unique<Way>(problem_, *alone_->holding(), requests);
      if (way->trips.empty() || way->candidates.empty()) continue;
      entrants_.push_back(
          std::make_unique<Entrant>(problem_, *way, budget_, seed_ + entrants_.size(), without_));
      mixed_ways_.push_back(std::move(way));
    }
  }

  void keep_finalists() {
    if (entrants_.size() <= kFinalists + 1) return;
    std::stable_sort(entrants_.begin(), entrants_.end(), [](const auto& a, const auto& b) {
      const auto step = [](const auto& e) { return e->best() ? e->best()->step_ns.count() : INT64_MAX; };
      return step(a) < step(b);
    });
    const auto alone = std::ranges::find(entrants_, alone_, [](const auto& e) { return e.get(); });
    if (alone - entrants_.begin() >= static_cast<std::ptrdiff_t>(kFinalists))
      std::iter_swap(alone, entrants_.begin() + kFinalists);  // goes on: mixes begin at what it finds
    entrants_.resize(kFinalists + 1);
  }

  const Problem& problem_;
  Meter& meter_;
  std::uint64_t seed_;
  Techniques without_;
  bool copies_;
  Bytes budget_{INT64_MAX / 4};
  std::size_t next_cut_ = 0, next_mix_ = 0;
  std::vector<std::unique_ptr<Way>> mixed_ways_;
  std::vector<std::unique_ptr<Entrant>> entrants_;
  Entrant* alone_ = nullptr;  // the one without trips
  std::optional<Planned> best_;
  Nanoseconds bound_ns_{0};
};

}  // namespace

Fastest fastest_within(const Problem& problem, const Starts& starts, const std::vector<Way>& ways,
                       const Leanest& lean, const Options& options, Meter& meter) {
  Fastest result{.best = starts.best(problem), .bound_ns = first_runs_ns(problem)};
  if (result.best && result.best->step_ns == result.bound_ns) return result;  // nothing is faster
  if (!within(lean.floor, problem.budgets.device)) return result;             // nothing fits
  Race race(problem, ways, options, meter);
  const bool helps = lean.holding && fits(lean.planned, problem.budgets) &&
                     (!result.best || lean.planned.step_ns < result.best->step_ns);
  if (helps && !options.without.has(Technique::leanest_start)) race.add_start(*lean.holding);
  race.run();
  if (race.best() && (!result.best || better(*race.best(), *result.best))) result.best = race.best();
  result.bound_ns = std::max(result.bound_ns, race.bound_ns());
  if (ways.size() == 1 || !result.best) return result;
  // With copies the cut can only say what beats a plan that is known.
  CutLimits limits = kCuts[options.effort == Effort::deep ? 2 : 1].limits;
  if (options.without.has(Technique::branching)) limits.branch_work = 0;
  limits.within = result.best->step_ns;
  result.bound_ns = std::max(result.bound_ns, cut_bound(problem, limits).step_ns);
  return result;
}

// Strategies, then searches for plans that fit ever smaller budgets, halving what is left above the proven
// bound. Each goes on from what the last one found, and from what the cut keeps.
Leanest leanest_within(const Problem& problem, const Starts& starts, const std::vector<Way>& ways,
                       Bytes floor, const Options& options) {
  Options quiet = options;
  quiet.on_progress = nullptr;
  Meter meter(kLeanUnits, quiet);
  plan::Budgets lower_tiers = problem.budgets;
  lower_tiers.device.reset();
  const Planned* leanest = &starts.keep_all();
  for (const Start& s : starts.list())
    if (fits(s.planned, lower_tiers) && s.planned.device_peak() < leanest->device_peak())
      leanest = &s.planned;
  Leanest best{.planned = *leanest, .holding = {}, .units = 0, .floor = floor};
  for (std::int32_t i = 0; i < kHalvings && floor < best.planned.device_peak() && !meter.done(); ++i) {
    Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
    // The first target is the bound itself: it is often reached.
    target.budgets.device = i == 0 ? floor : floor + (best.planned.device_peak() - floor) / 2;
    bool found = false;
    for (const Way& way : ways) {
      if (found) break;
      Entrant entrant(target, way, *target.budgets.device, options.seed, options.without);
      if (way.trips.empty()) {
        const CutBound cut = cut_bound(target, {.work = 1'000'000, .branch_work = 0, .within = {}});
        if (!cut.gone.empty() && !options.without.has(Technique::cut_start))
          entrant.add_start(holding_of(problem.graph, cut));
        if (best.holding) entrant.add_start(*best.holding);
      }
      entrant.run(meter, kLeanUnits / kHalvings / static_cast<std::int64_t>(ways.size()));
      if (!entrant.best() || entrant.best()->device_peak() >= best.planned.device_peak()) continue;
      best.planned = *entrant.best();
      best.holding = way.trips.empty() ? entrant.holding() : std::nullopt;
      found = true;
    }
    if (!found) floor = *target.budgets.device;
  }
  best.units = meter.spent();
  return best;
}

}  // namespace worktop::solver
