// Copies and the compute queue: when they overlap, and when one waits for the other.
#include <gtest/gtest.h>

#include "by_hand/kitchen.h"

namespace worktop::by_hand {
namespace {

// x (8 B) is needed again late; g, h and k do not touch it. Both copies hide behind other work.
//
//   time     0         10        20        30        40   45
//   compute  f---------g---------h---------k---------b----|
//   out      ..........xxxxxxxx...........................
//   in       ..............................xxxxxxxx.......
//            x written  y (4 B)   z (2 B); x released at 20, its reload allocated at 30
//   device   8         12        6         14        14
TEST(Copies, OverlapWithCompute) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4), z = k.value("z", 2);
  k.op("f", 10, {}, {{x}});
  const OpId g = k.op("g", 10, {}, {{y}});
  const OpId h = k.op("h", 10, {y}, {{z}});
  const OpId work = k.op("k", 10, {}, {});
  k.op("b", 5, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x)});
  k.at(work, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-10 8B", "g 10-20 12B", "h 20-30 6B", "k 30-40 14B", "b 40-45 14B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 10-18", "x in 30-38"}));
  EXPECT_EQ(played.stalls, Lines{});
  EXPECT_EQ(played.peak, (Peak{14, 8, 0}));
  EXPECT_EQ(played.step, 45);
  EXPECT_EQ(played.links_busy, 16);
  EXPECT_EQ(played.stalled, 0);
}

// The reload is issued only when b comes: b waits for all of it. The peak is the same as if it were early.
//
//   time     0         10        20        30        40      48   53
//   compute  f---------g---------h---------k---------~~~~~~~~b----|
//   out      ..........xxxxxxxx...................................
//   in       ........................................xxxxxxxx.....
//   device   8         12        6         6         14      14
TEST(Copies, StallOnALateReload) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4), z = k.value("z", 2);
  k.op("f", 10, {}, {{x}});
  const OpId g = k.op("g", 10, {}, {{y}});
  const OpId h = k.op("h", 10, {y}, {{z}});
  k.op("k", 10, {}, {});
  const OpId b = k.op("b", 5, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x)});
  k.at(b, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-10 8B", "g 10-20 12B", "h 20-30 6B", "k 30-40 6B", "b 48-53 14B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 10-18", "x in 40-48"}));
  EXPECT_EQ(played.stalls, Lines{"b waits 40-48 for x in"});
  EXPECT_EQ(played.peak, (Peak{14, 8, 0}));
  EXPECT_EQ(played.step, 53);
  EXPECT_EQ(played.stalled, 8);
}

// g is shorter than the copy out of x: the release before h waits for the copy to end.
//
//   time     0   4 6     12  16      24 26
//   compute  f---g-~~~~~~h---~~~~~~~~b-|
//   out      ....xxxxxxxx..............
//   in       ................xxxxxxxx..
//   device   8   8       0   8       8
TEST(Copies, ReleaseThatWaits) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 2, {}, {});
  const OpId h = k.op("h", 4, {}, {});
  const OpId b = k.op("b", 2, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x)});
  k.at(b, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "g 4-6 8B", "h 12-16 0B", "b 24-26 8B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "x in 16-24"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 6-12 for x out", "b waits 16-24 for x in"}));
  EXPECT_EQ(played.peak, (Peak{8, 8, 0}));
  EXPECT_EQ(played.step, 26);
  EXPECT_EQ(played.stalled, 14);
}

// The same with a g of just the copy's length: the copy ends at the moment of the release, nobody waits.
//
//   time     0   4       12  16      24 26
//   compute  f---g-------h---~~~~~~~~b-|
//   out      ....xxxxxxxx..............
//   in       ................xxxxxxxx..
//   device   8   8       0   8       8
TEST(Copies, ReleaseThatDoesNotWait) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 8, {}, {});
  const OpId h = k.op("h", 4, {}, {});
  const OpId b = k.op("b", 2, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x)});
  k.at(b, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "g 4-12 8B", "h 12-16 0B", "b 24-26 8B"}));
  EXPECT_EQ(played.stalls, Lines{"b waits 16-24 for x in"});
  EXPECT_EQ(played.step, 26);
}

// Out, let go and back in at one trigger: the copy in cannot begin before the copy out has ended. h, which
// does not need x, overlaps with the reload only.
//
//   time     0   4       12   17 20 22
//   compute  f---~~~~~~~~h----~~~b-|
//   out      ....xxxxxxxx..........
//   in       ............xxxxxxxx..
//   device   8           8       8     released and allocated again at 12: 8 -> 0 -> 8
TEST(Copies, CopyInBehindItsCopyOut) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 4, {}, {{x}});
  const OpId h = k.op("h", 5, {}, {});
  k.op("b", 2, {x}, {});
  k.at(h, {copy_out(x), release(x), copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "h 12-17 8B", "b 20-22 8B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "x in 12-20"}));
  EXPECT_EQ(played.stalls, (Lines{"waits 4-12 for x out", "b waits 17-20 for x in"}));
  EXPECT_EQ(played.peak, (Peak{8, 8, 0}));
  EXPECT_EQ(played.step, 22);
}

// Two copies on one link run one after the other. y is small and first to be let go, but its copy is behind
// x's.
//
//   time     0   4   8           20  22  26 28      36 37
//   compute  f---g---~~~~~~~~~~~~h-~~~~b-~~~~~~~~c|
//   out      ........xxxxxxxxyyyy..................
//   in       ......................yyyy..xxxxxxxx..
//   device   8   12  12          0 4     12
TEST(Copies, FirstInFirstOutOnALink) {
  Kitchen k;
  const ValueId x = k.value("x", 8), y = k.value("y", 4);
  k.op("f", 4, {}, {{x}});
  k.op("g", 4, {}, {{y}});
  const OpId h = k.op("h", 2, {}, {});
  const OpId b = k.op("b", 2, {y}, {});
  const OpId c = k.op("c", 1, {x}, {});
  k.at(h, {copy_out(x), copy_out(y), release(y), release(x)});
  k.at(b, {copy_in(y)});
  k.at(c, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "g 4-8 12B", "h 20-22 0B", "b 26-28 4B", "c 36-37 12B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 8-16", "y out 16-20 issued 8", "y in 22-26", "x in 28-36"}));
  EXPECT_EQ(played.stalls,
            (Lines{"waits 8-20 for y out", "b waits 22-26 for y in", "c waits 28-36 for x in"}));
  EXPECT_EQ(played.peak, (Peak{12, 12, 0}));
  EXPECT_EQ(played.step, 37);
}

// The host keeps its copy when x is back; after b, x is let go a second time without a copy out, and comes
// back once more.
//
//   time     0   4       12 14      22 25    30      38 39
//   compute  f---g-------h--~~~~~~~~b--k-----~~~~~~~~c-|
//   out      ....xxxxxxxx..............................
//   in       ...............xxxxxxxx.........xxxxxxxx..
//   device   8   8       0          8  0     8       8
//   host         8 ................................. 8   (never let go before the end)
TEST(Copies, HostCopyOutlivesItsReload) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 8, {}, {});
  const OpId h = k.op("h", 2, {}, {});
  const OpId b = k.op("b", 3, {x}, {});
  k.op("k", 5, {}, {});
  const OpId c = k.op("c", 1, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(h, {release(x)});
  k.at(b, {copy_in(x), drop(x)});  // b holds what it reads: x goes when b ends
  k.at(c, {copy_in(x)});
  const Played played = k.play();
  EXPECT_EQ(played.runs,
            (Lines{"f 0-4 8B", "g 4-12 8B", "h 12-14 0B", "b 22-25 8B", "k 25-30 0B", "c 38-39 8B"}));
  EXPECT_EQ(played.copies, (Lines{"x out 4-12", "x in 14-22", "x in 30-38"}));
  EXPECT_EQ(played.peak, (Peak{8, 8, 0}));
  EXPECT_EQ(played.step, 39);
}

// The host's copy is let go while the reload still reads it: the compute queue waits, though k needs nothing.
//
//   time     0   4       12      20  24 26
//   compute  f---g-------~~~~~~~~k---b-|
//   out      ....xxxxxxxx..............
//   in       ............xxxxxxxx......
//   device   8   8       8       8   8    released and allocated again at 12
//   host         8               0
TEST(Copies, DropOnTheHostWaitsForItsReader) {
  Kitchen k;
  const ValueId x = k.value("x", 8);
  k.op("f", 4, {}, {{x}});
  const OpId g = k.op("g", 8, {}, {});
  const OpId work = k.op("k", 4, {}, {});
  k.op("b", 2, {x}, {});
  k.at(g, {copy_out(x)});
  k.at(work, {release(x), copy_in(x), drop(x, Tier::host)});
  const Played played = k.play();
  EXPECT_EQ(played.runs, (Lines{"f 0-4 8B", "g 4-12 8B", "k 20-24 8B", "b 24-26 8B"}));
  EXPECT_EQ(played.stalls, Lines{"waits 12-20 for x in"});
  EXPECT_EQ(played.peak, (Peak{8, 8, 0}));
  EXPECT_EQ(played.step, 26);
}

// Each copy costs a latency of 5: four values of one byte take 4 * (5 + 1), one of four bytes 5 + 4.
//
//   time     0 2                       26 28            0 2        11 13
//   compute  f-~~~~~~~~~~~~~~~~~~~~~~~~g-|              f-~~~~~~~~~g-|
//   out      ..aaaaaabbbbbbccccccdddddd..               ..wwwwwwwww..
//   device   4 4     3     2     1     0                4 4        0
TEST(Copies, LatencyOfManySmallCopies) {
  Kitchen small;
  small.machine.links[kOut].latency = Nanoseconds{5};
  const ValueId a = small.value("a", 1), b = small.value("b", 1), c = small.value("c", 1),
                d = small.value("d", 1);
  small.op("f", 2, {}, {{a}, {b}, {c}, {d}});
  const OpId g = small.op("g", 2, {}, {});
  small.at(g, {copy_out(a), copy_out(b), copy_out(c), copy_out(d), release(a), release(b), release(c),
               release(d)});
  const Played four = small.play();
  EXPECT_EQ(four.copies,
            (Lines{"a out 2-8", "b out 8-14 issued 2", "c out 14-20 issued 2", "d out 20-26 issued 2"}));
  EXPECT_EQ(four.runs, (Lines{"f 0-2 4B", "g 26-28 0B"}));
  EXPECT_EQ(four.stalls, (Lines{"waits 2-8 for a out", "waits 8-14 for b out", "waits 14-20 for c out",
                                "waits 20-26 for d out"}));
  EXPECT_EQ(four.stalled, 24);

  Kitchen large;
  large.machine.links[kOut].latency = Nanoseconds{5};
  const ValueId w = large.value("w", 4);
  large.op("f", 2, {}, {{w}});
  const OpId then = large.op("g", 2, {}, {});
  large.at(then, {copy_out(w), release(w)});
  const Played one = large.play();
  EXPECT_EQ(one.copies, Lines{"w out 2-11"});
  EXPECT_EQ(one.step, 13);
  EXPECT_EQ(one.peak, four.peak);
}

// One plan on two machines. On the slower one everything comes late, and not a byte more is held: memory
// follows the order of actions.
//
//   links of 1 B/ns                        links of 0.25 B/ns, 8 B take 32; one letter two nanoseconds
//   time     0   4     10  12    18  20  24    0 4  10           36 42           68 72
//   compute  f---g-----~~h-----~~b---|         f-g--~~~~~~~~~~~~~h--~~~~~~~~~~~~~b-|
//   out      ....xxxxxxxx.............         ..xxxxxxxxxxxxxxxx...................
//   in       ............xxxxxxxx.....         ..................xxxxxxxxxxxxxxxx...
//   device   8   11      11      11            8 11              11              11
TEST(Copies, LateCopiesCostTimeAndNoByte) {
  const auto play = [](double bytes_per_ns) {
    Kitchen k;
    k.set_bandwidth(kOut, bytes_per_ns);
    k.set_bandwidth(kIn, bytes_per_ns);
    const ValueId x = k.value("x", 8), y = k.value("y", 3);
    k.op("f", 4, {}, {{x}});
    const OpId g = k.op("g", 6, {}, {{y}});
    const OpId h = k.op("h", 6, {}, {});
    k.op("b", 4, {x}, {});
    k.at(g, {copy_out(x)});
    k.at(h, {release(x), copy_in(x)});
    return k.play();
  };
  // Fast: out 4-12, release waits 10-12, in 12-20, h 12-18, b waits 18-20 and runs 20-24.
  const Played fast = play(1.0);
  EXPECT_EQ(fast.runs, (Lines{"f 0-4 8B", "g 4-10 11B", "h 12-18 11B", "b 20-24 11B"}));
  EXPECT_EQ(fast.step, 24);
  EXPECT_EQ(fast.stalled, 4);
  // Slow: out 4-36, in 36-68, h 36-42, b 68-72.
  const Played slow = play(0.25);
  EXPECT_EQ(slow.runs, (Lines{"f 0-4 8B", "g 4-10 11B", "h 36-42 11B", "b 68-72 11B"}));
  EXPECT_EQ(slow.step, 72);
  EXPECT_EQ(slow.stalled, 26 + 26);
  EXPECT_EQ(fast.peak, (Peak{11, 8, 0}));
  EXPECT_EQ(slow.peak, fast.peak);
}

}  // namespace
}  // namespace worktop::by_hand
