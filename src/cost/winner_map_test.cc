#include "cost/winner_map.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace worktop::cost {
namespace {

// L = 100, a = 3 GB, M0 = 12 GB, F = 120 s, K = 10: docs/ledger.md.
Ledger kitchen(double bandwidth, LedgerLimits limits = {}) {
  return make_ledger({.kitchen = {100, 3, 12, 120, bandwidth},
                      .weights = Weights::of(0.3),
                      .limits = limits,
                      .segments = 10})
      .value();
}

std::optional<LedgerStrategy> winner_of(Ledger ledger, double lambda, double bandwidth) {
  LedgerQuestion question = ledger.question;
  question.weights = Weights::of(lambda);
  question.kitchen.bandwidth_gb_per_s = bandwidth;
  return make_ledger(question)->best;
}

TEST(WinnerMap, RowsAgreeWithALedgerForEachPlace) {
  for (const LedgerLimits limits : {LedgerLimits{}, LedgerLimits{100, 60}}) {
    const Ledger ledger = kitchen(50, limits);
    const WinnerMap map = winner_map(ledger, {.columns = 5, .rows = 4, .fine = 2});
    ASSERT_EQ(map.rows.size(), 7U);
    for (std::size_t r = 0; r < map.rows.size(); ++r)
      for (const WinnerInterval& interval : map.rows[r].intervals) {
        const double middle = (interval.from + *interval.to) / 2;
        EXPECT_EQ(interval.winner, winner_of(ledger, middle, map.rows[r].bandwidth_gb_per_s))
            << r << " " << middle;
      }
  }
}

TEST(WinnerMap, ItsEdgesAreTheRangeAndItsRowsAreEvenlySpacedOnALogarithmicScale) {
  const WinnerMap map =
      winner_map(kitchen(2), {.rows = 5, .fine = 1, .least_gb_per_s = 0.5, .most_gb_per_s = 8});
  const std::vector<double> expected = {0.5, 1, 2, 4, 8};
  ASSERT_EQ(map.bandwidth_gb_per_s.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(map.bandwidth_gb_per_s[i], expected[i], 1e-9);
  EXPECT_EQ(map.lambda.front(), 0);
  EXPECT_EQ(map.lambda.back(), 1);
  // The narrow corridor of 2 GB/s: keep-all at 0.2, checkpoint at 0.3 and 0.5, offload at 0.8 (columns of
  // 1/40).
  EXPECT_EQ(map.winners[2][8], LedgerStrategy::keep_all);
  EXPECT_EQ(map.winners[2][12], LedgerStrategy::checkpoint);
  EXPECT_EQ(map.winners[2][20], LedgerStrategy::checkpoint);
  EXPECT_EQ(map.winners[2][32], LedgerStrategy::offload_all);
}

TEST(WinnerMap, EachRegionIsClosedAndHoldsItsLabel) {
  const WinnerMap map = winner_map(kitchen(2), {});
  ASSERT_EQ(map.regions.size(), 3U);
  for (const MapRegion& region : map.regions) {
    EXPECT_GE(region.outline.size(), 4U);
    EXPECT_EQ(region.winner, winner_of(kitchen(2), region.label.lambda, region.label.bandwidth_gb_per_s));
  }
}

}  // namespace
}  // namespace worktop::cost
