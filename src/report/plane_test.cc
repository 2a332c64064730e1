#include "report/plane.h"

#include <gtest/gtest.h>

namespace worktop::report {
namespace {

Place at(std::int64_t gb, std::int64_t s) {
  return {base::kGB * gb, base::kSecond * s};
}

// Memory in GB, time in s: a (10, 9), b (20, 5), c (40, 4); d (30, 7) is beaten by b.
std::vector<Spot> four() {
  return {{"a", at(10, 9), true, true, true},
          {"d", at(30, 7), true, true, false},
          {"c", at(40, 4), true, true, true},
          {"b", at(20, 5), true, true, true}};
}

AxisQuestion question() {
  return {.memory_weight = 0.5,
          .time_weight = 2,
          .least_possible = base::kGB * 8,
          .bound_ns = base::kSecond * 3,
          .memory_limit = {},
          .time_limit = {}};
}

TEST(Axis, TheLineIsWhatNothingBeats) {
  const Axis axis = axis_of(four(), question());
  EXPECT_EQ(axis.line, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(axis.line_at, (std::vector<Place>{at(10, 9), at(20, 5), at(40, 4)}));
}

TEST(Axis, DominatedRegionGoesDownInSteps) {
  const Axis axis = axis_of(four(), question());
  const Nanoseconds top = axis.view.to.ns;
  const std::vector<Place> expected = {{base::kGB * 10, top},
                                       at(10, 9),
                                       at(20, 9),
                                       at(20, 5),
                                       at(40, 5),
                                       at(40, 4),
                                       {axis.view.to.peak, base::kSecond * 4}};
  EXPECT_EQ(axis.dominated, expected);
}

TEST(Axis, BestIsTheLeastCostOfThoseThatCompeteAndFit) {
  // 0.5 GB + 2 s: a 23, b 20, c 28, d 29.
  EXPECT_EQ(axis_of(four(), question()).best_name, "b");
  EXPECT_DOUBLE_EQ(axis_of(four(), question()).best_cost, 20);
  std::vector<Spot> spots = four();
  spots[3].fits = false;
  EXPECT_EQ(axis_of(spots, question()).best_name, "a");
  spots[0].competes = false;
  EXPECT_EQ(axis_of(spots, question()).best_name, "c");
  for (Spot& spot : spots) spot.fits = false;
  EXPECT_FALSE(axis_of(spots, question()).best.has_value());
}

TEST(Axis, EachIsoCostLineHasItsCostAtBothEnds) {
  const Axis axis = axis_of(four(), question());
  ASSERT_FALSE(axis.iso_cost.empty());
  EXPECT_EQ(axis.iso_cost.front().through, "b");
  EXPECT_DOUBLE_EQ(axis.iso_cost.front().cost, 20);
  for (const IsoCost& line : axis.iso_cost) {
    EXPECT_NEAR(cost_at(question(), line.from), line.cost, 1e-6);
    EXPECT_NEAR(cost_at(question(), line.to), line.cost, 1e-6);
    for (const Place& end : {line.from, line.to}) {
      EXPECT_GE(end.peak + Bytes{1}, axis.view.from.peak);
      EXPECT_LE(end.peak, axis.view.to.peak);
      EXPECT_GE(end.ns + Nanoseconds{2}, axis.view.from.ns);
      EXPECT_LE(end.ns, axis.view.to.ns);
    }
  }
}

TEST(Axis, AWeightOfNoneLeavesLevelOrUprightLines) {
  AxisQuestion only_time = question();
  only_time.memory_weight = 0;
  const Axis level = axis_of(four(), only_time);
  EXPECT_EQ(level.best_name, "c");
  for (const IsoCost& line : level.iso_cost) EXPECT_EQ(line.from.ns, line.to.ns);
  AxisQuestion only_memory = question();
  only_memory.time_weight = 0;
  const Axis upright = axis_of(four(), only_memory);
  EXPECT_EQ(upright.best_name, "a");
  for (const IsoCost& line : upright.iso_cost) EXPECT_EQ(line.from.peak, line.to.peak);
  only_memory.memory_weight = 0;
  EXPECT_TRUE(axis_of(four(), only_memory).iso_cost.empty());
}

TEST(Axis, WhatIsFarAwayDoesNotStretchTheView) {
  std::vector<Spot> spots = four();
  spots.push_back({"far", at(50, 4000), true, true, false});
  const Axis axis = axis_of(spots, question());
  EXPECT_LT(axis.view.to.ns, base::kSecond * 12);
  EXPECT_GE(axis.view.to.peak, base::kGB * 50);  // near enough in memory
}

}  // namespace
}  // namespace worktop::report
