#include "format/ledger_text.h"

#include <fmt/format.h>

#include <string_view>

#include "cost/rule_of_thumb.h"

namespace worktop::format {
namespace {

using cost::Ledger;
using cost::LedgerRow;

// Four significant digits; whole numbers below a million are written out.
std::string number(double x) {
  return x >= 1e3 && x < 1e6 ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x);
}

std::string percent(double share) {
  return share < 10 ? fmt::format("{:.1f}%", 100 * share) : fmt::format("{:.2g}%", 100 * share);
}

const LedgerRow& row_of(const Ledger& ledger, cost::LedgerStrategy strategy) {
  std::size_t i = 0;
  while (ledger.rows[i].strategy != strategy) ++i;
  return ledger.rows[i];
}

bool limited(const Ledger& ledger) {
  return ledger.question.limits.memory_gb || ledger.question.limits.time_s;
}

std::string binding_limits(const Ledger& ledger) {
  const cost::LedgerLimits& limits = ledger.question.limits;
  std::string text;
  if (ledger.memory_binds) text += fmt::format("the memory limit of {} GB", number(*limits.memory_gb));
  if (ledger.memory_binds && ledger.time_binds) text += " and ";
  if (ledger.time_binds) text += fmt::format("the time limit of {} s", number(*limits.time_s));
  return text;
}

std::string answer(const Ledger& ledger) {
  std::string text;
  if (ledger.best) {
    const LedgerRow& row = row_of(ledger, *ledger.best);
    text = fmt::format("{} wins: cost {}.\n{} GB held, {} s of recompute, {} s of transfer.\n",
                       name_of(*ledger.best), number(row.cost), number(row.memory_gb),
                       number(row.extra_compute_s), number(row.extra_transfer_s));
  } else {
    text = "No competing strategy keeps the limits.\n";
  }
  if (ledger.memory_binds || ledger.time_binds)
    text += fmt::format("Without limits {} would win, but it breaks\n{}.\n",
                        name_of(ledger.best_without_limits), binding_limits(ledger));
  return text;
}

std::string question(const Ledger& ledger) {
  const cost::Kitchen& kitchen = ledger.question.kitchen;
  const cost::Weights& weights = ledger.question.weights;
  std::string text = fmt::format("{} layers of {} GB beside {} GB, K = {}", kitchen.layers,
                                 number(kitchen.activation_gb), number(kitchen.base_gb), ledger.segments);
  if (ledger.question.beta) text += fmt::format(", beta {}", number(*ledger.question.beta));
  text += fmt::format("\nForward {} s, link {} GB/s", number(kitchen.forward_s),
                      number(kitchen.bandwidth_gb_per_s));
  return text + fmt::format("\nA GB costs {}, a second of recompute {}, a second of transfer {}\n",
                            number(weights.memory), number(weights.compute), number(weights.transfer));
}

std::string_view too_much(const LedgerRow& row) {
  if (row.over_memory && row.over_time) return "both";
  if (row.over_memory) return "memory";
  return row.over_time ? "time" : "fits";
}

std::string table(const Ledger& ledger) {
  std::string text =
      fmt::format("  {:13}{:>10}{:>10}{:>10}{:>10}{:>8}{:>9}{}\n", "strategy", "memory GB", "compute s",
                  "transfer", "cost", "R_mem", "R_cost", limited(ledger) ? "  limits" : "");
  for (const LedgerRow& row : ledger.rows) {
    const char mark = row.strategy == ledger.best ? '*' : row.competes ? ' ' : '-';
    text += fmt::format("{} {:13}{:>10}{:>10}{:>10}{:>10}{:>8}{:>9}", mark, name_of(row.strategy),
                        number(row.memory_gb), number(row.extra_compute_s), number(row.extra_transfer_s),
                        number(row.cost), percent(row.r_mem), percent(row.r_cost));
    if (limited(ledger)) text += fmt::format("  {}", too_much(row));
    text += '\n';
  }
  return text + "  * wins, - is shown beside and does not compete\n";
}

std::string intervals(std::string_view title, std::string_view unit,
                      const std::vector<cost::WinnerInterval>& pieces) {
  std::string text;
  for (const cost::WinnerInterval& piece : pieces) {
    const bool last = &piece == &pieces.back();
    const std::string until = pieces.size() == 1 ? "everywhere"
                              : last             ? "from there on"
                                                 : fmt::format("up to {}{}", number(*piece.to), unit);
    text += fmt::format("  {:16}{:15}{}\n", text.empty() ? title : "",
                        piece.winner ? name_of(*piece.winner) : "none fits", until);
  }
  return text;
}

std::string best_settings(const Ledger& ledger) {
  const cost::BestSegments& best = ledger.best_segments;
  std::string text =
      fmt::format("Best K of 1 to {}: {}", ledger.question.kitchen.layers, best.without_limits);
  if (limited(ledger))
    text += fmt::format(", within the limits {}",
                        best.within_limits ? std::to_string(*best.within_limits) : "none");
  text += fmt::format("\nA hybrid's beta: at least {} for the link, at most {} for the compute limit\n",
                      number(ledger.beta_range.least), number(ledger.beta_range.greatest));
  if (ledger.beta_range.empty()) text += "No beta is both.\n";
  return text;
}

std::string rule_of_thumb() {
  std::string text = "Rule of thumb:\n";
  for (const cost::ThumbPoint& point : cost::kRuleOfThumb)
    text += fmt::format("  {:20}{:>4.0f}% of the memory for {:+.0f}%\n", point.name, 100 * point.memory_share,
                        100 * point.extra_share);
  return text;
}

std::string teaching_note(const Ledger& ledger) {
  const cost::Kitchen& kitchen = ledger.question.kitchen;
  const std::int64_t best = best_segments_true(kitchen);
  return fmt::format(
      "The ledger is a teaching model. Real checkpointing holds its K inputs and one\n"
      "whole segment: {} GB with K = {}, least {} GB with K = {}.\n"
      "Replaying every layer from the network's input costs O(L^2). Transfers go both\n"
      "ways, share links and overlap compute.\n",
      number(checkpoint_memory_true(kitchen, ledger.segments)), ledger.segments,
      number(checkpoint_memory_true(kitchen, best)), best);
}

}  // namespace

std::string ledger_text(const Ledger& ledger) {
  return answer(ledger) + '\n' + question(ledger) + '\n' + table(ledger) + "\nWhere the winner changes:\n" +
         intervals("over lambda", "", ledger.changes.lambda) +
         intervals("over bandwidth", " GB/s", ledger.changes.bandwidth) + '\n' + best_settings(ledger) +
         '\n' + rule_of_thumb() + '\n' + teaching_note(ledger);
}

}  // namespace worktop::format
