// Who keeps bytes alive: the program, the executor by its plan, and the op that runs.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

// The plan drops x before g, but the program's own variable lives until the end of h.
//
//   time     0  3   7 9 11
//   compute  f--g---h-k-|
//   x        888888888           executor until 3, program until 9
//   device   8  12  13 5         x 8, y 4, z 1
TEST(Holders, AProgramThatOutlivesThePlan) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4), z = k.value("z", 1);
  k.op("f", 3, {}, {{x}});
  const OpId g = k.op("g", 4, {x}, {{y}});
  const OpId h = k.op("h", 2, {y}, {{z}});
  k.op("k", 2, {z}, {});
  k.builder.set_held_until(x, h);
  k.at(g, {drop(x)});
  EXPECT_EQ(k.play().runs, (Lines{"f 0-3 8B", "g 3-7 12B", "h 7-9 13B", "k 9-11 5B"}));
}

// The other way round: the program lets go when f ends, the plan never does.
//
//   compute  f--g---h-|
//   device   8  12  12
TEST(Holders, APlanThatOutlivesTheProgram) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 3, {}, {{x}});
  k.op("g", 4, {x}, {{y}});
  k.op("h", 2, {y}, {});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 8B", "g 3-7 12B", "h 7-9 12B"}));
  EXPECT_EQ(played.peak, (Peak{12, 0, 0}));
  EXPECT_EQ(played.step, 9);
}

// What the executor never holds dies with its last reader, and an input lives on.
//
//   time     0  3   7 9
//   compute  f--g---h-|
//   device   5  7   3            input 1 throughout; t (4 B) until g ends; u (2 B) from g on
TEST(Holders, TemporariesDieWithTheirLastReader) {
  Kitchen k;
  const ValueId in = k.input("in", 1), t = k.temporary("t", 4), u = k.temporary("u", 2);
  k.op("f", 3, {in}, {{t}});
  k.op("g", 4, {t}, {{u}});
  k.op("h", 2, {u}, {});
  EXPECT_EQ(k.play().runs, (Lines{"f 0-3 5B", "g 3-7 7B", "h 7-9 3B"}));
}

// A drop at the trigger of the op that reads x: b holds it while it runs, so x and y are there together; when
// b ends, x goes. Nothing is freed early, nothing late.
//
//   time     0  3   7 9
//   compute  f--b---c-|
//   device   8  12  4
TEST(Holders, ADropAtTheTriggerOfTheReader) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 3, {}, {{x}});
  const OpId b = k.op("b", 4, {x}, {{y}});
  k.op("c", 2, {y}, {});
  k.at(b, {drop(x)});
  EXPECT_EQ(k.play().runs, (Lines{"f 0-3 8B", "b 3-7 12B", "c 7-9 4B"}));
}

// A view is not a value: the op that makes it reads x and writes nothing, and who reads the view reads x. The
// drop of x at g, which reads the view, takes effect when g ends.
//
//   time     0  3   7 9
//   compute  f--g---h-|          v (0 ns, 0 B) at 3
//   device   8  12  4
TEST(Holders, ReadingAViewIsReadingTheValue) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 3, {}, {{x}});
  k.op("v", 0, {x}, {});
  const OpId g = k.op("g", 4, {x}, {{y}});
  k.op("h", 2, {y}, {});
  k.at(g, {drop(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 8B", "v 3-3 8B", "g 3-7 12B", "h 7-9 4B"}));
  EXPECT_EQ(played.peak, (Peak{12, 0, 0}));
}

// Workspace makes the peak: it is there from start to end of its op, on top of inputs and outputs.
//
//   time     0  3   7 9
//   compute  f--g---h-|
//   device   8  32  12           g: x 8, y 4, workspace 20
TEST(Holders, WorkspaceAtThePeak) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 3, {}, {{x}});
  k.op("g", 4, {x}, {{y}}, {.workspace = 20});
  k.op("h", 2, {x, y}, {});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-3 8B", "g 3-7 32B", "h 7-9 12B"}));
  EXPECT_EQ(played.peak, (Peak{32, 0, 0}));
}

// An in-place op takes over the buffer: nothing is allocated, and x is gone when it ends.
//
//   time     0  3 5   9
//   compute  f--r-b---|
//   x        888888                 one buffer of 8 B:
//   x1             888              x until 5, x1 from then on
//   device   8  8 10                y 2
TEST(Holders, AnInPlaceWriteAllocatesNothing) {
  Kitchen k;
  const ValueId x = k.value("x", 8), x1 = k.value("x1", 8), y = k.value("y", 2);
  k.op("f", 3, {}, {{x}});
  k.op("r", 2, {x}, {{x1, x}});
  const OpId b = k.op("b", 4, {x1}, {{y}});
  k.op("c", 1, {y}, {});
  k.at(b, {drop(x1)});
  EXPECT_EQ(k.play().runs, (Lines{"f 0-3 8B", "r 3-5 8B", "b 5-9 10B", "c 9-10 2B"}));
}

// A copy of the old version, which an in-place op is about to overwrite: `release` makes the op wait for the
// copy. What comes back for b is the old version, in a buffer of its own.
//
//   time     0   4       12 14      22 24
//   compute  f---~~~~~~~~r-~~~~~~~~b-|
//   out      ....xxxxxxxx.............
//   in       ..............xxxxxxxx...
//   device   8           8 16               x1 and x
TEST(Holders, TheOldVersionOfAnInPlaceWrite) {
  Kitchen k;
  const ValueId x = k.value("x", 8), x1 = k.value("x1", 8);
  k.op("f", 4, {}, {{x}});
  const OpId r = k.op("r", 2, {x}, {{x1, x}});
  const OpId b = k.op("b", 2, {x, x1}, {});
  k.at(r, {copy_out(x), release(x)});
  k.at(b, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "r 12-14 8B", "b 22-24 16B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "x in 14-22"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 4-12 for x out", "b waits 14-22 for x in"}));
  EXPECT_EQ(played.peak, (Peak{16, 8, 0}));
}

}  // namespace
}  // namespace worktop::by_hand
