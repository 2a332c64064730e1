#include "solver/portfolio.h"

#include <algorithm>
#include <memory>

#include "base/ensure.h"
#include "plan/hold.h"
#include "plan/legal.h"
#include "plan/lower.h"
#include "solver/effort.h"
#include "solver/offload.h"
#include "solver/search.h"
#include "solver/strategies.h"

namespace worktop::solver {
namespace {

using graph::OpId;
using graph::ValueId;
using machine::Tier;
using plan::Holding;
using plan::Trip;

constexpr std::int64_t kQuantum = 2000;   // units of a search's first turn; later turns double
constexpr std::int64_t kPointShare = 10;  // a point of a frontier gets this part of the effort of one plan
constexpr std::size_t kFinalists = 3;     // searches that go on after the first pass

// A strategy's plan, and the holding that a search can start from (only where nothing is copied).
struct Start {
  Planned planned;
  std::optional<Holding> holding;
};

// What all questions about one problem share: the strategies and what they start.
class Starts {
 public:
  explicit Starts(const Problem& problem) {
    for (const plan::Policy& policy :
         standard_strategies(problem.graph, problem.machine, problem.durations)) {
      plan::Held held = plan::hold(problem.graph, plan::fates_of(policy, problem.graph), policy.replay);
      const auto trips =
          plan::place_trips(problem.graph, problem.machine, problem.durations.op, held.trips, held.holding);
      auto plan = plan::lower(problem.graph, problem.machine, held.holding, trips, policy.name);
      if (!plan || !plan::legal(problem.graph, problem.machine, *plan))
        continue;  // not possible on this graph
      list_.push_back({predict(problem, *std::move(plan)), std::nullopt});
      // Where everything is redone, a change costs too much to evaluate: nested checkpoints start as lean.
      if (trips.empty() && policy.replay == plan::Replay::hold)
        list_.back().holding = std::move(held.holding);
    }
    strategies_ = list_.size();
    // Whatever a graph is like, everything can be kept.
    ensure(!list_.empty() && list_.front().planned.plan.made_by == "keep_all");
    const std::int32_t layers = layer_count(problem.graph);
    for (std::int32_t segments = 2; segments * 2 <= layers; segments *= 2)
      for (const bool redo_inside : {false, true}) {
        Holding holding = nested_checkpoints(problem.graph, segments, redo_inside);
        auto plan = plan::lower(problem.graph, problem.machine, holding, {}, "search");
        if (!plan || !plan::legal(problem.graph, problem.machine, *plan)) continue;
        list_.push_back({predict(problem, *std::move(plan)), std::nullopt});
        // Where a layer is replayed for each of its ops, a change costs too much to evaluate.
        if (!redo_inside) list_.back().holding = std::move(holding);
      }
  }
  [[nodiscard]] const std::vector<Start>& list() const { return list_; }
  [[nodiscard]] const Planned& keep_all() const { return list_.front().planned; }
  [[nodiscard]] std::vector<Planned> planned() const {
    std::vector<Planned> all;
    for (std::size_t i = 0; i < strategies_; ++i) all.push_back(list_[i].planned);
    return all;
  }
  // The fastest that fits.
  [[nodiscard]] const Planned* best(const plan::Budgets& budgets) const {
    const Planned* best = nullptr;
    for (const Start& start : list_)
      if (fits(start.planned, budgets) && (!best || start.planned.step_ns < best->step_ns))
        best = &start.planned;
    return best;
  }

 private:
  std::vector<Start> list_;  // the strategies, then starts that are shown to nobody
  std::size_t strategies_ = 0;
};

// One choice of round trips, and what a search can start from with it. Knows no device budget.
struct Way {
  struct Candidate {
    Holding holding;
    Bytes peak{0};
    std::int64_t replay_ns = 0;
  };
  std::vector<Trip> trips;
  std::vector<Candidate> candidates;  // keep_all first

  Way(const Problem& problem, const Starts& starts, const std::vector<plan::TripRequest>& requests) {
    base::IdVector<ValueId, plan::Fate> fates(problem.graph.value_count(), plan::Fate::keep);
    for (const plan::TripRequest& r : requests)
      fates[r.value] = r.tier == Tier::host ? plan::Fate::offload_host : plan::Fate::offload_disk;
    plan::Held held = plan::hold(problem.graph, fates, plan::Replay::hold);
    trips = plan::place_trips(problem.graph, problem.machine, problem.durations.op, held.trips, held.holding);
    add(problem, held.holding);
    for (const Start& start : starts.list()) {
      if (!start.holding) continue;
      Holding holding = *start.holding;
      for (const Trip& trip : trips) holding.copy_row(held.holding, trip.value);
      add(problem, std::move(holding));
    }
    ensure(!candidates.empty());
  }

 private:
  void add(const Problem& problem, Holding holding) {
    const Evaluation state(problem.graph, problem.durations, std::move(holding), trips, Bytes{INT64_MAX / 4});
    if (state.possible()) candidates.push_back({state.holding(), state.peak(), state.replay_ns()});
  }
};

bool has_lower_tier(const Problem& problem) {
  return !offload_requests(problem, OffloadOrder::dearest_first, 1000).empty();
}

std::vector<Way> ways_of(const Problem& problem, const Starts& starts) {
  std::vector<Way> ways;
  ways.emplace_back(problem, starts, std::vector<plan::TripRequest>{});
  if (!has_lower_tier(problem)) return ways;
  for (const OffloadOrder order : {OffloadOrder::dearest_first, OffloadOrder::earliest_first})
    for (const std::int32_t share : {1000, 750, 500})
      ways.emplace_back(problem, starts, offload_requests(problem, order, share));
  return ways;
}

// One search with its trips, and the best plan that it has led to so far.
class Entrant {
 public:
  Entrant(const Problem& problem, const Way& way, Bytes budget, std::uint64_t seed)
      : problem_(problem), way_(way), search_(problem.graph, problem.durations, way.trips, budget, seed) {
    const Way::Candidate* fast = nullptr;   // the fastest that fits
    const Way::Candidate* above = nullptr;  // the first that does not
    for (const Way::Candidate& c : way.candidates) {
      if (c.peak <= budget && (!fast || c.replay_ns < fast->replay_ns)) fast = &c;
      if (c.peak > budget && (!above || c.peak < above->peak)) above = &c;
    }
    if (above) search_.add_start(above->holding);
    add_mixes(budget);
    if (fast) search_.add_start(fast->holding);
    search_.add_start(way.candidates.front().holding);
  }

  // Runs for `units`; then the best holding, if it changed, is lowered and simulated.
  void run(Meter& meter, std::int64_t units) {
    search_.run(meter, units);
    if (!search_.best() || search_.best_replay_ns() >= lowered_at_) return;
    lowered_at_ = search_.best_replay_ns();
    take(*search_.best());
  }
  [[nodiscard]] const std::optional<Planned>& best() const { return best_; }

 private:
  // Layers are often alike: then the best plan is near a mix of two strategies, one for the first layers and
  // one for the rest. The two are the ends of the edge of the lower hull (in peak and time) above the budget;
  // the split is the one that just fits.
  void add_mixes(Bytes budget) {
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
  void add_mix(const Way::Candidate& first, const Way::Candidate& rest, Bytes budget) {
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

  void take(Holding holding) {
    std::vector<Trip> trips = way_.trips;
    drop_idle_trips(holding, trips);
    auto plan = plan::lower(problem_.graph, problem_.machine, holding, trips, "search");
    if (!plan || !plan::legal(problem_.graph, problem_.machine, *plan)) return;
    Planned planned = predict(problem_, *std::move(plan));
    if (fits(planned, problem_.budgets) && (!best_ || planned.step_ns < best_->step_ns))
      best_ = std::move(planned);
  }

  // A trip whose value nobody wants when it is back would be a copy that no one waits for.
  void drop_idle_trips(const Holding& holding, std::vector<Trip>& trips) const {
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

  const Problem& problem_;
  const Way& way_;
  Search search_;
  Nanoseconds lowered_at_{INT64_MAX};
  std::optional<Planned> best_;
};

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
      if (entrant->best() && (!best || entrant->best()->step_ns < best->step_ns)) {
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

// Every op's first run: no plan is faster. keep_all may be slower, where it has to replay what was
// overwritten in place.
Nanoseconds first_runs_ns(const Problem& problem) {
  Nanoseconds sum{0};
  for (OpId op : base::ids<OpId>(problem.graph.op_count())) {
    const bool once = problem.graph.op(op).phase == graph::Phase::optimizer;
    sum = saturating_add(sum, saturating_mul(problem.durations[op], once ? 1 : problem.graph.micro_steps()));
  }
  return sum;
}

// The fastest plan within the budgets that strategies and search find.
std::optional<Planned> fastest_within(const Problem& problem, const Starts& starts,
                                      const std::vector<Way>& ways, const Options& options, Meter& meter) {
  const Planned* strategy = starts.best(problem.budgets);
  if (strategy && strategy->step_ns == first_runs_ns(problem)) return *strategy;  // nothing is faster
  std::optional<Planned> found = race(problem, ways, options, meter);
  if (strategy && (!found || strategy->step_ns <= found->step_ns)) return *strategy;
  return found;
}

// The plan of the least device peak: strategies, then searches for plans that fit ever smaller budgets,
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

}  // namespace

std::int64_t units_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return 20'000;
    case Effort::normal:
      return 100'000;
    case Effort::deep:
      return 5'000'000;
  }
  return 0;
}

bool fits(const Planned& planned, const plan::Budgets& budgets) {
  return within(planned.peak[0], budgets.device) && within(planned.peak[1], budgets.host) &&
         within(planned.peak[2], budgets.disk);
}

Planned predict(const Problem& problem, plan::Plan plan) {
  const simulator::Timeline timeline =
      simulator::simulate(problem.graph, problem.machine, problem.durations, plan);
  return {.plan = std::move(plan),
          .peak = timeline.peak,
          .step_ns = timeline.step_ns,
          .recompute_ns = timeline.recompute_ns,
          .link_busy_ns = timeline.link_busy_ns,
          .stalled_ns = timeline.stalled_ns};
}

Bytes least_possible_peak(const Graph& graph) {
  Bytes least{0};
  std::vector<Bytes> held(static_cast<std::size_t>(graph.op_count()) + 1,
                          Bytes{0});  // by the program, at each op
  std::vector<Bytes> starts(held.size(), Bytes{0}), ends(held.size(), Bytes{0});
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const plan::ProgramWindow window = plan::program_window(graph, v);
    if (window.last < window.first) continue;
    starts[static_cast<std::size_t>(window.first)] += graph.value(v).bytes;
    if (window.last < graph.op_count())
      ends[static_cast<std::size_t>(window.last) + 1] += graph.value(v).bytes;
  }
  Bytes now{0};
  for (OpId op : base::ids<OpId>(graph.op_count())) {
    now += starts[op.at()] - ends[op.at()];
    Bytes need = now + graph.op(op).workspace;
    for (ValueId v : graph.reads(op))
      if (!plan::program_window(graph, v).holds(op.index())) need += graph.value(v).bytes;
    for (const graph::Output& out : graph.writes(op))
      if (!out.overwrites.exists()) need += graph.value(out.value).bytes;
    least = std::max(least, need);
  }
  return least;
}

Answer fastest(const Problem& problem, const Options& options) {
  Meter meter(units_of(options.effort), options);
  const Starts starts(problem);
  Answer answer{.strategies = starts.planned(), .keep_all = starts.keep_all()};
  answer.bound_ns = first_runs_ns(problem);
  answer.least_possible = least_possible_peak(problem.graph);
  Options quiet = options;
  quiet.on_progress = nullptr;
  Meter lean_meter(units_of(Effort::quick), quiet);
  const std::vector<Way> ways = ways_of(problem, starts);
  answer.leanest = leanest_within(problem, starts, ways, quiet, lean_meter);
  answer.best = fastest_within(problem, starts, ways, options, meter);
  const bool leanest_is_better = fits(answer.leanest, problem.budgets) &&
                                 (!answer.best || answer.leanest.step_ns < answer.best->step_ns);
  if (leanest_is_better) answer.best = answer.leanest;
  if (answer.best && answer.best->device_peak() < answer.leanest.device_peak()) answer.leanest = *answer.best;
  answer.units_spent = meter.spent() + lean_meter.spent();
  answer.stopped = meter.stopped();
  return answer;
}

Answer leanest(const Problem& problem, base::Limit<Nanoseconds> time_limit, const Options& options) {
  Options quick = options;
  quick.effort = Effort::quick;
  Answer answer = fastest(problem, options);
  const auto keeps = [&](const Planned& p) {
    return within(p.step_ns, time_limit) && fits(p, problem.budgets);
  };
  std::optional<Planned> best;
  const auto consider = [&](const Planned& p) {
    if (keeps(p) && (!best || p.device_peak() < best->device_peak())) best = p;
  };
  consider(answer.leanest);
  for (const Planned& p : answer.strategies) consider(p);
  if (answer.best) consider(*answer.best);
  if (!best) {
    answer.best.reset();
    return answer;
  }
  // Ever smaller budgets, as long as the plan is in time. Time falls with the budget, so halving finds the
  // edge.
  Bytes low = answer.leanest.device_peak(), high = best->device_peak();
  for (std::int32_t i = 0; i < 10 && low < high && !answer.stopped; ++i) {
    Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
    target.budgets.device = low + (high - low) / 2;
    const Answer at = fastest(target, quick);
    answer.units_spent += at.units_spent;
    answer.stopped = at.stopped;
    if (at.best && keeps(*at.best)) {
      consider(*at.best);
      high = std::min(at.best->device_peak(), *target.budgets.device);
    } else {
      low = *target.budgets.device + Bytes{1};
    }
  }
  answer.best = best;
  return answer;
}

FrontierAnswer frontier(const Problem& problem, std::int32_t points, const Options& options) {
  Options quiet = options;
  quiet.on_progress = nullptr;
  const Starts starts(problem);
  FrontierAnswer answer{.points = {}, .strategies = starts.planned(), .keep_all = starts.keep_all()};
  answer.bound_ns = first_runs_ns(problem);
  answer.least_possible = least_possible_peak(problem.graph);
  Meter lean_meter(units_of(Effort::quick), quiet);
  const std::vector<Way> ways = ways_of(problem, starts);
  const Planned lean = leanest_within(problem, starts, ways, quiet, lean_meter);
  answer.units_spent = lean_meter.spent();

  const std::int32_t n = std::max(points, 2);
  const Bytes low = lean.device_peak(), high = answer.keep_all.device_peak();
  std::vector<std::optional<Planned>> found(static_cast<std::size_t>(n));
  std::vector<std::int64_t> spent(found.size(), 0);
  base::SerialExecutor serial;
  base::Executor& executor = options.executor ? *options.executor : serial;
  constexpr std::int32_t kBatch = 4;
  for (std::int32_t first = 0; first < n && !answer.stopped; first += kBatch) {
    executor.for_each(std::min(kBatch, n - first), [&](std::int32_t j) {
      const std::int32_t i = first + j;
      const auto at = static_cast<std::size_t>(i);
      Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
      const double share = static_cast<double>(i) / static_cast<double>(n - 1);
      target.budgets.device = low + Bytes{static_cast<std::int64_t>((high - low).as_double() * share)};
      Meter meter(std::max(units_of(options.effort) / kPointShare, 4 * kQuantum), quiet);
      found[at] = fastest_within(target, starts, ways, quiet, meter);
      spent[at] = meter.spent();
    });
    if (options.on_progress &&
        !options.on_progress({"frontier", std::min(first + kBatch, n), n, std::nullopt}))
      answer.stopped = true;
  }

  std::vector<Planned> all = answer.strategies;
  all.push_back(lean);
  for (std::size_t i = 0; i < found.size(); ++i) {
    answer.units_spent += spent[i];
    if (found[i]) all.push_back(*std::move(found[i]));
  }
  plan::Budgets lower_tiers = problem.budgets;
  lower_tiers.device.reset();
  std::erase_if(all, [&](const Planned& p) { return !fits(p, lower_tiers); });
  std::stable_sort(all.begin(), all.end(), [](const Planned& a, const Planned& b) {
    return a.device_peak() != b.device_peak() ? a.device_peak() < b.device_peak() : a.step_ns < b.step_ns;
  });
  for (Planned& p : all)
    if (answer.points.empty() || p.step_ns < answer.points.back().step_ns)
      answer.points.push_back(std::move(p));
  return answer;
}

}  // namespace worktop::solver
