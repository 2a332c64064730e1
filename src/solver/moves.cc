#include "solver/moves.h"

#include <algorithm>

namespace worktop::solver {

using base::Random;

namespace {

constexpr std::int32_t kSwapReach = 24;  // how far apart in program order two values may be to swap

struct Weights {
  static constexpr std::int32_t at_touch = 40, anywhere = 15, shift = 15, swap = 12, neighbours = 8,
                                alike = 10;
};
static_assert(Weights::at_touch + Weights::anywhere + Weights::shift + Weights::swap + Weights::neighbours +
                  Weights::alike ==
              100);

}  // namespace

Moves::Moves(const Graph& graph, const std::vector<plan::Trip>& trips)
    : graph_(graph), block_values_(graph.block_count()), place_in_block_(graph.value_count(), -1) {
  base::IdVector<ValueId, std::uint8_t> on_trip(graph.value_count(), 0);
  for (const plan::Trip& trip : trips) on_trip[trip.value] = 1;
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

void Moves::propose(Evaluation& state, Random& random) const {
  std::int32_t roll = random.below(100);
  const auto drawn = [&roll](std::int32_t percent) { return (roll -= percent) < 0; };
  if (drawn(Weights::at_touch)) return toggle_at_touch(state, random);
  if (drawn(Weights::anywhere)) return toggle_anywhere(state, random);
  if (drawn(Weights::shift)) return shift(state, random);
  if (drawn(Weights::swap)) return swap(state, random);
  if (drawn(Weights::neighbours)) return toggle_neighbours(state, random);
  toggle_alike(state, random);
}

ValueId Moves::random_value(Random& random) const {
  return values_[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(values_.size())))];
}

// Holds or lets go of the whole run between the touches around `stage`.
void Moves::set_run(Evaluation& state, ValueId v, std::int32_t stage, bool hold) const {
  if (!state.movable(v) || stage <= graph_.value(v).producer.index()) return;
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  const std::int32_t first = state.touch_before(v, stage) + 1;
  if (hold)
    state.hold(v, first, last);
  else
    state.release(v, first, last);
}

void Moves::toggle(Evaluation& state, ValueId v, std::int32_t stage) const {
  if (!state.movable(v) || stage <= graph_.value(v).producer.index()) return;
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  set_run(state, v, stage, !state.holding().held(v, last));
}

void Moves::hold_parents(Evaluation& state, ValueId v, std::int32_t stage, std::int32_t percent,
                         Random& random) const {
  for (ValueId parent : graph_.reads(graph_.value(v).producer))
    if (state.movable(parent) && !state.holding().present(parent, stage) && random.chance(percent)) {
      // It becomes needed in `stage`, where there may be no touch yet: hold up to there.
      const std::int32_t first = state.touch_before(parent, stage) + 1;
      state.hold(parent, first, stage);
    }
}

void Moves::toggle_at_touch(Evaluation& state, Random& random) const {
  const std::int32_t stage = random.below(state.stage_count());
  const auto& touched = state.touched(stage);
  if (touched.empty()) return;
  const ValueId v =
      touched[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(touched.size())))];
  toggle(state, v, stage);
}

void Moves::toggle_anywhere(Evaluation& state, Random& random) const {
  const ValueId v = random_value(random);
  const std::int32_t stage = random.between(graph_.value(v).producer.index() + 1, state.stage_count() - 1);
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  const bool held = state.holding().held(v, last);
  // Made again before its need, in the stage before this one, where there may be more room.
  if (!held && random.chance(10)) return state.hold(v, stage, last);
  set_run(state, v, stage, !held);
  if (held) hold_parents(state, v, last, 50, random);
}

// A checkpoint moves: one value goes and what it is made from is held instead, or the other way round.
void Moves::shift(Evaluation& state, Random& random) const {
  const ValueId v = random_value(random);
  const std::int32_t producer = graph_.value(v).producer.index();
  const std::int32_t stage = random.between(producer + 1, state.stage_count() - 1);
  const std::int32_t last = state.touch_from(v, stage);
  if (last >= state.stage_count()) return;
  if (state.holding().held(v, last)) {
    set_run(state, v, last, false);
    hold_parents(state, v, last, 100, random);
    return;
  }
  set_run(state, v, last, true);
  for (ValueId parent : graph_.reads(OpId{producer}))
    if (state.movable(parent) && state.holding().held(parent, last) && random.chance(70))
      set_run(state, parent, last, false);
}

// One value takes the place of another in memory, around one stage.
void Moves::swap(Evaluation& state, Random& random) const {
  const auto count = static_cast<std::int32_t>(values_.size());
  const std::int32_t i = random.below(count);
  const std::int32_t j = std::clamp(i + random.between(-kSwapReach, kSwapReach), 0, count - 1);
  const ValueId a = values_[static_cast<std::size_t>(i)], b = values_[static_cast<std::size_t>(j)];
  const std::int32_t later = std::max(graph_.value(a).producer.index(), graph_.value(b).producer.index());
  if (later + 1 >= state.stage_count()) return;
  const std::int32_t stage = random.between(later + 1, state.stage_count() - 1);
  const std::int32_t end_a = state.touch_from(a, stage), end_b = state.touch_from(b, stage);
  if (end_a >= state.stage_count() || end_b >= state.stage_count()) return;
  const bool held = state.holding().held(a, end_a);
  set_run(state, a, stage, !held);
  if (state.holding().held(b, end_b) != held) set_run(state, b, stage, held);
}

void Moves::toggle_neighbours(Evaluation& state, Random& random) const {
  const auto count = static_cast<std::int32_t>(values_.size());
  const std::int32_t from = random.below(count);
  const std::int32_t to = std::min(count - 1, from + random.between(1, 6));
  const bool hold = random.chance(50);
  const std::int32_t producer = graph_.value(values_[static_cast<std::size_t>(to)]).producer.index();
  const std::int32_t stage =
      random.between(std::min(producer + 1, state.stage_count() - 1), state.stage_count() - 1);
  for (std::int32_t i = from; i <= to; ++i) set_run(state, values_[static_cast<std::size_t>(i)], stage, hold);
}

// The same change in a range of blocks of one kind, for the value at the same place in each.
void Moves::toggle_alike(Evaluation& state, Random& random) const {
  const ValueId v = random_value(random);
  const std::int32_t place = place_in_block_[v];
  if (place < 0) return toggle_anywhere(state, random);
  const graph::BlockId own = graph_.op(graph_.value(v).producer).block;
  const std::int32_t first = random.between(0, own.index());
  const std::int32_t last = random.between(own.index(), graph_.block_count() - 1);
  const bool hold = random.chance(50);
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
