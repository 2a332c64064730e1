// Measuring on the fake's clock, by hand, and on this machine as far as anything can be said of it.
#include "runtime/measure.h"

#include <gtest/gtest.h>

#include "runtime/copy_engine.h"
#include "runtime/fake_device.h"
#include "runtime/testing.h"

namespace worktop::runtime {
namespace {

// One byte a nanosecond and 1000 ns a piece; values of 9000 bytes are one piece each: 10 000 ns. So 0.9 bytes
// a nanosecond alone, in both directions, which do not disturb each other. One block takes 4096 + 1000 ns;
// less 4096 / 0.9 = 4551.1, rounded up to 4552: 544.
TEST(Measure, ByHand) {
  FakeDevice fake({.latency = Nanoseconds{1000}});
  const auto store =
      *Store::open_on(fake.door(), {.host = HostOptions{Bytes{1 << 20}}}, {.chunk = Bytes{16'384}});
  const auto speed = *measure(
      *store, Tier::host,
      {.bytes = Bytes{99'000}, .value = Bytes{9000}, .device = fake.allocate(Bytes{90'000})});  // ten values
  EXPECT_DOUBLE_EQ(speed.out.per_second, 0.9e9);
  EXPECT_DOUBLE_EQ(speed.in.per_second, 0.9e9);
  EXPECT_DOUBLE_EQ(speed.out_both_ways.per_second, 0.9e9);
  EXPECT_DOUBLE_EQ(speed.in_both_ways.per_second, 0.9e9);
  EXPECT_EQ(speed.out_latency, Nanoseconds{544});
  EXPECT_EQ(speed.in_latency, Nanoseconds{544});
  EXPECT_EQ(store->stats().tier(Tier::host).used, Bytes{0});  // nothing stays
  EXPECT_EQ(fake.violations(), std::vector<std::string>());

  const auto links = links_of(speed, "by hand");
  EXPECT_TRUE(links[0].outward());
  EXPECT_FALSE(links[1].outward());
  EXPECT_EQ(links[1].smallest, Bytes{489});  // 544 * 0.9
  EXPECT_EQ(links[0].source, "by hand");
}

TEST(Measure, WithoutRoomItIsAnError) {
  FakeDevice fake({.host = Bytes{8192}});
  const auto store = *Store::open_on(fake.door(), {.host = HostOptions{}}, {});
  const auto speed =
      measure(*store, Tier::host,
              {.bytes = Bytes{20'000}, .value = Bytes{10'000}, .device = fake.allocate(Bytes{20'000})});
  ASSERT_FALSE(speed);
  EXPECT_EQ(speed.error().what, "the host is full");
}

TEST(Measure, ThisMachine) {
  const EmptyDirectory directory;
  const auto store = *Store::open({.host = HostOptions{}, .disk = DiskOptions{directory.path(), {}}});
  for (const Tier tier : {Tier::host, Tier::disk}) {
    const auto speed = measure(*store, tier, {.bytes = Bytes{32 << 20}, .value = Bytes{4 << 20}});
    ASSERT_TRUE(speed) << speed.error().what;
    EXPECT_GT(speed->out.per_second, 1e6);
    EXPECT_GT(speed->in.per_second, 1e6);
    EXPECT_LE(speed->out_both_ways.per_second, speed->out.per_second);
    EXPECT_LE(speed->in_both_ways.per_second, speed->in.per_second);
    EXPECT_GE(speed->out_latency, Nanoseconds{0});
  }
}

}  // namespace
}  // namespace worktop::runtime
