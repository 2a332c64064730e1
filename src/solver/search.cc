#include "solver/search.h"

#include <algorithm>

namespace worktop::solver {
namespace {

constexpr std::int64_t kLeastLength = 1000;  // units of an annealing in the first phase, ...
constexpr std::int64_t kLengthPerValue = 4;  // ... or this for each value that can be moved
constexpr std::int32_t kChildren = 4, kRound = 2 + kChildren, kPhase = 3 * kRound;
constexpr std::size_t kPopulation = 8;
// Temperatures, in typical durations of an op.
constexpr double kHot = 0.5, kWarm = 0.1, kCool = 0.05, kCold = 0.002;

}  // namespace

Search::Search(const Graph& graph, const cost::Durations& durations, std::vector<plan::Trip> trips,
               Bytes budget, std::uint64_t seed, bool with_children)
    : graph_(graph),
      durations_(durations),
      trips_(std::move(trips)),
      budget_(budget),
      with_children_(with_children),
      random_(seed ^ 0x5bd1e9955bd1e995ULL),
      moves_(graph, trips_) {
  double sum = 0;
  std::int64_t ops = 0;
  for (graph::OpId op : base::ids<graph::OpId>(graph.op_count())) {
    if (graph.op(op).phase != graph::Phase::forward || durations[op].count() == 0) continue;
    sum += durations[op].as_double();
    ++ops;
  }
  if (ops > 0) typical_ns_ = std::max(1.0, sum / static_cast<double>(ops));
}

void Search::add_start(const plan::Holding& holding) {
  starts_.push_back(holding);
  const Evaluation state(graph_, durations_, holding, trips_, budget_);
  if (!state.fits()) return;
  join({state.holding(), state.replay_ns()});
  if (state.replay_ns() >= best_ns_) return;
  best_ns_ = state.replay_ns();
  best_ = state.holding();
}

void Search::run(Meter& meter, std::int64_t units) {
  if (moves_.empty() || starts_.empty()) {
    meter.spend(std::min(units, meter.left()));
    return;
  }
  const std::int64_t end = meter.spent() + units;
  while (!meter.done() && meter.spent() < end) {
    if (!current_) current_ = next_annealing();
    current_->run(meter, end - meter.spent(), random_);
    take(*current_, current_->done());
    if (current_->done()) current_.reset();
  }
}

std::unique_ptr<Annealing> Search::annealing(plan::Holding start, std::int64_t units, double hot, double cold,
                                             bool within) const {
  const Schedule schedule{
      .units = units, .hot = hot * typical_ns_, .cold = cold * typical_ns_, .within = within};
  return std::make_unique<Annealing>(graph_, durations_, moves_, trips_, budget_, std::move(start), schedule,
                                     penalty_);
}

std::unique_ptr<Annealing> Search::next_annealing() {
  const std::int64_t length = std::max(kLeastLength, kLengthPerValue * moves_.value_count())
                              << std::min<std::int64_t>(annealings_ / kPhase, 30);
  const std::int64_t place = annealings_++ % kRound;
  if (place == 0 && best_) return annealing(*best_, length, kCool, kCold, true);
  if (place <= 1 || !with_children_ || population_.size() < 2) {
    const auto turn = static_cast<std::size_t>(restarts_++);
    // As long as nothing fits, ever hotter ones, in turn.
    const double hot = best_ ? kHot : kHot * static_cast<double>(1 << (2 * (turn % 3)));
    return annealing(starts_[turn % starts_.size()], length, hot, kCold, false);
  }
  return annealing(child(), length / 4, kWarm, kCold, false);
}

// The rows of one parent for an interval of values, of another for the rest.
plan::Holding Search::child() {
  const auto count = static_cast<std::int32_t>(population_.size());
  const std::int32_t a = random_.below(count);
  std::int32_t b = random_.below(count - 1);
  b += b >= a;
  plan::Holding holding = population_[static_cast<std::size_t>(a)].holding;
  const plan::Holding& other = population_[static_cast<std::size_t>(b)].holding;
  std::int32_t first = random_.below(graph_.value_count()), last = random_.below(graph_.value_count());
  if (last < first) std::swap(first, last);
  for (std::int32_t v = first; v <= last; ++v) holding.copy_row(other, ValueId{v});
  return holding;
}

void Search::take(Annealing& annealing, bool is_over) {
  penalty_ = annealing.penalty();
  std::optional<Found>& found = annealing.best();
  if (!found) return;
  if (found->replay_ns < best_ns_) best_ns_ = found->replay_ns, best_ = found->holding;
  if (is_over) join(*std::move(found));
}

// Of equals in time one is enough; beyond the most, the worst goes.
void Search::join(Found found) {
  const auto same = std::ranges::find(population_, found.replay_ns, &Found::replay_ns);
  if (same != population_.end()) {
    same->holding = std::move(found.holding);
    return;
  }
  population_.push_back(std::move(found));
  if (population_.size() <= kPopulation) return;
  population_.erase(std::ranges::max_element(population_, {}, &Found::replay_ns));
}

}  // namespace worktop::solver
