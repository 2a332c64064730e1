// Two hops: device to host to disk and back, the bytes of the way charged to the host.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

// The disk moves half a byte a nanosecond: 8 B take 16. The second hop of each way is issued together with
// the first and waits for it.
//
//   time     0 2       10 12            26    32  36        46     52      60 63
//   compute  f-a---------c-------------------d---e---------~~~~~~~~~~~~~~b--|
//   out      ..xxxxxxxx.....................................................
//   disk_out ..........xxxxxxxxxxxxxxxx.....................................
//   disk_in  ....................................xxxxxxxxxxxxxxxx...........
//   in       ....................................................xxxxxxxx...
//   device   8 8         0                   0   8                       8
//   host       8                             0   8 .........................
//   disk       8 ...........................................................
TEST(Tiers, DeviceToHostToDiskAndBack) {
  Kitchen k;
  k.set_bandwidth(kDiskOut, 0.5);
  k.set_bandwidth(kDiskIn, 0.5);
  const ValueId x = k.value("x", 8);
  k.op("f", 2, {}, {{x}});
  const OpId a = k.op("a", 10, {}, {});
  const OpId c = k.op("c", 20, {}, {});
  const OpId d = k.op("d", 4, {}, {});
  const OpId e = k.op("e", 10, {}, {});
  k.op("b", 3, {x}, {});
  k.at(a, {copy_out(x), copy_out(x, kDiskOut)});
  k.at(c, {release(x)});
  k.at(d, {release(x, Tier::host)});
  k.at(e, {copy_in(x, kDiskIn), copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs,
            (Lines{"f 0-2 8B", "a 2-12 8B", "c 12-32 0B", "d 32-36 0B", "e 36-46 8B", "b 60-63 8B"}));
  EXPECT_EQ(played.copies,
            (Lines{"x out 2-10", "x disk_out 10-26 issued 2", "x disk_in 36-52", "x in 52-60 issued 36"}));
  EXPECT_EQ(played.stalls, Lines{"b waits 46-60 for x in"});
  EXPECT_EQ(played.peak, (Peak{8, 8, 8}));
  EXPECT_EQ(played.step, 63);
  EXPECT_EQ(played.links_busy, 8 + 16 + 16 + 8);
}

// The host gives its bytes back before the next value comes: x moves on to the disk, y takes its place. The
// release on the host waits for the disk, so the copy out of y begins at 26 though its link is free at 10.
// Letting x stay on the host as well would hold 16 B there.
//
//   time     0 2       10              26      34 36
//   compute  f-~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~g-|
//   out      ..xxxxxxxx................yyyyyyyy..
//   disk_out ..........xxxxxxxxxxxxxxxx..........
//   device   16                                0
//   host       8                       8
TEST(Tiers, HostStagesOneValueAtATime) {
  Kitchen k;
  k.set_bandwidth(kDiskOut, 0.5);
  const ValueId x = k.value("x", 8), y = k.value("y", 8);
  k.op("f", 2, {}, {{x}, {y}});
  const OpId g = k.op("g", 2, {}, {});
  k.at(g, {copy_out(x), copy_out(x, kDiskOut), release(x, Tier::host), copy_out(y), release(x), release(y)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 16B", "g 34-36 0B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 2-10", "x disk_out 10-26 issued 2", "y out 26-34"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 2-26 for x disk_out", "waits 26-34 for y out"}));
  EXPECT_EQ(played.peak, (Peak{16, 8, 8}));
}

// First in, first out holds also when the first cannot start yet: y lies ready on the host at 20, but x,
// which comes up from the disk, was queued before it. The other way round, c could run at 28.
//
//   time     0 2       10      18  20      28      36      44 46
//   compute  f-~~~~~~~~~~~~~~~~g-~~~~~~~~~~~~~~~~~~~~~~~~cb|
//   out      ..xxxxxxxxyyyyyyyy............................
//   disk_out ..........xxxxxxxx............................
//   disk_in  ....................xxxxxxxx..................
//   in       ............................xxxxxxxxyyyyyyyy..
//   device   16                0 16
//   host       16              8 16
TEST(Tiers, TheHeadOfAQueueHoldsUpTheRest) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 8);
  k.op("f", 2, {}, {{x}, {y}});
  const OpId g = k.op("g", 2, {}, {});
  const OpId c = k.op("c", 1, {y}, {});
  k.op("b", 1, {x}, {});
  k.at(g, {copy_out(x), copy_out(y), copy_out(x, kDiskOut), release(x), release(y), release(x, Tier::host)});
  k.at(c, {copy_in(x, kDiskIn), copy_in(x), copy_in(y)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-2 16B", "g 18-20 0B", "c 44-45 16B", "b 45-46 16B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 2-10", "y out 10-18 issued 2", "x disk_out 10-18 issued 2",
                                  "x disk_in 20-28", "x in 28-36 issued 20", "y in 36-44 issued 20"}));
  EXPECT_EQ(played.stalls,
            (Lines{"waits 2-10 for x out", "waits 10-18 for y out", "c waits 20-44 for y in"}));
  EXPECT_EQ(played.peak, (Peak{16, 16, 8}));
}

}  // namespace
}  // namespace worktop::by_hand
