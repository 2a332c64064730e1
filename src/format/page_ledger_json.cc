#include <string>
#include <utility>

#include "format/answer_parts.h"
#include "format/ledger_json.h"
#include "format/page_answers.h"
#include "format/page_parts.h"

namespace worktop::format {
namespace {

using advisor::LedgerTruth;

void write_winner(JsonWriter& w, const std::optional<cost::LedgerStrategy>& winner) {
  if (winner)
    w.value(name_of(*winner));
  else
    w.null();
}

// Leaves the object open.
void begin_layer(JsonWriter& w, const advisor::LedgerLayer& layer) {
  w.begin_object();
  write_number(w, "memory_gb", layer.memory_gb);
  write_number(w, "extra_compute_s", layer.extra_compute_s);
  write_number(w, "extra_transfer_s", layer.extra_transfer_s);
  write_number(w, "cost", layer.cost);
  write_number(w, "r_mem", layer.r_mem);
  write_number(w, "r_mem_total", layer.r_mem_total);
  write_number(w, "r_cost", layer.r_cost);
  write_number(w, "memory_share", layer.memory_share);
  w.key("over").begin_array();
  if (layer.over_memory) w.value("memory");
  if (layer.over_time) w.value("time");
  w.end();
}

void write_line(JsonWriter& w, const advisor::LedgerLine& line) {
  w.begin_object();
  w.member("name", name_of(line.strategy));
  w.member("strategy", line.played_as);
  w.member("competes", line.competes);
  w.member("wins", line.wins);
  w.key("ledger");
  begin_layer(w, line.ledger);
  w.end();
  w.key("simulated");
  if (line.played) {
    begin_layer(w, *line.played);
    write_number(w, "added_s", line.played->added_s);
    write_number(w, "stalled_s", line.played->stalled_s);
    w.end();
  } else {
    w.null();
  }
  w.member("wins_simulated", line.wins_played);
  w.key("thumb");
  if (line.thumb) {
    w.begin_object();
    write_number(w, "memory_share", line.thumb->memory_share);
    write_number(w, "extra_share", line.thumb->extra_share);
    write_number(w, "memory_gb", line.thumb->memory_gb);
    write_number(w, "extra_compute_s", line.thumb->extra_compute_s);
    write_number(w, "extra_transfer_s", line.thumb->extra_transfer_s);
    w.end();
  } else {
    w.null();
  }
  w.end();
}

void write_share(JsonWriter& w, std::string_view key, const std::optional<advisor::StackShare>& share) {
  w.key(key);
  if (!share) {
    w.null();
    return;
  }
  w.begin_object();
  write_number(w, "memory_share", share->memory);
  write_number(w, "extra_share", share->extra());
  write_number(w, "compute_share", share->compute);
  write_number(w, "transfer_share", share->transfer);
  w.end();
}

void write_stack(JsonWriter& w, const advisor::Stack& stack) {
  w.begin_object();
  w.member("name", stack.name);
  w.member("strategy", stack.played_as);
  w.key("parts").begin_array();
  for (const cost::LedgerStrategy part : stack.parts) w.value(name_of(part));
  w.end();
  write_share(w, "thumb", stack.thumb);
  write_share(w, "ledger_parts", stack.ledger_parts);
  write_share(w, "simulated_parts", stack.played_parts);
  write_share(w, "ledger", stack.ledger);
  write_share(w, "simulated", stack.played);
  write_number(w, "overlapped_share", stack.overlapped);
  w.end();
}

void write_place(JsonWriter& w, const cost::MapPlace& place) {
  w.begin_object();
  write_number(w, "lambda", place.lambda);
  write_number(w, "bandwidth_gb_per_s", place.bandwidth_gb_per_s);
  w.end();
}

void write_map_rows(JsonWriter& w, const cost::WinnerMap& map) {
  w.key("rows").begin_array();
  for (const cost::MapRow& row : map.rows) {
    w.begin_object();
    write_number(w, "bandwidth_gb_per_s", row.bandwidth_gb_per_s);
    w.key("intervals").begin_array();
    for (const cost::WinnerInterval& interval : row.intervals) {
      w.begin_object();
      write_number(w, "from", interval.from);
      write_number(w, "to", interval.to);
      w.key("winner");
      write_winner(w, interval.winner);
      w.end();
    }
    w.end();
    w.end();
  }
  w.end();
}

void write_numbers(JsonWriter& w, std::string_view key, const std::vector<double>& numbers) {
  constexpr int kDigits = 12;
  w.key(key).begin_array();
  for (const double number : numbers) w.value(number, kDigits);
  w.end();
}

void write_map(JsonWriter& w, const cost::WinnerMap& map, const cost::Ledger& ledger) {
  w.begin_object();
  write_numbers(w, "lambda", map.lambda);
  write_numbers(w, "bandwidth_gb_per_s", map.bandwidth_gb_per_s);
  w.key("winners").begin_array();
  for (const auto& row : map.winners) {
    w.begin_array();
    for (const auto& winner : row) write_winner(w, winner);
    w.end();
  }
  w.end();
  write_map_rows(w, map);
  w.key("regions").begin_array();
  for (const cost::MapRegion& region : map.regions) {
    w.begin_object();
    w.key("winner");
    write_winner(w, region.winner);
    w.key("outline").begin_array();
    for (const cost::MapPlace& place : region.outline) write_place(w, place);
    w.end();
    w.key("label");
    write_place(w, region.label);
    w.end();
  }
  w.end();
  w.key("now").begin_object();
  write_number(w, "lambda", ledger.question.weights.memory);
  write_number(w, "bandwidth_gb_per_s", ledger.question.kitchen.bandwidth_gb_per_s);
  w.key("winner");
  write_winner(w, ledger.best);
  w.end();
  w.end();
}

void write_least(JsonWriter& w, std::string_view key, std::int64_t segments, double memory_gb) {
  w.key(key).begin_object();
  w.member("segments", segments);
  write_number(w, "memory_gb", memory_gb);
  w.end();
}

// By halving, to two decimals: the same on every machine.
double root_of(std::int64_t layers) {
  std::int64_t low = 0, high = 100'000'000;  // hundredths; 10^6 layers have a root of 1000
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (middle * middle <= layers * 10'000 ? low : high) = middle;
  }
  return static_cast<double>(low) / 100;
}

void write_curve(JsonWriter& w, const LedgerTruth& truth) {
  const cost::Kitchen& kitchen = truth.ledger.question.kitchen;
  w.begin_object();
  w.key("points").begin_array();
  const advisor::CurvePoint* least = nullptr;
  for (const advisor::CurvePoint& point : truth.curve) {
    if (point.played_gb && (!least || *point.played_gb < *least->played_gb)) least = &point;
    w.begin_object();
    w.member("segments", point.segments);
    write_number(w, "ledger_gb", point.ledger_gb);
    write_number(w, "held_gb", point.held_gb);
    write_number(w, "simulated_gb", point.played_gb);
    write_number(w, "ledger_extra_s", point.ledger_extra_s);
    write_number(w, "simulated_extra_s", point.played_extra_s);
    w.end();
  }
  w.end();
  write_least(w, "least_ledger", kitchen.layers,
              kitchen.base_gb + kitchen.activations_gb() / static_cast<double>(kitchen.layers));
  const std::int64_t best = best_segments_true(kitchen);
  write_least(w, "least_held", best, checkpoint_memory_true(kitchen, best));
  if (least)
    write_least(w, "least_simulated", least->segments, *least->played_gb);
  else
    w.key("least_simulated").null();
  write_number(w, "root", root_of(kitchen.layers));
  w.end();
}

}  // namespace

std::string page_ledger_json(const LedgerTruth& truth, bool derived,
                             const std::optional<cost::WinnerMap>& map) {
  JsonWriter w;
  begin_page_answer(w, "ledger");
  w.member("derived", derived);
  w.key("ledger");
  write_ledger(w, truth.ledger);
  write_text_or_null(w, "simulated_why_not", truth.why_not_played);
  w.key("rows").begin_array();
  for (const advisor::LedgerLine& line : truth.lines) write_line(w, line);
  w.end();
  w.key("stacks").begin_array();
  for (const advisor::Stack& stack : truth.stacks) write_stack(w, stack);
  w.end();
  w.key("map");
  if (map)
    write_map(w, *map, truth.ledger);
  else
    w.null();
  w.key("curve");
  if (!truth.curve.empty())
    write_curve(w, truth);
  else
    w.null();
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
