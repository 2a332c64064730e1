// The teaching scenarios: kitchens as step graphs, the ledger beside the truth, the rule over its threshold.
#include <gtest/gtest.h>

#include <algorithm>

#include "advisor/kitchen.h"
#include "advisor/ledger_truth.h"
#include "advisor/ratio_question.h"
#include "advisor/trade_off.h"

namespace worktop::advisor {
namespace {

const cost::Kitchen kKitchen{100, 3, 12, 120, 50};
constexpr Corridor kCorridor{.gb_per_s = 50, .host = true};

LedgerTruth truth_of(const cost::Kitchen& of, std::int64_t segments) {
  const Subject subject = kitchen(of, {.gb_per_s = of.bandwidth_gb_per_s, .host = true}).value();
  cost::LedgerQuestion question{.kitchen = of, .weights = cost::Weights::of(0.3)};
  question.segments = segments;
  question.beta = 0.5;
  return ledger_truth(question, &subject, {}, true).value();
}

TEST(Kitchen, KeepAllIsTheLedgersToTheByte) {
  const KeepAll keep_all = keep_all_of(kitchen(kKitchen, kCorridor).value()).value();
  EXPECT_EQ(keep_all.peak, base::kGB * 312);
  EXPECT_EQ(keep_all.activations, base::kGB * 300);
  EXPECT_EQ(keep_all.step_ns, base::kSecond * 360);  // the forward, and a backward twice as long
}

TEST(Kitchen, CanBeReadOffItsOwnGraph) {
  const Subject subject = kitchen(kKitchen, kCorridor).value();
  const KeepAll keep_all = keep_all_of(subject).value();
  const cost::Kitchen read = derived_kitchen(subject, keep_all.peak, keep_all.activations);
  EXPECT_EQ(read.layers, 100);
  EXPECT_DOUBLE_EQ(read.activation_gb, 3);
  EXPECT_DOUBLE_EQ(read.base_gb, 12);
  EXPECT_DOUBLE_EQ(read.forward_s, 120);
  EXPECT_DOUBLE_EQ(read.bandwidth_gb_per_s, 50);
}

TEST(Kitchen, TooManyLayersAreNotPlayed) {
  cost::Kitchen large = kKitchen;
  large.layers = kMostLayersPlayed + 1;
  EXPECT_FALSE(kitchen(large, kCorridor).has_value());
}

TEST(LedgerTruth, CheckpointingHoldsASegmentToo) {
  const LedgerTruth truth = truth_of(kKitchen, 10);
  const LedgerLine& checkpoint = truth.lines[1];
  EXPECT_EQ(checkpoint.played_as, "checkpoint(10)");
  EXPECT_DOUBLE_EQ(checkpoint.ledger.memory_gb, 42);
  // At the end of forward 9 dishes cross into the next segment; the last segment of 10 is cooked again, of
  // which the first needs what crosses into it: 9 + 9 at once, and the one that is cooked: 12 + 3 * 18.
  EXPECT_DOUBLE_EQ(checkpoint.played->memory_gb, 66);
  EXPECT_DOUBLE_EQ(checkpoint.played->extra_compute_s, 108);
}

TEST(LedgerTruth, RecomputingAllFromTheStoreIsQuadratic) {
  // Dish i needs the i before it again: 99 * 100 / 2 dishes of 1.2 s.
  EXPECT_DOUBLE_EQ(truth_of(kKitchen, 10).lines[2].played->extra_compute_s, 99 * 100 / 2 * 1.2);
}

TEST(LedgerTruth, OffloadGoesBothWaysAndHides) {
  const LedgerLine offload = truth_of(kKitchen, 10).lines[3];
  EXPECT_DOUBLE_EQ(offload.ledger.extra_transfer_s, 6);
  EXPECT_GT(offload.played->extra_transfer_s, 11);
  EXPECT_LE(offload.played->extra_transfer_s, 12);
  EXPECT_DOUBLE_EQ(offload.played->added_s, 0);
}

TEST(LedgerTruth, StackedPartsAreProductsAndSums) {
  const Stack stack = truth_of(kKitchen, 10).stacks[0];
  EXPECT_DOUBLE_EQ(stack.thumb.memory, 0.5 * 0.4);
  EXPECT_DOUBLE_EQ(stack.thumb.extra(), 0.33 + 0.1);
  EXPECT_NEAR(stack.ledger.memory, 0.05, 1e-12);    // 0.5 / 10
  EXPECT_NEAR(stack.ledger.extra(), 0.475, 1e-12);  // 0.5 * 0.9 and 0.5 * 0.05
  EXPECT_EQ(stack.played_as, "hybrid(0.5,10)");
}

TEST(LedgerTruth, TheCurveHasItsLeastNearTheRoot) {
  const std::vector<CurvePoint> curve = truth_of(kKitchen, 10).curve;
  const auto least =
      std::ranges::min_element(curve, {}, [](const CurvePoint& point) { return *point.played_gb; });
  EXPECT_GE(least->segments, 8);
  EXPECT_LE(least->segments, 12);
  EXPECT_GT(*curve.back().played_gb, *least->played_gb);
}

// Four dishes of four, one, one and one bytes a nanosecond: 40 bytes in 10, and three times 40 in 40.
// All in all 160 in 130; so ratios are 0.8125 three times, and 3.25.
Subject four_dishes() {
  const std::vector<Dish> dishes = {{"d", Bytes{40}, Nanoseconds{10}, Nanoseconds{20}},
                                    {"a", Bytes{40}, Nanoseconds{40}, Nanoseconds{80}},
                                    {"b", Bytes{40}, Nanoseconds{40}, Nanoseconds{80}},
                                    {"c", Bytes{40}, Nanoseconds{40}, Nanoseconds{80}}};
  return mixed_kitchen(dishes, Bytes{5}, {}).value();
}

TEST(Ratio, TheCurveStepsWhereADishChangesSides) {
  const Subject subject = four_dishes();
  std::vector<double> thresholds;
  const auto plans = plans_over_threshold(subject, thresholds).value();
  EXPECT_EQ(thresholds, (std::vector<double>{0, 0.813, 3.25}));
  Question question;
  question.budget = Bytes{5 + 4 * 40};
  question.options.effort = solver::Effort::quick;
  const PlanAnswer best = plan(subject, question).value();
  const RatioAnswer answer = ratio_question(subject, question, 2, best, thresholds, plans).value();
  ASSERT_EQ(answer.rows.size(), 4U);
  EXPECT_EQ(answer.rows[0].label, "d");
  EXPECT_DOUBLE_EQ(answer.rows[0].ratio, 3.25);
  EXPECT_DOUBLE_EQ(answer.rows[3].ratio, 0.8125);
  EXPECT_TRUE(answer.rows[0].rule_recomputes);
  EXPECT_FALSE(answer.rows[3].rule_recomputes);
  // All four fit: nothing needs to be recomputed, and the threshold that keeps all is the best.
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_DOUBLE_EQ(answer.best->threshold, 3.25);
  EXPECT_FALSE(answer.is_best);
}

TEST(TradeOff, StrategiesOfOnesOwnStandBesideTheStandardOnes) {
  const Subject subject = kitchen({12, 1, 2, 12, 1}, {.gb_per_s = 1, .host = true}).value();
  TradeOffQuestion question;
  question.question.options.effort = solver::Effort::quick;
  question.points = 4;
  question.parameters = {.segments = 5, .beta = 0.25, .threshold = 1.5};
  question.compete = std::vector<std::string>{"checkpoint"};
  const auto solved = solve_frontier(subject, question.question.options, 4).value();
  const TradeOff answer = trade_off(subject, question, solved).value();
  std::vector<std::string> names;
  for (const PlanView& view : answer.strategies) names.push_back(view.name);
  for (const char* name : {"keep_all", "checkpoint(5)", "hybrid(0.25,5)", "ratio(1.5)"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
  for (const PlanView& view : answer.strategies)
    EXPECT_EQ(view.competes, view.family == "checkpoint") << view.name;
  for (std::size_t i = 1; i < answer.points.size(); ++i) {
    EXPECT_GT(answer.points[i].choice.planned.device_peak(),
              answer.points[i - 1].choice.planned.device_peak());
    EXPECT_LT(answer.points[i].choice.planned.step_ns, answer.points[i - 1].choice.planned.step_ns);
  }
  for (const PlanView& view : answer.points) {
    const std::string& name = view.name;
    const solver::Planned again = view.which.kind == WhichKind::point ? *point_named(solved, name)
                                                                      : play_strategy(subject, name).value();
    EXPECT_EQ(again.step_ns, view.choice.planned.step_ns) << name;
  }
}

}  // namespace
}  // namespace worktop::advisor
