#include "simulator/work.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace worktop::simulator {
namespace {

using base::Nanoseconds;

TEST(Work, TakesItsTimeAtFullSpeed) {
  Work work(Nanoseconds{7});
  EXPECT_EQ(work.time_left(kFullSpeed), 7);
  work.advance(7, kFullSpeed);
  EXPECT_TRUE(work.done());
}

// 10 ns of work, 4 ns at half speed do 2, the other 8 at 0.8 take 10.
TEST(Work, IsExactThroughChangesOfSpeed) {
  Work work(Nanoseconds{10});
  work.advance(4, rate_of(0.5));
  EXPECT_EQ(work.time_left(rate_of(0.8)), 10);
  work.advance(10, rate_of(0.8));
  EXPECT_TRUE(work.done());
}

// 1 ns at 0.3 does 0.3; 0.7 are left: one whole nanosecond at full speed, three at 0.3 (0.9 >= 0.7).
TEST(Work, RoundsEndsUp) {
  Work work(Nanoseconds{1});
  work.advance(1, rate_of(0.3));
  EXPECT_EQ(work.time_left(kFullSpeed), 1);
  EXPECT_EQ(work.time_left(rate_of(0.3)), 3);
  work.advance(1, kFullSpeed);
  EXPECT_TRUE(work.done());
  EXPECT_EQ(work.time_left(kFullSpeed), 0);
}

TEST(Work, HasRatesForAnyShare) {
  EXPECT_EQ(rate_of(1.0), kFullSpeed);
  EXPECT_EQ(rate_of(1.5), kFullSpeed);
  EXPECT_EQ(rate_of(0.0), kSlowest);
  EXPECT_EQ(rate_of(-1.0), kSlowest);
  EXPECT_EQ(rate_of(0.0000004), kSlowest);
  EXPECT_EQ(rate_of(0.9), 900'000);
  const double zero = 0.0;
  EXPECT_EQ(rate_of(zero / zero), kFullSpeed);
}

TEST(Work, HoldsTheLargestDurationAtTheSlowestSpeed) {
  Work work(Nanoseconds::largest());
  EXPECT_EQ(work.time_left(kSlowest), Nanoseconds::largest().count() * 1000);
  work.advance(Nanoseconds::largest().count() * 1000, kSlowest);
  EXPECT_TRUE(work.done());
}

// However time is cut into pieces: with one ns less it is not done, with time_left it is.
RC_GTEST_PROP(Work, EndsWhenItSaysSo, ()) {
  Work work(Nanoseconds{*rc::gen::inRange<std::int64_t>(1, 1'000'000'000)});
  for (int i = 0; i < 10 && !work.done(); ++i) {
    const std::int64_t rate = *rc::gen::inRange<std::int64_t>(kSlowest, kFullSpeed + 1);
    const std::int64_t left = work.time_left(rate);
    Work before = work;
    before.advance(left - 1, rate);
    RC_ASSERT(!before.done());
    Work after = work;
    after.advance(left, rate);
    RC_ASSERT(after.done());
    work.advance(*rc::gen::inRange<std::int64_t>(0, left + 1), rate);
  }
}

}  // namespace
}  // namespace worktop::simulator
