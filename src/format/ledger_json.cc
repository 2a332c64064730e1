#include "format/ledger_json.h"

#include <string_view>
#include <utility>

#include "cost/rule_of_thumb.h"

namespace worktop::format {
namespace {

// The last digits are only rounding: 93.6 must not come out as 93.60000000000001.
constexpr int kDigits = 12;

void number(JsonWriter& w, std::string_view key, std::optional<double> amount) {
  w.key(key);
  if (amount)
    w.value(*amount, kDigits);
  else
    w.null();
}

void write_question(JsonWriter& w, const cost::LedgerQuestion& question, std::int64_t segments) {
  const cost::Kitchen& kitchen = question.kitchen;
  w.key("kitchen").begin_object();
  w.member("layers", kitchen.layers);
  number(w, "activation_gb", kitchen.activation_gb);
  number(w, "base_gb", kitchen.base_gb);
  number(w, "forward_s", kitchen.forward_s);
  number(w, "bandwidth_gb_per_s", kitchen.bandwidth_gb_per_s);
  w.end();
  w.key("lambda").begin_object_row();
  number(w, "memory", question.weights.memory);
  number(w, "compute", question.weights.compute);
  number(w, "transfer", question.weights.transfer);
  w.end();
  w.key("limits").begin_object_row();
  number(w, "memory_gb", question.limits.memory_gb);
  number(w, "time_s", question.limits.time_s);
  w.end();
  w.member("segments", segments);
  number(w, "beta", question.beta);
}

// Which limits, as a list of their names.
void write_limits(JsonWriter& w, std::string_view key, bool memory, bool time) {
  w.key(key).begin_row();
  if (memory) w.value("memory");
  if (time) w.value("time");
  w.end();
}

void write_row(JsonWriter& w, const cost::LedgerRow& row) {
  w.begin_object();
  w.member("name", name_of(row.strategy));
  number(w, "memory_gb", row.memory_gb);
  number(w, "extra_compute_s", row.extra_compute_s);
  number(w, "extra_transfer_s", row.extra_transfer_s);
  number(w, "cost", row.cost);
  number(w, "r_mem", row.r_mem);
  number(w, "r_mem_total", row.r_mem_total);
  number(w, "r_cost", row.r_cost);
  w.member("competes", row.competes);
  w.member("fits", row.fits());
  write_limits(w, "over", row.over_memory, row.over_time);
  w.end();
}

void write_winner(JsonWriter& w, std::optional<cost::LedgerStrategy> winner) {
  if (winner)
    w.value(name_of(*winner));
  else
    w.null();
}

void write_intervals(JsonWriter& w, std::string_view key,
                     const std::vector<cost::WinnerInterval>& intervals) {
  w.key(key).begin_array();
  for (const cost::WinnerInterval& interval : intervals) {
    w.begin_object_row();
    number(w, "from", interval.from);
    number(w, "to", interval.to);
    w.key("winner");
    write_winner(w, interval.winner);
    w.end();
  }
  w.end();
}

void write_best(JsonWriter& w, const cost::Ledger& ledger) {
  w.key("best");
  write_winner(w, ledger.best);
  w.member("best_without_limits", name_of(ledger.best_without_limits));
  write_limits(w, "binding", ledger.memory_binds, ledger.time_binds);
  w.key("best_segments").begin_object_row();
  w.member("without_limits", ledger.best_segments.without_limits);
  w.member("within_limits", ledger.best_segments.within_limits);
  w.end();
  w.key("beta_range").begin_object_row();
  number(w, "least", ledger.beta_range.least);
  number(w, "greatest", ledger.beta_range.greatest);
  w.end();
  w.key("changes").begin_object();
  write_intervals(w, "lambda", ledger.changes.lambda);
  write_intervals(w, "bandwidth_gb_per_s", ledger.changes.bandwidth);
  w.end();
}

void write_references(JsonWriter& w, const cost::Ledger& ledger) {
  w.key("rule_of_thumb").begin_array();
  for (const cost::ThumbPoint& point : cost::kRuleOfThumb) {
    w.begin_object_row();
    w.member("name", point.name);
    number(w, "memory_share", point.memory_share);
    number(w, "extra_share", point.extra_share);
    w.end();
  }
  w.end();
  const cost::Kitchen& kitchen = ledger.question.kitchen;
  const std::int64_t best = best_segments_true(kitchen);
  w.key("checkpoint_true").begin_object_row();
  number(w, "memory_gb", checkpoint_memory_true(kitchen, ledger.segments));
  number(w, "least_memory_gb", checkpoint_memory_true(kitchen, best));
  w.member("least_at_segments", best);
  w.end();
}

}  // namespace

void write_ledger(JsonWriter& w, const cost::Ledger& ledger) {
  w.begin_object();
  w.member("format", "worktop-ledger");
  w.member("version", kLedgerVersion);
  write_question(w, ledger.question, ledger.segments);
  w.key("rows").begin_array();
  for (const cost::LedgerRow& row : ledger.rows) write_row(w, row);
  w.end();
  write_best(w, ledger);
  write_references(w, ledger);
  w.end();
}

std::string ledger_json(const cost::Ledger& ledger, int indent) {
  JsonWriter w(indent);
  write_ledger(w, ledger);
  return std::move(w).take();
}

}  // namespace worktop::format
