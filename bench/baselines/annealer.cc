#include "baselines/annealer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "plan/hold.h"
#include "plan/lower.h"
#include "solver/evaluation.h"

namespace worktop::bench {
namespace {

using graph::ValueId;

// Temperatures in typical durations of an op. The excess of keeping everything costs kWeight whole steps.
constexpr double kHot = 1, kCold = 0.003, kWeight = 5;
constexpr std::int64_t kCool = 256;  // moves between two temperatures

std::vector<ValueId> values_with_gaps(const graph::Graph& graph, const solver::Evaluation& state) {
  std::vector<ValueId> values;
  for (ValueId v : base::ids<ValueId>(graph.value_count()))
    if (state.movable(v) && graph.value(v).bytes.count() > 0) values.push_back(v);
  return values;
}

// Flips the gap of `v` that lies around boundary `at`, if there is one.
void flip_gap(solver::Evaluation& state, ValueId v, std::int32_t at) {
  const std::int32_t before = state.touch_before(v, at);
  const std::int32_t next = state.touch_from(v, at);
  if (before < 0 || next >= state.stage_count()) return;
  if (state.holding().held(v, at))
    state.release(v, before + 1, next);
  else
    state.hold(v, before + 1, next);
}

}  // namespace

std::optional<plan::Plan> anneal_gaps(const graph::Graph& graph, const machine::Machine& machine,
                                      const cost::Durations& durations, base::Bytes budget,
                                      std::int64_t units, std::uint64_t seed) {
  const base::IdVector<ValueId, plan::Fate> keep(graph.value_count(), plan::Fate::keep);
  solver::Evaluation state(graph, durations, plan::hold(graph, keep, plan::Replay::hold).holding, {}, budget);
  const std::vector<ValueId> values = values_with_gaps(graph, state);
  double step_ns = 0;
  for (graph::OpId op : base::ids<graph::OpId>(graph.op_count())) step_ns += durations[op].as_double();
  const double typical = step_ns / graph.op_count();
  const double weight = kWeight * step_ns / std::sqrt(std::max(1.0, static_cast<double>(state.excess())));
  const auto loss = [&] {
    return static_cast<double>(state.replay_ns()) + weight * std::sqrt(static_cast<double>(state.excess()));
  };
  base::Random random(seed);
  std::optional<plan::Holding> best;
  std::int64_t best_ns = 0;
  double now = loss(), temperature = kHot * typical;
  for (std::int64_t move = 0, spent = 0; spent < units && !values.empty(); ++move) {
    spent = std::max(move, state.work() / solver::kWorkPerUnit);
    if (move % kCool == 0)
      temperature =
          typical * kHot * std::pow(kCold / kHot, static_cast<double>(spent) / static_cast<double>(units));
    const auto chosen = random.below(static_cast<std::int32_t>(values.size()));
    flip_gap(state, values[static_cast<std::size_t>(chosen)], random.below(state.stage_count()));
    state.settle();
    const double then = loss();
    const double chance = static_cast<double>(random.next() >> 11) * 0x1p-53;
    if (!state.possible() || (then > now && chance >= std::exp((now - then) / temperature))) {
      state.undo();
      continue;
    }
    state.commit();
    now = then;
    if (!state.fits() || (best && state.replay_ns() >= best_ns)) continue;
    best = state.holding();
    best_ns = state.replay_ns();
  }
  if (!best) return std::nullopt;
  auto plan = plan::lower(graph, machine, *best, {}, "annealer");
  return plan ? std::optional(*std::move(plan)) : std::nullopt;
}

}  // namespace worktop::bench
