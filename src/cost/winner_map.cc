#include "cost/winner_map.h"

#include <algorithm>

#include "cost/ledger_changes.h"

namespace worktop::cost {
namespace {

double power(double base, std::int32_t exponent) {
  double product = 1;
  for (std::int32_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

// The x > 1 with x^n = ratio, by halving.
double root(double ratio, std::int32_t n) {
  double low = 1, high = ratio;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (power(middle, n) < ratio ? low : high) = middle;
  }
  return high;
}

// The rows with another bandwidth: only transfers, and what they do to the time limit, change.
MapRow row_at(const Ledger& ledger, double bandwidth) {
  std::vector<LedgerRow> rows = ledger.rows;
  for (LedgerRow& row : rows) {
    row.extra_transfer_s *= ledger.question.kitchen.bandwidth_gb_per_s / bandwidth;
    row.over_time = !keeps_limit(row.extra_s(), ledger.question.limits.time_s);
  }
  return {bandwidth, changes_in_lambda(rows)};
}

std::optional<LedgerStrategy> winner_at(const MapRow& row, double lambda) {
  for (const WinnerInterval& interval : row.intervals)
    if (lambda <= interval.to.value_or(1)) return interval.winner;
  return row.intervals.back().winner;
}

// One winner's pieces in neighbouring rows.
struct Pieces {
  std::optional<LedgerStrategy> winner;
  std::size_t first_row = 0;
  std::vector<WinnerInterval> intervals;
};

std::vector<Pieces> join(const std::vector<MapRow>& rows) {
  std::vector<Pieces> done, open;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<Pieces> next;
    for (const WinnerInterval& interval : rows[r].intervals) {
      const auto same = std::ranges::find(open, interval.winner, &Pieces::winner);
      Pieces pieces = same != open.end() ? *same : Pieces{interval.winner, r, {}};
      if (same != open.end()) open.erase(same);
      pieces.intervals.push_back(interval);
      next.push_back(std::move(pieces));
    }
    for (Pieces& ended : open) done.push_back(std::move(ended));
    open = std::move(next);
  }
  for (Pieces& ended : open) done.push_back(std::move(ended));
  std::ranges::stable_sort(done, [](const Pieces& a, const Pieces& b) {
    return a.first_row != b.first_row ? a.first_row < b.first_row
                                      : a.intervals.front().from < b.intervals.front().from;
  });
  return done;
}

MapPlace label_of(const Pieces& pieces, const std::vector<MapRow>& rows) {
  const auto count = pieces.intervals.size();
  const auto width = [&](std::size_t i) {
    return pieces.intervals[i].to.value_or(1) - pieces.intervals[i].from;
  };
  double widest = 0;
  for (std::size_t i = 0; i < count; ++i) widest = std::max(widest, width(i));
  std::size_t best = 0, farthest = count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from_middle = 2 * i > count - 1 ? 2 * i - (count - 1) : count - 1 - 2 * i;
    if (width(i) < 0.7 * widest || from_middle >= farthest) continue;
    best = i;
    farthest = from_middle;
  }
  return {pieces.intervals[best].from + width(best) / 2, rows[pieces.first_row + best].bandwidth_gb_per_s};
}

MapRegion region_of(const Pieces& pieces, const std::vector<MapRow>& rows) {
  MapRegion region{.winner = pieces.winner, .outline = {}, .label = label_of(pieces, rows)};
  // Rows are drawn to half way between them and the next, so that neighbours above and below meet.
  const auto bandwidth = [&](std::size_t i) { return rows[pieces.first_row + i].bandwidth_gb_per_s; };
  const std::size_t count = pieces.intervals.size();
  for (std::size_t i = 0; i < count; ++i) region.outline.push_back({pieces.intervals[i].from, bandwidth(i)});
  if (const std::size_t above = pieces.first_row + count; above < rows.size()) {
    region.outline.push_back({pieces.intervals.back().from, rows[above].bandwidth_gb_per_s});
    region.outline.push_back({pieces.intervals.back().to.value_or(1), rows[above].bandwidth_gb_per_s});
  }
  for (std::size_t i = count; i-- > 0;)
    region.outline.push_back({pieces.intervals[i].to.value_or(1), bandwidth(i)});
  return region;
}

}  // namespace

WinnerMap winner_map(const Ledger& ledger, const MapSize& size) {
  WinnerMap map;
  for (std::int32_t c = 0; c < size.columns; ++c)
    map.lambda.push_back(static_cast<double>(c) / (size.columns - 1));
  const std::int32_t steps = (size.rows - 1) * size.fine;
  const double step = root(size.most_gb_per_s / size.least_gb_per_s, steps);
  for (std::int32_t r = 0; r <= steps; ++r) {
    const double bandwidth = r == steps ? size.most_gb_per_s : size.least_gb_per_s * power(step, r);
    map.rows.push_back(row_at(ledger, bandwidth));
    if (r % size.fine != 0) continue;
    map.bandwidth_gb_per_s.push_back(bandwidth);
    auto& winners = map.winners.emplace_back();
    for (const double lambda : map.lambda) winners.push_back(winner_at(map.rows.back(), lambda));
  }
  for (const Pieces& pieces : join(map.rows)) map.regions.push_back(region_of(pieces, map.rows));
  return map;
}

}  // namespace worktop::cost
