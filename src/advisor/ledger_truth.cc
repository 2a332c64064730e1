#include "advisor/ledger_truth.h"

#include <algorithm>
#include <utility>

#include "advisor/asked.h"
#include "plan/lower.h"
#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using cost::LedgerStrategy;

std::int32_t permille(double share) {
  return static_cast<std::int32_t>(share * 1000 + 0.5);
}

// Plays strategies in the units of a kitchen.
class Player {
 public:
  Player(const Subject& subject, const cost::LedgerQuestion& question)
      : subject_(subject), question_(question), keep_all_(play(solver::keep_all())) {}

  [[nodiscard]] const solver::Planned& keep_all() const { return *keep_all_; }
  [[nodiscard]] bool has_host() const { return subject_.machine.has_tier(machine::Tier::host); }

  [[nodiscard]] std::optional<plan::Policy> policy(LedgerStrategy strategy, std::int64_t segments,
                                                   double beta) const {
    const auto k = static_cast<std::int32_t>(segments);
    switch (strategy) {
      case LedgerStrategy::keep_all:
        return solver::keep_all();
      case LedgerStrategy::checkpoint:
        return solver::checkpoint(subject_.graph, k);
      case LedgerStrategy::recompute_all:
        return solver::recompute_all();
      case LedgerStrategy::offload_all:
        if (!has_host()) return std::nullopt;
        return solver::offload_all(machine::Tier::host);
      case LedgerStrategy::hybrid:
        if (!has_host()) return std::nullopt;
        return solver::hybrid(subject_.graph, permille(beta), k, machine::Tier::host);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<solver::Planned> play(const plan::Policy& policy) const {
    auto plan = plan::lower(subject_.graph, subject_.machine, policy, subject_.durations.op);
    if (!plan) return std::nullopt;
    return solver::predict({subject_.graph, subject_.machine, subject_.durations, {}}, *std::move(plan));
  }

  [[nodiscard]] PlayedLayer layer(const solver::Planned& planned) const {
    const cost::Kitchen& kitchen = question_.kitchen;
    PlayedLayer layer;
    layer.memory_gb = ratio(planned.device_peak(), base::kGB);
    layer.extra_compute_s = ratio(planned.recompute_ns, base::kSecond);
    layer.extra_transfer_s = ratio(planned.link_busy_ns, base::kSecond);
    layer.added_s = ratio(planned.step_ns - keep_all_->step_ns, base::kSecond);
    layer.stalled_s = ratio(planned.stalled_ns, base::kSecond);
    const double saved_gb = ratio(keep_all_->device_peak() - planned.device_peak(), base::kGB);
    layer.r_mem = saved_gb / kitchen.activations_gb();
    layer.memory_share = 1 - layer.r_mem;
    layer.r_mem_total = saved_gb / (kitchen.base_gb + kitchen.activations_gb());
    layer.r_cost = (layer.extra_compute_s + layer.extra_transfer_s) / kitchen.forward_s;
    layer.cost = question_.weights.memory * layer.memory_gb +
                 question_.weights.compute * layer.extra_compute_s +
                 question_.weights.transfer * layer.extra_transfer_s;
    layer.over_memory = !cost::keeps_limit(layer.memory_gb, question_.limits.memory_gb);
    layer.over_time = !cost::keeps_limit(layer.added_s, question_.limits.time_s);
    return layer;
  }

 private:
  const Subject& subject_;
  const cost::LedgerQuestion& question_;
  std::optional<solver::Planned> keep_all_;
};

LedgerLayer layer_of(const cost::LedgerRow& row) {
  return {.memory_gb = row.memory_gb,
          .extra_compute_s = row.extra_compute_s,
          .extra_transfer_s = row.extra_transfer_s,
          .cost = row.cost,
          .r_mem = row.r_mem,
          .r_mem_total = row.r_mem_total,
          .r_cost = row.r_cost,
          .memory_share = 1 - row.r_mem,
          .over_memory = row.over_memory,
          .over_time = row.over_time};
}

std::optional<cost::ThumbPoint> thumb_of(LedgerStrategy strategy) {
  switch (strategy) {
    case LedgerStrategy::checkpoint:
      return cost::kThumbCheckpoint;
    case LedgerStrategy::recompute_all:
      return cost::kThumbRecompute;
    case LedgerStrategy::offload_all:
      return cost::kThumbOffload;
    case LedgerStrategy::hybrid:
      return cost::stacked("checkpoint+offload", cost::kThumbCheckpoint, cost::kThumbOffload);
    case LedgerStrategy::keep_all:
      break;
  }
  return std::nullopt;
}

StackShare share_of(const cost::ThumbPoint& point, bool transfer) {
  return {point.memory_share, transfer ? 0 : point.extra_share, transfer ? point.extra_share : 0};
}

// The extra of checkpointing is quoted of the step, that is three forwards; here as in the source, where it
// stands beside the others: of the forward.
StackShare thumb_share(LedgerStrategy strategy) {
  if (strategy == LedgerStrategy::checkpoint) return share_of(cost::kThumbCheckpoint, false);
  if (strategy == LedgerStrategy::recompute_all) return share_of(cost::kThumbRecompute, false);
  return share_of(cost::kThumbOffload, true);
}

std::optional<ThumbLayer> thumb_layer(LedgerStrategy strategy, const cost::Kitchen& kitchen) {
  const auto point = thumb_of(strategy);
  if (!point) return std::nullopt;
  StackShare share = thumb_share(strategy);
  if (strategy == LedgerStrategy::hybrid)
    share = {point->memory_share, cost::kThumbCheckpoint.extra_share, cost::kThumbOffload.extra_share};
  return ThumbLayer{.memory_share = point->memory_share,
                    .extra_share = point->extra_share,
                    .memory_gb = kitchen.base_gb + point->memory_share * kitchen.activations_gb(),
                    .extra_compute_s = share.compute * kitchen.forward_s,
                    .extra_transfer_s = share.transfer * kitchen.forward_s};
}

StackShare share_of(const LedgerLayer& layer, double forward_s) {
  return {layer.memory_share, layer.extra_compute_s / forward_s, layer.extra_transfer_s / forward_s};
}

StackShare times(const StackShare& a, const StackShare& b) {
  return {a.memory * b.memory, a.compute + b.compute, a.transfer + b.transfer};
}

std::string played_as(LedgerStrategy strategy, const Player* player, const cost::Ledger& ledger) {
  if (player)
    if (const auto policy = player->policy(strategy, ledger.segments, *ledger.question.beta))
      return policy->name;
  return std::string(name_of(strategy));
}

void play_lines(LedgerTruth& truth, const Player& player) {
  std::optional<double> least;
  for (LedgerLine& line : truth.lines) {
    const auto policy = player.policy(line.strategy, truth.ledger.segments, *truth.ledger.question.beta);
    const auto planned = policy ? player.play(*policy) : std::nullopt;
    if (!planned) continue;
    line.played = player.layer(*planned);
    if (line.competes && line.played->fits() && (!least || line.played->cost < *least))
      least = line.played->cost;
  }
  for (LedgerLine& line : truth.lines) {  // ties are won by the earlier line, as in the ledger
    if (!least || !line.played || !line.competes || !line.played->fits()) continue;
    if (line.played->cost > *least * (1 + cost::kRounding)) continue;
    line.wins_played = true;
    return;
  }
}

const LedgerLine* line_of(const LedgerTruth& truth, LedgerStrategy strategy) {
  const auto line = std::ranges::find(truth.lines, strategy, &LedgerLine::strategy);
  return line == truth.lines.end() ? nullptr : &*line;
}

// Checkpointing with offload beside it: played as a hybrid.
base::Result<Stack> checkpoint_and_offload(const LedgerTruth& truth, const Player* player) {
  const LedgerStrategy part = LedgerStrategy::checkpoint;
  const std::int64_t segments = truth.ledger.segments;
  const double forward_s = truth.ledger.question.kitchen.forward_s;
  const LedgerLine& first = *line_of(truth, part);
  const LedgerLine& second = *line_of(truth, LedgerStrategy::offload_all);
  Stack stack;
  stack.name = "checkpoint+offload";
  stack.parts = {part, LedgerStrategy::offload_all};
  stack.thumb = times(thumb_share(part), thumb_share(LedgerStrategy::offload_all));
  stack.ledger_parts = times(share_of(first.ledger, forward_s), share_of(second.ledger, forward_s));
  cost::LedgerQuestion question = truth.ledger.question;
  question.segments = segments;
  WORKTOP_TRY(const cost::Ledger ledger, cost::make_ledger(question));
  stack.ledger = share_of(layer_of(ledger.rows.back()), forward_s);
  stack.played_as = played_as(LedgerStrategy::hybrid, player, ledger);
  if (!first.played || !second.played) return stack;
  stack.played_parts = times(share_of(*first.played, forward_s), share_of(*second.played, forward_s));
  const auto policy = player->policy(LedgerStrategy::hybrid, segments, *question.beta);
  if (const auto planned = policy ? player->play(*policy) : std::nullopt) {
    const PlayedLayer layer = player->layer(*planned);
    stack.played = share_of(layer, forward_s);
    stack.overlapped = layer.added_s / forward_s;
  }
  return stack;
}

std::vector<CurvePoint> curve_of(const cost::Kitchen& kitchen, const Player* player) {
  std::vector<CurvePoint> curve;
  for (std::int64_t k = 1; k <= kitchen.layers; k += std::max<std::int64_t>(1, k / 32)) {
    const auto segments = static_cast<double>(k);
    CurvePoint point{.segments = k,
                     .ledger_gb = kitchen.base_gb + kitchen.activations_gb() / segments,
                     .held_gb = cost::checkpoint_memory_true(kitchen, k),
                     .ledger_extra_s = kitchen.forward_s * (segments - 1) / segments};
    if (player)
      if (const auto planned = player->play(*player->policy(LedgerStrategy::checkpoint, k, 0))) {
        point.played_gb = ratio(planned->device_peak(), base::kGB);
        point.played_extra_s = ratio(planned->recompute_ns, base::kSecond);
      }
    curve.push_back(point);
  }
  return curve;
}

}  // namespace

base::Result<LedgerTruth> ledger_truth(const cost::LedgerQuestion& question, const Subject* subject,
                                       std::string why_not, bool curve) {
  LedgerTruth truth;
  WORKTOP_TRY(truth.ledger, cost::make_ledger(question));
  truth.why_not_played = std::move(why_not);
  const std::optional<Player> played =
      subject ? std::optional<Player>(std::in_place, *subject, truth.ledger.question) : std::nullopt;
  const Player* player = played ? &*played : nullptr;
  for (const cost::LedgerRow& row : truth.ledger.rows)
    truth.lines.push_back({.strategy = row.strategy,
                           .played_as = played_as(row.strategy, player, truth.ledger),
                           .competes = row.competes,
                           .wins = truth.ledger.best == row.strategy,
                           .ledger = layer_of(row),
                           .played = std::nullopt,
                           .thumb = thumb_layer(row.strategy, question.kitchen)});
  if (player) play_lines(truth, *player);
  WORKTOP_TRY(Stack checkpoints, checkpoint_and_offload(truth, player));
  truth.stacks = {std::move(checkpoints)};
  if (curve) truth.curve = curve_of(question.kitchen, player);
  return truth;
}

}  // namespace worktop::advisor
