#include "cost/ledger.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ensure.h"
#include "base/names.h"
#include "cost/ledger_changes.h"

namespace worktop::cost {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;

constexpr std::array kStrategies{LedgerStrategy::keep_all, LedgerStrategy::checkpoint,
                                 LedgerStrategy::recompute_all, LedgerStrategy::offload_all,
                                 LedgerStrategy::hybrid};

bool contains(const std::vector<LedgerStrategy>& strategies, LedgerStrategy wanted) {
  return std::ranges::find(strategies, wanted) != strategies.end();
}

// NaN fails every comparison, so the question is asked the positive way round.
Status within_range(double value, double least, double most, const char* where, const char* hint) {
  if (value >= least && value <= most) return {};
  return fail(ErrorCode::usage, std::string(where) + " is out of range", where, hint);
}

Status within_range(std::optional<double> value, double least, double most, const char* where,
                    const char* hint) {
  if (!value) return {};
  return within_range(*value, least, most, where, hint);
}

Status check_kitchen(const Kitchen& kitchen) {
  if (kitchen.layers < 1 || kitchen.layers > kMostLayers)
    return fail(ErrorCode::usage, "layers is out of range", "layers", "use 1 to 1000000");
  WORKTOP_CHECK(within_range(kitchen.activation_gb, kLeastQuantity, kLargestQuantity, "activation",
                             "use a positive size of at most 1e12 GB, such as 3GB"));
  WORKTOP_CHECK(
      within_range(kitchen.base_gb, 0, kLargestQuantity, "base", "use a size of 0 to 1e12 GB, such as 12GB"));
  WORKTOP_CHECK(within_range(kitchen.forward_s, kLeastQuantity, kLargestQuantity, "forward",
                             "use a positive time of at most 1e12 s, such as 120s"));
  return within_range(kitchen.bandwidth_gb_per_s, kLeastQuantity, kLargestQuantity, "bandwidth",
                      "use a positive rate of at most 1e12 GB/s, such as 50GB/s");
}

Status check_wishes(const LedgerQuestion& question) {
  const char* unit_share = "use a number from 0 to 1";
  const char* amount = "use a number of 0 to 1e12";
  WORKTOP_CHECK(within_range(question.weights.memory, 0, 1, "lambda", unit_share));
  WORKTOP_CHECK(within_range(question.weights.compute, 0, 1, "lambda", unit_share));
  WORKTOP_CHECK(within_range(question.weights.transfer, 0, 1, "lambda", unit_share));
  WORKTOP_CHECK(within_range(question.limits.memory_gb, 0, kLargestQuantity, "memory-limit", amount));
  WORKTOP_CHECK(within_range(question.limits.time_s, 0, kLargestQuantity, "time-limit", amount));
  WORKTOP_CHECK(within_range(question.beta, 0, 1, "beta", unit_share));
  WORKTOP_CHECK(within_range(question.transfer_window_s, 0, kLargestQuantity, "window", amount));
  WORKTOP_CHECK(within_range(question.compute_limit_s, 0, kLargestQuantity, "compute-limit", amount));
  if (question.segments && (*question.segments < 1 || *question.segments > question.kitchen.layers))
    return fail(ErrorCode::usage, "there cannot be so many segments", "segments",
                "use 1 to " + std::to_string(question.kitchen.layers) + " (one a layer), or best");
  if (question.compete && question.compete->empty())
    return fail(ErrorCode::usage, "nothing competes", "compete", "name at least one strategy, or all");
  if (!question.beta && question.compete && contains(*question.compete, LedgerStrategy::hybrid))
    return fail(ErrorCode::usage, "the hybrid cannot compete without its share of recompute", "compete",
                "give beta, such as 0.5");
  return {};
}

bool competes(const LedgerQuestion& question, LedgerStrategy strategy) {
  if (question.compete) return contains(*question.compete, strategy);
  return strategy == LedgerStrategy::keep_all || strategy == LedgerStrategy::checkpoint ||
         strategy == LedgerStrategy::offload_all;
}

// Memory (of activations alone) and both extras of one strategy: the table of the header, line by line.
LedgerRow table_row(LedgerStrategy strategy, const Kitchen& kitchen, std::int64_t segments, double beta) {
  const double all_gb = kitchen.activations_gb();
  const double k = static_cast<double>(segments);
  const double replay_s = kitchen.forward_s * (k - 1) / k;
  const double transfer_s = all_gb / kitchen.bandwidth_gb_per_s;
  LedgerRow row;
  row.strategy = strategy;
  switch (strategy) {
    case LedgerStrategy::keep_all:
      row.memory_gb = all_gb;
      break;
    case LedgerStrategy::checkpoint:
      row.memory_gb = all_gb / k;
      row.extra_compute_s = replay_s;
      break;
    case LedgerStrategy::recompute_all:
      row.extra_compute_s = kitchen.forward_s;
      break;
    case LedgerStrategy::offload_all:
      row.extra_transfer_s = transfer_s;
      break;
    case LedgerStrategy::hybrid:
      row.memory_gb = beta * (all_gb / k);
      row.extra_compute_s = beta * replay_s;
      row.extra_transfer_s = (1 - beta) * transfer_s;
      break;
  }
  return row;
}

LedgerRow full_row(LedgerStrategy strategy, const LedgerQuestion& question, std::int64_t segments) {
  const Kitchen& kitchen = question.kitchen;
  LedgerRow row = table_row(strategy, kitchen, segments, question.beta.value_or(0));
  const double saved_gb = kitchen.activations_gb() - row.memory_gb;
  row.memory_gb += kitchen.base_gb;
  row.r_mem = saved_gb / kitchen.activations_gb();
  row.r_mem_total = saved_gb / (kitchen.base_gb + kitchen.activations_gb());
  row.cost = question.weights.memory * row.memory_gb + question.weights.compute * row.extra_compute_s +
             question.weights.transfer * row.extra_transfer_s;
  row.r_cost = row.extra_s() / kitchen.forward_s;
  row.competes = competes(question, strategy);
  row.over_memory = !keeps_limit(row.memory_gb, question.limits.memory_gb);
  row.over_time = !keeps_limit(row.extra_s(), question.limits.time_s);
  return row;
}

BestSegments best_segments(const LedgerQuestion& question) {
  // Only the part of the cost that depends on K is compared: the rest would drown it in rounding.
  const double slope = question.weights.memory * question.kitchen.activations_gb() -
                       question.weights.compute * question.kitchen.forward_s;
  const auto better = [slope](std::int64_t k, std::int64_t than) {
    return slope / static_cast<double>(k) < slope / static_cast<double>(than);
  };
  BestSegments best;
  for (std::int64_t k = 1; k <= question.kitchen.layers; ++k) {
    if (better(k, best.without_limits)) best.without_limits = k;
    if (!full_row(LedgerStrategy::checkpoint, question, k).fits()) continue;
    if (!best.within_limits || better(k, *best.within_limits)) best.within_limits = k;
  }
  return best;
}

BetaRange beta_range(const LedgerQuestion& question, std::int64_t segments) {
  const Kitchen& kitchen = question.kitchen;
  const double window = question.transfer_window_s.value_or(kitchen.forward_s);
  BetaRange range;
  range.least = std::max(0.0, 1 - kitchen.bandwidth_gb_per_s * window / kitchen.activations_gb());
  const std::optional<double> limit =
      question.compute_limit_s ? question.compute_limit_s : question.limits.time_s;
  if (limit && segments > 1) {
    const double k = static_cast<double>(segments);
    range.greatest = std::min(1.0, *limit * k / (kitchen.forward_s * (k - 1)));
  }
  return range;
}

}  // namespace

std::string_view name_of(LedgerStrategy strategy) {
  switch (strategy) {
    case LedgerStrategy::keep_all:
      return "keep_all";
    case LedgerStrategy::checkpoint:
      return "checkpoint";
    case LedgerStrategy::recompute_all:
      return "recompute_all";
    case LedgerStrategy::offload_all:
      return "offload_all";
    case LedgerStrategy::hybrid:
      return "hybrid";
  }
  return "keep_all";
}

Result<std::vector<LedgerStrategy>> parse_competitors(std::string_view text, bool with_hybrid) {
  const std::size_t shown = kStrategies.size() - (with_hybrid ? 0 : 1);
  if (text == "all") return std::vector<LedgerStrategy>(kStrategies.begin(), kStrategies.begin() + shown);
  std::vector<std::string> names;
  for (LedgerStrategy strategy : kStrategies) names.emplace_back(name_of(strategy));
  std::vector<LedgerStrategy> chosen;
  while (true) {
    const std::size_t comma = text.find(',');
    WORKTOP_TRY(const std::string name, base::resolve_name("strategy", text.substr(0, comma), names));
    const LedgerStrategy strategy =
        kStrategies[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
    if (!contains(chosen, strategy)) chosen.push_back(strategy);
    if (comma == std::string_view::npos) return chosen;
    text.remove_prefix(comma + 1);
  }
}

bool keeps_limit(double amount, std::optional<double> limit) {
  return !limit || amount <= *limit * (1 + kRounding);
}

std::optional<LedgerStrategy> winner_among(const std::vector<LedgerRow>& rows, bool any_size) {
  const auto takes_part = [any_size](const LedgerRow& row) {
    return row.competes && (any_size || row.fits());
  };
  std::optional<double> least;
  for (const LedgerRow& row : rows)
    if (takes_part(row) && (!least || row.cost < *least)) least = row.cost;
  for (const LedgerRow& row : rows)
    if (takes_part(row) && row.cost <= *least * (1 + kRounding)) return row.strategy;
  return std::nullopt;
}

Result<Ledger> make_ledger(const LedgerQuestion& question) {
  WORKTOP_CHECK(check_kitchen(question.kitchen));
  WORKTOP_CHECK(check_wishes(question));
  Ledger ledger;
  ledger.question = question;
  ledger.best_segments = best_segments(question);
  ledger.segments = question.segments.value_or(
      ledger.best_segments.within_limits.value_or(ledger.best_segments.without_limits));
  for (LedgerStrategy strategy : kStrategies)
    if (strategy != LedgerStrategy::hybrid || question.beta)
      ledger.rows.push_back(full_row(strategy, question, ledger.segments));
  ledger.best = winner_among(ledger.rows);
  ledger.best_without_limits = winner_among(ledger.rows, true).value();
  for (const LedgerRow& row : ledger.rows) {
    if (row.strategy != ledger.best_without_limits) continue;
    ledger.memory_binds = row.over_memory;
    ledger.time_binds = row.over_time;
  }
  ledger.beta_range = beta_range(question, ledger.segments);
  ledger.changes.lambda = changes_in_lambda(ledger.rows);
  ledger.changes.bandwidth = changes_in_bandwidth(ledger.rows, question);
  return ledger;
}

double checkpoint_memory_true(const Kitchen& kitchen, std::int64_t segments) {
  ensure(segments >= 1 && segments <= kitchen.layers);
  const std::int64_t segment_layers = (kitchen.layers + segments - 1) / segments;
  return kitchen.base_gb + kitchen.activation_gb * static_cast<double>(segments + segment_layers);
}

std::int64_t best_segments_true(const Kitchen& kitchen) {
  std::int64_t best = 1;
  for (std::int64_t k = 2; k <= kitchen.layers; ++k)
    if (checkpoint_memory_true(kitchen, k) < checkpoint_memory_true(kitchen, best)) best = k;
  return best;
}

}  // namespace worktop::cost
