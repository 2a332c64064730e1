// Recomputes: fresh buffers for all outputs, workspace again, and time on the compute queue.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

// x1 and x2 are dropped; b wants x2, which is made from x1, which is made from the input.
//
//   time     0  3    8      15        25 28   33  37
//   compute  f--g----h------m---------f--g----b---|       f and g again at 25
//   device   12 20   14     6         14 22   14       input 4, x1 8, x2 8, x3 2
TEST(Recompute, AChainFromTheInput) {
  Kitchen k;
  const ValueId x0 = k.input("x0", 4);
  const ValueId x1 = k.value("x1", 8), x2 = k.value("x2", 8), x3 = k.value("x3", 2);
  const OpId f = k.op("f", 3, {x0}, {{x1}});
  const OpId g = k.op("g", 5, {x1}, {{x2}});
  const OpId h = k.op("h", 7, {x2}, {{x3}});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b = k.op("b", 4, {x2, x3}, {});
  k.at(h, {drop(x1)});
  k.at(m, {drop(x2)});
  k.at(b, {recompute(f), recompute(g), drop(x1)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 12B", "g 3-8 20B", "h 8-15 14B", "m 15-25 6B", "f again 25-28 14B",
                                "g again 28-33 22B", "b 33-37 14B"}));
  EXPECT_EQ(played.peak, (Peak{22, 0, 0}));
  EXPECT_EQ(played.step, 37);
  EXPECT_EQ(played.recomputing, 8);
}

// x is made three times: for its first reader, for b2, and once more for b1.
//
//   time     0  3   7         17 20   25 27 30   36
//   compute  f--g---m---------f--b2---h-f--b1----|
//   device   10 11  3         11 11   3 11 11          input 2, x 8, y 1
TEST(Recompute, OneValueTwice) {
  Kitchen k;
  const ValueId x0 = k.input("x0", 2), x = k.value("x", 8), y = k.value("y", 1);
  const OpId f = k.op("f", 3, {x0}, {{x}});
  k.op("g", 4, {x}, {{y}});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b2 = k.op("b2", 5, {x, y}, {});
  k.op("h", 2, {}, {});
  const OpId b1 = k.op("b1", 6, {x}, {});
  k.at(m, {drop(x)});
  k.at(b2, {recompute(f), drop(x)});
  k.at(b1, {recompute(f)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 10B", "g 3-7 11B", "m 7-17 3B", "f again 17-20 11B", "b2 20-25 11B",
                                "h 25-27 3B", "f again 27-30 11B", "b1 30-36 11B"}));
  EXPECT_EQ(played.peak, (Peak{11, 0, 0}));
  EXPECT_EQ(played.step, 36);
  EXPECT_EQ(played.recomputing, 6);
}

// An in-place op run again writes a fresh buffer: x and x1, one buffer at first, are two now. x is gone for
// good after the first run and has to be made again before x1.
//
//   time     0  3 5         15 18 20  24
//   compute  f--r-m---------f--r--b---|
//   device   10 10 2        10 18 10          input 2, x 8, x1 8
TEST(Recompute, AnInPlaceOpWritesAFreshBuffer) {
  Kitchen k;
  const ValueId x0 = k.input("x0", 2), x = k.value("x", 8), x1 = k.value("x1", 8);
  const OpId f = k.op("f", 3, {x0}, {{x}});
  const OpId r = k.op("r", 2, {x}, {{x1, x}});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b = k.op("b", 4, {x1}, {});
  k.at(m, {drop(x1)});
  k.at(b, {recompute(f), recompute(r), drop(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 10B", "r 3-5 10B", "m 5-15 2B", "f again 15-18 10B",
                                "r again 18-20 18B", "b 20-24 10B"}));
  EXPECT_EQ(played.peak, (Peak{18, 0, 0}));
  EXPECT_EQ(played.recomputing, 5);
}

// f writes x and y; y is still there when f runs again for x. The second y is a duplicate: charged while f
// runs, gone when it ends.
//
//   time     0  3         13 16 18
//   compute  f--m---------f--b-|
//   device   12 4         16 12         x 8, y 4; 4 + 8 + 4 = 16
TEST(Recompute, DuplicateOutputsGoWhenTheOpEnds) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  const OpId f = k.op("f", 3, {}, {{x}, {y}});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b = k.op("b", 2, {x, y}, {});
  k.at(m, {drop(x)});
  k.at(b, {recompute(f)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 12B", "m 3-13 4B", "f again 13-16 16B", "b 16-18 12B"}));
  EXPECT_EQ(played.peak, (Peak{16, 0, 0}));
}

// Of three outputs only x is wanted again. z is held by the plan since the recompute, though nobody reads it;
// t is nobody's: it goes when f ends, like the workspace.
//
//   time     0  3         13 16 18 19
//   compute  f--m---------f--b-c|
//   device   21 0         21 12 4            x 8, z 4, t 2, workspace 7
TEST(Recompute, WhatNobodyHoldsGoesWhenTheOpEnds) {
  Kitchen k;
  const ValueId x = k.value("x", 8), z = k.value("z", 4), t = k.temporary("t", 2);
  const OpId f = k.op("f", 3, {}, {{x}, {z}, {t}}, {.workspace = 7});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b = k.op("b", 2, {x}, {});
  k.op("c", 1, {}, {});
  k.at(m, {drop(x), drop(z)});
  k.at(b, {recompute(f), drop(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 21B", "m 3-13 0B", "f again 13-16 21B", "b 16-18 12B", "c 18-19 4B"}));
  EXPECT_EQ(played.peak, (Peak{21, 0, 0}));
}

// A recompute whose input comes back from the host waits for it; g, which needs nothing and comes first in
// the plan, runs again meanwhile.
//
//   time     0   4 6     12      20        30 32    38    44  48
//   compute  f---g-h-----~~~~~~~~m---------g-~~~~~~h-----b---|
//   out      ............xxxxxxxx.............................
//   in       ..............................xxxxxxxx...........
//   device   8   9 11            0         9       11    3        x 8, y 1, z 2
TEST(Recompute, WaitsForAnInputThatComesBack) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 1), z = k.value("z", 2);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 2, {}, {{y}});
  const OpId h = k.op("h", 6, {x}, {{z}});
  const OpId m = k.op("m", 10, {}, {});
  const OpId b = k.op("b", 4, {y, z}, {});
  k.at(m, {copy_out(x), drop(y), drop(z), release(x)});
  k.at(b, {copy_in(x), recompute(g), recompute(h), drop(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "g 4-6 9B", "h 6-12 11B", "m 20-30 0B", "g again 30-32 9B",
                                "h again 38-44 11B", "b 44-48 3B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 12-20", "x in 30-38"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 12-20 for x out", "h waits 32-38 for x in"}));
  EXPECT_EQ(played.step, 48);
  EXPECT_EQ(played.recomputing, 8);
}

}  // namespace
}  // namespace worktop::by_hand
