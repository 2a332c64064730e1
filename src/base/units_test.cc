#include "base/units.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "base/ids.h"
#include "base/random.h"

namespace worktop::base {
namespace {

static_assert(!std::is_convertible_v<int, Bytes>, "no implicit conversion into a unit");
static_assert(!std::is_convertible_v<Bytes, Nanoseconds>, "units do not mix");

TEST(Units, GibAndGbAreDifferent) {
  EXPECT_EQ(kGiB.count(), 1073741824);
  EXPECT_EQ(kGB.count(), 1000000000);
}

TEST(Units, RateRoundsUpToWholeNanoseconds) {
  EXPECT_EQ(BytesPerSecond{1e9}.time_for(Bytes{1}), Nanoseconds{1});
  EXPECT_EQ(BytesPerSecond{2e9}.time_for(Bytes{3}), Nanoseconds{2});  // 1.5 ns
  EXPECT_EQ(BytesPerSecond{50e9}.time_for(3 * kGB), 60 * kMillisecond);
  EXPECT_EQ(BytesPerSecond{1e9}.time_for(Bytes{0}), Nanoseconds{0});
}

TEST(Units, UnlimitedIsAValue) {
  EXPECT_TRUE(within(Bytes{5}, Limit<Bytes>{}));
  EXPECT_TRUE(within(Bytes{5}, Limit<Bytes>{Bytes{5}}));
  EXPECT_FALSE(within(Bytes{6}, Limit<Bytes>{Bytes{5}}));
}

TEST(Units, SaturatesInsteadOfOverflowing) {
  EXPECT_EQ(saturating_add(Bytes{INT64_MAX}, Bytes{1}).count(), INT64_MAX);
  EXPECT_EQ(saturating_mul(Bytes{INT64_MAX / 2}, 3).count(), INT64_MAX);
  EXPECT_EQ(saturating_mul(Bytes{7}, 3).count(), 21);
}

TEST(Random, SplitMix64MatchesItsReference) {
  // First outputs for seed 1234567 as published with the reference implementation.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
  EXPECT_EQ(random.next(), 9817491932198370423ULL);
}

}  // namespace
}  // namespace worktop::base
