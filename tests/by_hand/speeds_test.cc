// Speeds that change while something runs: links that share a way, compute that shares memory.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

// Links at half their speed while the opposite one is busy. The copy out of y has done 2 of 8 bytes when the
// reload of x begins; both go on at half speed until y is out, then x alone again.
//
//   time     0   4         14 16          28 30     36  40      48  52
//   compute  f---g---------h-k-------------------b---~~~~~~~~c---|
//   out      ....xxxxxxxx..yyYYYYYYYYYYYY.........................      capitals: half speed
//   in       ................XXXXXXXXXXXXxx..........yyyyyyyy.....
//   bytes of y out at 16: 2; at 28: 2 + 6 = 8.  bytes of x in at 28: 6; at 30: 8.
//   device   8   16        8 16                  8   16
TEST(Speeds, BothWaysAtOnceIsSlowerPieceByPiece) {
  Kitchen k;
  k.set_both_ways(0.5);
  const ValueId x = k.value("x", 8), y = k.value("y", 8);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 10, {}, {{y}});
  const OpId h = k.op("h", 2, {}, {});
  const OpId work = k.op("k", 20, {}, {});
  const OpId b = k.op("b", 4, {x}, {});
  const OpId c = k.op("c", 4, {y}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x), copy_out(y)});
  k.at(work, {copy_in(x)});
  k.at(b, {release(y)});
  k.at(c, {copy_in(y)});
  const Played played = k.play();
  EXPECT_EQ(played.runs,
            (Lines{"f 0-4 8B", "g 4-14 16B", "h 14-16 8B", "k 16-36 16B", "b 36-40 8B", "c 48-52 16B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "y out 14-28", "x in 16-30", "y in 40-48"}));
  EXPECT_EQ(played.stalls, Lines{"c waits 40-48 for y in"});
  EXPECT_EQ(played.peak, (Peak{16, 16, 0}));
  EXPECT_EQ(played.step, 52);
  EXPECT_EQ(played.links_busy, 8 + 14 + 14 + 8);
}

// Only the link between the same two tiers is in the way: host to disk runs beside device to host at full
// speed, both outward.
//
//   time     0 2       10      18 20
//   compute  f-g-----------------|
//   out      ..xxxxxxxxyyyyyyyy..
//   disk_out ..........xxxxxxxx..
//   device   16 throughout; host 16, disk 8
TEST(Speeds, OtherLinksAreNotInTheWay) {
  Kitchen k;
  k.set_both_ways(0.5);
  const ValueId x = k.value("x", 8), y = k.value("y", 8);
  k.op("f", 2, {}, {{x}, {y}});
  const OpId g = k.op("g", 18, {}, {});
  k.at(g, {copy_out(x), copy_out(y), copy_out(x, kDiskOut)});
  const Played played = k.play();
  EXPECT_EQ(played.copies, (Lines{"x out 2-10", "y out 10-18 issued 2", "x disk_out 10-18 issued 2"}));
  EXPECT_EQ(played.step, 20);
}

// Compute at half speed while a link is busy: g does 3 of its 10 ns until 8, and the other 7 alone.
//
//   time     0 2     8      15  19
//   compute  f-GGGGGGg------b---|        capitals: half speed
//   out      ..xxxxxx...........
//   device   6 throughout; host 6
TEST(Speeds, ComputeSlowsDownWhileALinkIsBusy) {
  Kitchen k;
  k.machine.compute_slowdown = 0.5;
  const ValueId x = k.value("x", 6);
  k.op("f", 2, {}, {{x}});
  const OpId g = k.op("g", 10, {}, {});
  k.op("b", 4, {x}, {});
  k.at(g, {copy_out(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 6B", "g 2-15 6B", "b 15-19 6B"}));
  EXPECT_EQ(played.copies, Lines{"x out 2-8"});
  EXPECT_EQ(played.step, 19);
}

// Slower by a fifth: g does 0.8 * 6 = 4.8 ns of its 10 until 8; the other 5.2 end at 13.2, told as 14.
//
//   time     0 2     8     14  18
//   compute  f-GGGGGGg-----b---|         capitals: slower
//   out      ..xxxxxx..........
//   device   6 throughout; host 6
TEST(Speeds, EndsAreRoundedUp) {
  Kitchen k;
  k.machine.compute_slowdown = 0.2;
  const ValueId x = k.value("x", 6);
  k.op("f", 2, {}, {{x}});
  const OpId g = k.op("g", 10, {}, {});
  k.op("b", 4, {x}, {});
  k.at(g, {copy_out(x)});
  EXPECT_EQ(k.play().runs, (Lines{"f 0-2 6B", "g 2-14 6B", "b 14-18 6B"}));
}

// A copy that waits for its source keeps no link busy. x is on the disk alone at 18; its way up from the host
// is queued at once, but runs from 26 only: y goes out at full speed beside it.
//
//   time     0 2       10      18  22  26      34      42 44
//   compute  f-~~~~~~~~~~~~~~~~g-----------------------b-|
//   out      ..xxxxxxxx........yyyy.......................
//   disk_out ..........xxxxxxxx...........................
//   disk_in  ..................xxxxxxxx...................
//   in       ..........................xxxxxxxx...........
//   device   12                12                      12      x allocated again at 18
//   host       8               12                              x let go and back, y
TEST(Speeds, ACopyThatWaitsKeepsNoLinkBusy) {
  Kitchen k;
  k.set_both_ways(0.5);
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 2, {}, {{x}, {y}});
  const OpId g = k.op("g", 24, {}, {});
  k.op("b", 2, {x}, {});
  k.at(g, {copy_out(x), copy_out(x, kDiskOut), release(x), release(x, Tier::host), copy_in(x, kDiskIn),
           copy_in(x), copy_out(y)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 12B", "g 18-42 12B", "b 42-44 12B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 2-10", "x disk_out 10-18 issued 2", "x disk_in 18-26",
                                  "x in 26-34 issued 18", "y out 18-22"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 2-10 for x out", "waits 10-18 for x disk_out"}));
  EXPECT_EQ(played.peak, (Peak{12, 12, 8}));
}

}  // namespace
}  // namespace worktop::by_hand
