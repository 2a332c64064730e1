#include "cost/ledger_changes.h"

#include <algorithm>

namespace worktop::cost {
namespace {

// height + slope * x
struct Line {
  double height = 0;
  double slope = 0;
};

// The places where two of the lines cross, in no order; parallel lines have none.
std::vector<double> crossings(const std::vector<Line>& lines) {
  std::vector<double> places;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t j = i + 1; j < lines.size(); ++j)
      if (const double slopes = lines[j].slope - lines[i].slope; slopes != 0)
        places.push_back((lines[i].height - lines[j].height) / slopes);
  return places;
}

// Sorted, each once, and only those strictly between `low` and `high`.
std::vector<double> between(std::vector<double> places, double low, double high) {
  std::erase_if(places, [low, high](double x) { return !(x > low && x < high); });
  std::ranges::sort(places);
  const auto same = [](double a, double b) { return b - a <= kRounding * b; };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
  return places;
}

void append(std::vector<WinnerInterval>& intervals, const WinnerInterval& next) {
  if (!intervals.empty() && intervals.back().winner == next.winner)
    intervals.back().to = next.to;
  else
    intervals.push_back(next);
}

double transferred_gb(const LedgerRow& row, const Kitchen& kitchen) {
  return row.extra_transfer_s * kitchen.bandwidth_gb_per_s;
}

std::optional<LedgerStrategy> winner_at_lambda(std::vector<LedgerRow> rows, double lambda) {
  for (LedgerRow& row : rows) row.cost = lambda * row.memory_gb + (1 - lambda) * row.extra_s();
  return winner_among(rows);
}

std::optional<LedgerStrategy> winner_at_bandwidth(std::vector<LedgerRow> rows, const LedgerQuestion& question,
                                                  double bandwidth) {
  const Weights& weights = question.weights;
  for (LedgerRow& row : rows) {
    row.extra_transfer_s = transferred_gb(row, question.kitchen) / bandwidth;
    row.cost = weights.memory * row.memory_gb + weights.compute * row.extra_compute_s +
               weights.transfer * row.extra_transfer_s;
    row.over_time = !keeps_limit(row.extra_s(), question.limits.time_s);
  }
  return winner_among(rows);
}

}  // namespace

std::vector<WinnerInterval> changes_in_lambda(const std::vector<LedgerRow>& rows) {
  std::vector<Line> lines;
  for (const LedgerRow& row : rows) {
    lines.push_back({row.extra_s(), row.memory_gb - row.extra_s()});
  }
  std::vector<double> ends = between(crossings(lines), 0, 1);
  ends.push_back(1);
  std::vector<WinnerInterval> intervals;
  double from = 0;
  for (double to : ends) {
    append(intervals, {from, to, winner_at_lambda(rows, (from + to) / 2)});
    from = to;
  }
  return intervals;
}

std::vector<WinnerInterval> changes_in_bandwidth(const std::vector<LedgerRow>& rows,
                                                 const LedgerQuestion& question) {
  const Weights& weights = question.weights;
  std::vector<Line> lines;  // over 1/B
  std::vector<double> places;
  for (const LedgerRow& row : rows) {
    const double moved_gb = transferred_gb(row, question.kitchen);
    lines.push_back({weights.memory * row.memory_gb + weights.compute * row.extra_compute_s,
                     weights.transfer * moved_gb});
    if (!question.limits.time_s) continue;
    const double spare_s = *question.limits.time_s - row.extra_compute_s;
    if (spare_s > 0 && moved_gb > 0) places.push_back(moved_gb / spare_s);
  }
  for (double inverse : crossings(lines))
    if (inverse > 0) places.push_back(1 / inverse);
  const std::vector<double> ends = between(std::move(places), 0, 1 / (kLeastQuantity * kLeastQuantity));
  std::vector<WinnerInterval> intervals;
  double from = 0;
  for (double to : ends) {
    append(intervals, {from, to, winner_at_bandwidth(rows, question, (from + to) / 2)});
    from = to;
  }
  const double beyond = ends.empty() ? question.kitchen.bandwidth_gb_per_s : 2 * from;
  append(intervals, {from, std::nullopt, winner_at_bandwidth(rows, question, beyond)});
  return intervals;
}

}  // namespace worktop::cost
