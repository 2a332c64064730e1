// Who gets which blocks, by hand: blocks of 4096 bytes, written as B.
#include "runtime/arena.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "runtime/fake_device.h"

namespace worktop::runtime {
namespace {

Bytes blocks(std::int64_t n) {
  return kBlock * n;
}
using List = std::vector<Extent>;

TEST(Extents, BestFitAndNeighboursBecomeOne) {
  Extents extents;
  extents.grow(blocks(10));
  const auto a = *extents.take_run(blocks(3));  // 0 1 2
  const auto b = *extents.take_run(blocks(1));  // 3
  const auto c = *extents.take_run(blocks(2));  // 4 5
  EXPECT_EQ(c, (Extent{blocks(4), blocks(2)}));
  extents.give_back({a});
  // Free: 0..2 and 6..9. Three blocks fit the first exactly.
  EXPECT_EQ(extents.take_run(blocks(3)), (Extent{blocks(0), blocks(3)}));
  extents.give_back({a});
  extents.give_back({c});  // 4..9 is one
  EXPECT_EQ(extents.take_run(blocks(6)), (Extent{blocks(4), blocks(6)}));
  extents.give_back({b});
  EXPECT_EQ(extents.take_run(blocks(4)), (Extent{blocks(0), blocks(4)}));
  EXPECT_EQ(extents.free(), Bytes{0});
  EXPECT_EQ(extents.take_run(Bytes{1}), std::nullopt);
}

TEST(Extents, PiecesTakeTheLongestFirst) {
  Extents extents;
  extents.grow(blocks(6));
  std::vector<Extent> one;
  for (int i = 0; i < 6; ++i) one.push_back(*extents.take_run(blocks(1)));
  extents.give_back({one[0], one[2], one[3], one[5]});
  EXPECT_EQ(extents.take_pieces(blocks(3)), (List{{blocks(2), blocks(2)}, {blocks(0), blocks(1)}}));
}

// Random takes and returns: no two extents overlap, nothing is lost.
TEST(Extents, RandomTakesNeverOverlap) {
  base::Random random(3);
  Extents extents;
  extents.grow(blocks(64));
  std::vector<List> held;
  std::vector<int> owner(64, 0);
  const auto mark = [&](const List& list, int from, int to) {
    for (const Extent& extent : list)
      for (Bytes at = extent.offset; at < extent.end(); at += kBlock) {
        int& block = owner[static_cast<std::size_t>(at.count() / kBlock.count())];
        ASSERT_EQ(block, from);
        block = to;
      }
  };
  for (int i = 0; i < 2000; ++i) {
    const Bytes size{random.between(1, 40'000)};
    if (random.chance(50) && whole_blocks(size) <= extents.free()) {
      const auto run = extents.take_run(size);
      held.push_back(run ? List{*run} : extents.take_pieces(size));
      mark(held.back(), 0, 1);
    } else if (!held.empty()) {
      std::swap(held[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(held.size())))],
                held.back());
      mark(held.back(), 1, 0);
      extents.give_back(held.back());
      held.pop_back();
    }
  }
  for (const List& list : held) extents.give_back(list);
  EXPECT_EQ(extents.take_run(blocks(64)), (Extent{blocks(0), blocks(64)}));
}

struct Fixture {
  FakeDevice fake{{.host = blocks(16)}};
  Arena arena(std::int64_t limit, std::int64_t step) {
    return {fake, Tier::host, Bytes{limit}, blocks(step)};
  }
};

TEST(Arena, GrowsInStepsUpToTheLimit) {
  Fixture fixture;
  Arena arena = fixture.arena(blocks(7).count(), 4);
  const auto a = *arena.take(Bytes{5000});  // two blocks
  EXPECT_EQ(arena.used(), Bytes{5000});     // as a plan counts
  EXPECT_EQ(arena.reserved(), blocks(4));
  const auto b = *arena.take(blocks(3));  // not in the two that are left: 4 + 4 would pass the limit
  EXPECT_EQ(arena.reserved(), blocks(7));
  EXPECT_EQ(b, (List{{blocks(2), blocks(3)}}));
  arena.give_back(Bytes{5000}, a);
  EXPECT_EQ(arena.peak_used(), Bytes{5000} + blocks(3));
  EXPECT_EQ(arena.reserved(), blocks(7));  // kept
}

// Free are 0 1 and 4 5 6: five blocks in pieces rather than a passed limit.
TEST(Arena, WhatFitsByBytesIsFoundRoomFor) {
  Fixture fixture;
  Arena arena = fixture.arena(blocks(7).count(), 1);
  const auto a = *arena.take(blocks(2));
  const auto b = *arena.take(blocks(2));
  arena.give_back(blocks(2), a);
  const auto c = *arena.take(blocks(5));
  EXPECT_EQ(arena.reserved(), blocks(7));
  EXPECT_EQ(c.size(), 2U);
  const auto none = arena.take(Bytes{1});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().hint, "raise the host budget, or plan with a smaller one");
}

// A limit of 100 bytes holds a hundred values of one byte, each in a block of its own.
TEST(Arena, TheLimitIsToTheByte) {
  Fixture fixture;
  Arena arena = fixture.arena(10, 1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(arena.take(Bytes{1}));
  EXPECT_FALSE(arena.take(Bytes{1}));
  EXPECT_TRUE(arena.take(Bytes{0}));
  EXPECT_EQ(arena.reserved(), blocks(10));
}

// The machine has 16 blocks, whatever the limit says; a step too far is tried again without the step.
TEST(Arena, TheMachineMayHaveLess) {
  Fixture fixture;
  Arena arena = fixture.arena(blocks(100).count(), 12);
  ASSERT_TRUE(arena.take(blocks(12)));
  ASSERT_TRUE(arena.take(blocks(4)));
  const auto more = arena.take(blocks(1));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().what, "the host is full");
  EXPECT_EQ(arena.used(), blocks(16));
}

}  // namespace
}  // namespace worktop::runtime
