// A whole step: micro-steps, the optimizer, and what is left at the end.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

using graph::Phase;

// Forward and backward run three times, the optimizer once; recomputes, copies and stalls of a micro-step
// count three times as well.
//
//   time     0   4 6       14  16  18    24    30   35
//   compute  f---g-m-------s-g-~~~~~~b-----o----|
//   out      ....xxxxxxxx......................
//   in       ................xxxxxxxx..........
//   device   9   10 9      1 10 10     12    12         w 1, x 8, y 1, grad 2
//   x is released at 14; y is made again at 16 while x comes back
//   micro-step 30; step 3 * 30 + 5
TEST(Steps, MicroStepsAndOneOptimizer) {
  Kitchen k;
  k.builder.set_micro_steps(3);
  const ValueId w = k.input("w", 1), x = k.value("x", 8), y = k.value("y", 1), grad = k.temporary("grad", 2);
  k.op("f", 4, {w}, {{x}});
  const OpId g = k.op("g", 2, {w}, {{y}});
  const OpId m = k.op("m", 8, {}, {});
  const OpId s = k.op("s", 2, {}, {});
  const OpId b = k.op("b", 6, {x, y}, {{grad}}, {.phase = Phase::backward});
  k.op("o", 5, {w, grad}, {}, {.phase = Phase::optimizer});
  k.at(g, {copy_out(x)});
  k.at(m, {drop(y)});
  k.at(s, {release(x)});
  k.at(b, {copy_in(x), recompute(g)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 9B", "g 4-6 10B", "m 6-14 9B", "s 14-16 1B", "g again 16-18 10B",
                                "b 24-30 12B", "o 30-35 12B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "x in 16-24"}));
  EXPECT_EQ(played.micro_step, 30);
  EXPECT_EQ(played.step, 3 * 30 + 5);
  EXPECT_EQ(played.recomputing, 3 * 2);
  EXPECT_EQ(played.links_busy, 3 * 16);
  EXPECT_EQ(played.stalled, 3 * 6);
}

// A stall at the optimizer's trigger belongs to the micro-step: without it the optimizer could not start.
//
//   time     0 2       10   15
//   compute  f-~~~~~~~~o----|
//   out      ..xxxxxxxx.....
//   device   8         0
//   micro-step 10; step 2 * 10 + 5
TEST(Steps, AWaitBeforeTheOptimizerRepeats) {
  Kitchen k;
  k.builder.set_micro_steps(2);
  const ValueId x = k.value("x", 8);
  k.op("f", 2, {}, {{x}});
  const OpId o = k.op("o", 5, {}, {}, {.phase = Phase::optimizer});
  k.at(o, {copy_out(x), release(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 8B", "o 10-15 0B"}));
  EXPECT_EQ(played.micro_step, 10);
  EXPECT_EQ(played.step, 2 * 10 + 5);
  EXPECT_EQ(played.stalled, 2 * 8);
}

// Nobody waits for the copy out of x, but the step is not over before it is.
//
//   time     0 2  5    10
//   compute  f-g--.....|
//   out      ..xxxxxxxx|
//   device   8 throughout; host 8 from 2 on
TEST(Steps, ACopyThatNobodyWaitsForIsPartOfTheStep) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 2, {}, {{x}});
  const OpId g = k.op("g", 3, {}, {});
  k.at(g, {copy_out(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 8B", "g 2-5 8B"}));
  EXPECT_EQ(played.micro_step, 5);
  EXPECT_EQ(played.step, 10);
  EXPECT_EQ(played.stalled, 0);
}

// Actions at the end of the step are played too: a release there waits.
//
//   time     0 2       10
//   compute  f-~~~~~~~~|
//   out      ..xxxxxxxx
//   device   8         0
TEST(Steps, ActionsAtTheEnd) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 2, {}, {{x}});
  k.at_end({copy_out(x), release(x)});
  const Played played = k.play();
  EXPECT_EQ(played.stalls, Lines{"waits 2-10 for x out"});
  EXPECT_EQ(played.micro_step, 10);
  EXPECT_EQ(played.step, 10);
  EXPECT_EQ(played.peak, (Peak{8, 8, 0}));
}

TEST(Steps, AnEmptyGraphTakesNoTime) {
  const Played played = Kitchen().play();
  EXPECT_EQ(played.step, 0);
  EXPECT_EQ(played.peak, (Peak{0, 0, 0}));
}

}  // namespace
}  // namespace worktop::by_hand
