#include "solver/annealing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace worktop::solver {
namespace {

constexpr std::int32_t kAdaptEvery = 128;    // moves between changes of the penalty's weight
constexpr std::int32_t kFittingTarget = 20;  // percent of states that should fit
constexpr std::int64_t kCoolings = 64;       // steps of temperature
constexpr std::size_t kLongestJournal = 2000;

// Minus the natural logarithm of a uniform number, to within 0.06, from integers alone: the position of the
// leading bit and a linear rest. Only the acceptance rule needs it.
double exponential(std::uint64_t uniform) {
  if (uniform == 0) return 44.0;
  const int zeros = std::countl_zero(uniform);
  const auto mantissa = static_cast<double>((uniform << zeros) >> 11) / 9007199254740992.0;  // [0.5, 1)
  return 0.69314718055994531 * (zeros + 2.0 * (1.0 - mantissa));
}

}  // namespace

Annealing::Annealing(const Graph& graph, const cost::Durations& durations, const Moves& moves,
                     const std::vector<plan::Trip>& trips, Bytes budget, plan::Holding start,
                     Schedule schedule, double penalty)
    : state_(graph, durations, std::move(start), trips, budget),
      moves_(moves),
      schedule_(schedule),
      total_(std::max(1.0, durations.total().as_double())),
      penalty_(penalty),
      temperature_(schedule.hot),
      cooling_(schedule.cold / schedule.hot) {
  for (std::int64_t n = kCoolings; n > 1; n /= 2) cooling_ = std::sqrt(cooling_);
  if (penalty_ == 0 && state_.excess() > 0)
    penalty_ = total_ / std::sqrt(static_cast<double>(state_.excess()));
  now_ = loss();
  remember();
}

double Annealing::loss() const {
  return static_cast<double>(state_.replay_ns()) + penalty_ * std::sqrt(static_cast<double>(state_.excess()));
}

bool Annealing::accept(double worse_by, base::Random& random) const {
  return worse_by <= 0 || worse_by < temperature_ * exponential(random.next());
}

// What has changed since the best was written down: bringing that up to date is cheaper than a copy.
void Annealing::note_changes() {
  if (!journal_follows_) return;
  journal_.insert(journal_.end(), state_.changes().begin(), state_.changes().end());
  if (journal_.size() > kLongestJournal) journal_follows_ = false;
}

void Annealing::remember() {
  if (!state_.fits() || (best_ && state_.replay_ns() >= best_->replay_ns)) return;
  if (journal_follows_ && best_) {
    for (const Evaluation::Change& c : journal_) c.apply(best_->holding);
    best_->replay_ns = state_.replay_ns();
  } else {
    best_ = Found{state_.holding(), state_.replay_ns()};
  }
  journal_.clear();
  journal_follows_ = true;
}

void Annealing::run(Meter& meter, std::int64_t units, base::Random& random) {
  const std::int64_t end = std::min(schedule_.units, spent_ + units);
  while (spent_ < end) {
    const std::int64_t before = state_.work();
    step(random);
    const std::int64_t cost = 1 + (state_.work() - before) / kWorkPerUnit;
    spent_ += cost;
    while (cooled_ * schedule_.units < spent_ * kCoolings) ++cooled_, temperature_ *= cooling_;
    if (!meter.spend(cost)) return;
  }
}

void Annealing::step(base::Random& random) {
  moves_.propose(state_, random);
  state_.settle();
  const double then = loss();
  const bool allowed = schedule_.within ? state_.fits() : state_.possible();
  if (allowed && accept(then - now_, random)) {
    note_changes();
    state_.commit();
    now_ = then;
    remember();
  } else {
    state_.undo();
  }
  fitting_ += state_.fits();
  if (++steps_ % kAdaptEvery == 0) adapt();
}

void Annealing::adapt() {
  if (schedule_.within) return;
  const bool many = fitting_ * 100 > kFittingTarget * kAdaptEvery;
  penalty_ *= many ? 1 / 1.05 : fitting_ == 0 ? 1.2 : 1.05;
  penalty_ = std::clamp(penalty_, total_ * 1e-12, total_ * 1e3);
  fitting_ = 0;
  now_ = loss();
}

}  // namespace worktop::solver
