#include "solver/search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace worktop::solver {
namespace {

constexpr std::int64_t kFirstRound = 2000;
constexpr std::int32_t kAdaptEvery = 128;    // moves between changes of the penalty's weight
constexpr std::int32_t kFittingTarget = 20;  // percent of states that should fit
constexpr double kHottest = 0.002;           // of the graph's total time
constexpr std::size_t kLongestJournal = 2000;
constexpr std::int32_t kSwapReach = 24;  // how far apart in program order two values may be to swap
constexpr double kPolish = 0.0002;
constexpr double kColdest = 0.000002;

struct Moves {
  static constexpr std::int32_t at_touch = 40, anywhere = 15, shift = 15, swap = 5, neighbours = 10,
                                alike = 15;
};
static_assert(Moves::at_touch + Moves::anywhere + Moves::shift + Moves::swap + Moves::neighbours +
                  Moves::alike ==
              100);

// Minus the natural logarithm of a uniform number, to within 0.06, from integers alone: the position of the
// leading bit and a linear rest. Only the acceptance rule needs it.
double exponential(std::uint64_t uniform) {
  if (uniform == 0) return 44.0;
  const int zeros = std::countl_zero(uniform);
  const auto mantissa = static_cast<double>((uniform << zeros) >> 11) / 9007199254740992.0;  // [0.5, 1)
  return 0.69314718055994531 * (zeros + 2.0 * (1.0 - mantissa));
}

}  // namespace

Search::Search(const Graph& graph, const cost::Durations& durations, std::vector<plan::Trip> trips,
               Bytes budget, std::uint64_t seed)
    : graph_(graph),
      durations_(durations),
      trips_(std::move(trips)),
      budget_(budget),
      random_(seed ^ 0x5bd1e9955bd1e995ULL),
      block_values_(graph.block_count()),
      place_in_block_(graph.value_count(), -1) {
  base::IdVector<ValueId, std::uint8_t> on_trip(graph.value_count(), 0);
  for (const plan::Trip& trip : trips_) on_trip[trip.value] = 1;
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    if (!value.holdable || !value.producer.exists() || value.bytes.count() == 0 || on_trip[v]) continue;
    values_.push_back(v);
    const graph::Op& op = graph.op(value.producer);
    if (!op.block.exists() || op.phase != graph::Phase::forward) continue;
    place_in_block_[v] = static_cast<std::int32_t>(block_values_[op.block].size());
    block_values_[op.block].push_back(v);
  }
}

void Search::add_start(const plan::Holding& holding) {
  starts_.push_back(holding);
  const Evaluation state(graph_, durations_, holding, trips_, budget_);
  if (state.fits() && state.replay_ns() < best_ns_) {
    best_ns_ = state.replay_ns();
    best_ = state.holding();
  }
}

void Search::run(Meter& meter, std::int64_t units) {
  if (values_.empty() || starts_.empty()) {
    meter.spend(std::min(units, meter.left()));
    return;
  }
  const std::int64_t end = meter.spent() + units;
  while (!meter.done() && meter.spent() < end) {
    const std::int64_t length = kFirstRound << std::min<std::int64_t>(rounds_ / 2, 40);
    const std::size_t turn = static_cast<std::size_t>(rounds_ / 2) % (starts_.size() + 1);
    const bool polish = best_ && rounds_ % 2 == 0;
    const bool from_best = best_ && (polish || turn == starts_.size());
    const plan::Holding start = from_best ? *best_ : starts_[turn % starts_.size()];
    ++rounds_;
    round(start, std::min(length, end - meter.spent()), polish, meter);
  }
}

void Search::round(const plan::Holding& start, std::int64_t units, bool polish, Meter& meter) {
  Evaluation state(graph_, durations_, start, trips_, budget_);
  journal_.clear();
  journal_follows_ = false;
  anneal(state, units, polish, meter);
}

double Search::loss(const Evaluation& state) const {
  return static_cast<double>(state.replay_ns()) + penalty_ * std::sqrt(static_cast<double>(state.excess()));
}

bool Search::accept(double worse_by) {
  return worse_by <= 0 || worse_by < temperature_ * exponential(random_.next());
}

// What has changed since the best was written down: bringing that up to date is cheaper than a copy.
void Search::note_changes(const Evaluation& state) {
  if (!journal_follows_) return;
  journal_.insert(journal_.end(), state.changes().begin(), state.changes().end());
  if (journal_.size() > kLongestJournal) journal_follows_ = false;
}

void Search::remember(const Evaluation& state) {
  if (!state.fits() || state.replay_ns() >= best_ns_) return;
  best_ns_ = state.replay_ns();
  if (journal_follows_ && best_)
    for (const Evaluation::Change& c : journal_) c.apply(*best_);
  else
    best_ = state.holding();
  journal_.clear();
  journal_follows_ = true;
}

void Search::anneal(Evaluation& state, std::int64_t units, bool polish, Meter& meter) {
  const double total = std::max(1.0, durations_.total().as_double());
  const std::int64_t length = kFirstRound << std::min<std::int64_t>((rounds_ - 1) / 2, 40);
  const std::int64_t steps = std::max<std::int64_t>(1, length / kAdaptEvery);
  // Geometric cooling without a power function: one factor a step, found by repeated square roots of the
  // whole range, which is passed through in the largest power of two that is at most `steps`.
  double cooling = kColdest / kHottest;
  std::int64_t reach = steps;
  while (reach > 1) cooling = std::sqrt(cooling), reach /= 2;
  const std::int64_t colder = 1 + rounds_ / 4;
  temperature_ = (polish ? kPolish : kHottest) * total / static_cast<double>(colder);
  // What the first start is over the budget by is worth a whole step.
  if (penalty_ == 0 && state.excess() > 0) penalty_ = total / std::sqrt(static_cast<double>(state.excess()));
  double now = loss(state);
  std::int32_t fitting = 0;
  for (std::int64_t i = 1; i <= units; ++i) {
    if (!meter.spend(1)) return;
    move(state);
    state.settle();
    const double then = loss(state);
    const bool allowed = polish ? state.fits() : state.possible();
    if (allowed && accept(then - now)) {
      note_changes(state);
      state.commit();
      now = then;
      remember(state);
    } else {
      state.undo();
    }
    fitting += state.fits();
    if (i % kAdaptEvery != 0) continue;
    temperature_ *= cooling;
    if (polish) continue;
    const bool many = fitting * 100 > kFittingTarget * kAdaptEvery;
    penalty_ *= many ? 1 / 1.05 : fitting == 0 ? 1.2 : 1.05;
    penalty_ = std::clamp(penalty_, total * 1e-12, total * 1e3);
    fitting = 0;
    now = loss(state);
  }
}

// ------------------------------------------------------------------------------------------------ moves

void Search::move(Evaluation& state) {
  std::int32_t roll = random_.below(100);
  const auto drawn = [&roll](std::int32_t percent) { return (roll -= percent) < 0; };
  if (drawn(Moves::at_touch)) return toggle_at_touch(state);
  if (drawn(Moves::anywhere)) return toggle_anywhere(state);
  if (drawn(Moves::shift)) return shift(state);
  if (drawn(Moves::swap)) return swap(state);
  if (drawn(Moves::neighbours)) return toggle_neighbours(state);
  toggle_alike(state);
}

ValueId Search::random_value() {
  return values_[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(values_.size())))];
}

// Holds or lets go of the whole run between the touches around `stage`.
void Search::set_run(Evaluation& state, ValueId v, std::int32_t stage, bool hold) {
  if (!state.movable(v) || stage <= graph_.value(v).producer.index()) return;
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  const std::int32_t first = state.touch_before(v, stage) + 1;
  if (hold)
    state.hold(v, first, last);
  else
    state.release(v, first, last);
}

void Search::toggle(Evaluation& state, ValueId v, std::int32_t stage) {
  if (!state.movable(v) || stage <= graph_.value(v).producer.index()) return;
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  set_run(state, v, stage, !state.holding().held(v, last));
}

void Search::hold_parents(Evaluation& state, ValueId v, std::int32_t stage, std::int32_t percent) {
  for (ValueId parent : graph_.reads(graph_.value(v).producer))
    if (state.movable(parent) && !state.holding().present(parent, stage) && random_.chance(percent)) {
      // It becomes needed in `stage`, where there may be no touch yet: hold up to there.
      const std::int32_t first = state.touch_before(parent, stage) + 1;
      state.hold(parent, first, stage);
    }
}

void Search::toggle_at_touch(Evaluation& state) {
  const std::int32_t stage = random_.below(state.stage_count());
  const auto& touched = state.touched(stage);
  if (touched.empty()) return;
  const ValueId v =
      touched[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(touched.size())))];
  toggle(state, v, stage);
}

void Search::toggle_anywhere(Evaluation& state) {
  const ValueId v = random_value();
  const std::int32_t stage = random_.between(graph_.value(v).producer.index() + 1, state.stage_count() - 1);
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  const bool held = state.holding().held(v, last);
  // Made again before its need, in the stage before this one, where there may be more room.
  if (!held && random_.chance(10)) return state.hold(v, stage, last);
  set_run(state, v, stage, !held);
  if (held) hold_parents(state, v, last, 50);
}

// A checkpoint moves: one value goes and what it is made from is held instead, or the other way round.
void Search::shift(Evaluation& state) {
  const ValueId v = random_value();
  const std::int32_t producer = graph_.value(v).producer.index();
  const std::int32_t stage = random_.between(producer + 1, state.stage_count() - 1);
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  if (state.holding().held(v, last)) {
    set_run(state, v, last, false);
    hold_parents(state, v, last, 100);
    return;
  }
  set_run(state, v, last, true);
  for (ValueId parent : graph_.reads(OpId{producer}))
    if (state.movable(parent) && state.holding().held(parent, last) && random_.chance(70))
      set_run(state, parent, last, false);
}

// One value takes the place of another in memory, around one stage.
void Search::swap(Evaluation& state) {
  const auto count = static_cast<std::int32_t>(values_.size());
  const std::int32_t i = random_.below(count);
  const std::int32_t j = std::clamp(i + random_.between(-kSwapReach, kSwapReach), 0, count - 1);
  const ValueId a = values_[static_cast<std::size_t>(i)], b = values_[static_cast<std::size_t>(j)];
  const std::int32_t later = std::max(graph_.value(a).producer.index(), graph_.value(b).producer.index());
  if (later + 1 >= state.stage_count()) return;
  const std::int32_t stage = random_.between(later + 1, state.stage_count() - 1);
  const std::int32_t end_a = state.touch_from(a, stage), end_b = state.touch_from(b, stage);
  if (end_a >= state.stage_count() || end_b >= state.stage_count()) return;
  const bool held = state.holding().held(a, end_a);
  set_run(state, a, stage, !held);
  if (state.holding().held(b, end_b) != held) set_run(state, b, stage, held);
}

void Search::toggle_neighbours(Evaluation& state) {
  const auto count = static_cast<std::int32_t>(values_.size());
  const std::int32_t from = random_.below(count);
  const std::int32_t to = std::min(count - 1, from + random_.between(1, 6));
  const bool hold = random_.chance(50);
  const std::int32_t producer = graph_.value(values_[static_cast<std::size_t>(to)]).producer.index();
  const std::int32_t stage =
      random_.between(std::min(producer + 1, state.stage_count() - 1), state.stage_count() - 1);
  for (std::int32_t i = from; i <= to; ++i) set_run(state, values_[static_cast<std::size_t>(i)], stage, hold);
}

// The same change in a range of blocks of one kind, for the value at the same place in each.
void Search::toggle_alike(Evaluation& state) {
  const ValueId v = random_value();
  const std::int32_t place = place_in_block_[v];
  if (place < 0) return toggle_anywhere(state);
  const graph::BlockId own = graph_.op(graph_.value(v).producer).block;
  const std::int32_t first = random_.between(0, own.index());
  const std::int32_t last = random_.between(own.index(), graph_.block_count() - 1);
  const bool hold = random_.chance(50);
  for (std::int32_t b = first; b <= last; ++b) {
    const graph::BlockId block{b};
    if (graph_.block(block).kind != graph_.block(own).kind) continue;
    const auto& values = block_values_[block];
    if (static_cast<std::size_t>(place) >= values.size()) continue;
    const ValueId twin = values[static_cast<std::size_t>(place)];
    // The run that backward needs: the one after the last forward op.
    const std::int32_t stage = graph_.block(block).last.index() + 1;
    set_run(state, twin, std::max(stage, graph_.value(twin).producer.index() + 1), hold);
  }
}

}  // namespace worktop::solver
