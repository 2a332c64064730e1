#include <gtest/gtest.h>

#include "report/alike.h"
#include "report/comparison.h"
#include "report/frontier.h"

namespace worktop::report {
namespace {

constexpr Nanoseconds ms(std::int64_t n) {
  return base::kMillisecond * n;
}
FrontierPoint point(std::string name, std::int64_t gib, std::int64_t milliseconds) {
  return {.name = std::move(name), .peak = base::kGiB * gib, .step_ns = ms(milliseconds)};
}

TEST(AlikeName, LosesItsBlock) {
  EXPECT_EQ(alike_name("layers.3.mlp/up_proj", "layers.3"), "mlp/up_proj");
  EXPECT_EQ(alike_name("layers.3/add", "layers.3"), "add");
  // "layers.3" begins the name of "layers.31" too, but is not its block.
  EXPECT_EQ(alike_name("layers.31/add", "layers.3"), "layers.*/add");
}

TEST(AlikeName, OutsideBlocksNumbersStandForAny) {
  EXPECT_EQ(alike_name("encoder.3.norm", ""), "encoder.*.norm");
  EXPECT_EQ(alike_name("conv2d/relu.12", ""), "conv2d/relu.*");
  EXPECT_EQ(alike_name("a..b.", ""), "a..b.");
  EXPECT_EQ(alike_name("", ""), "");
}

TEST(InWords, HasThreeDigits) {
  EXPECT_EQ(in_words(Bytes{0}), "0 B");
  EXPECT_EQ(in_words(Bytes{1023}), "1023 B");
  EXPECT_EQ(in_words(Bytes{1024}), "1 KiB");
  EXPECT_EQ(in_words(Bytes{1280}), "1.25 KiB");
  EXPECT_EQ(in_words(base::kMiB * 3 / 2 * 100), "150 MiB");
  EXPECT_EQ(in_words(Nanoseconds{412'345}), "412 us");
  EXPECT_EQ(in_words(Nanoseconds{9'190'000}), "9.19 ms");
  EXPECT_EQ(in_words(Nanoseconds{9'995'000}), "10 ms");  // 9.995 rounds half up to 10.00
  EXPECT_EQ(in_words(Nanoseconds{1'500'000'000}), "1.5 s");
  EXPECT_EQ(in_words(Nanoseconds::largest()), "9007199 s");
}

TEST(Price, IsTheSlope) {
  // 40 ms less for 2 GiB more: 20 ms a GiB.
  EXPECT_EQ(price_per_gib(point("a", 1, 100), point("b", 3, 60)), ms(20));
  EXPECT_EQ(price_per_gib(point("a", 3, 100), point("b", 1, 60)), std::nullopt);
  EXPECT_EQ(price_per_gib(point("a", 1, 60), point("b", 3, 60)), std::nullopt);
}

TEST(Price, OfOneByteStaysFinite) {
  FrontierPoint less = point("a", 1, 0), more = less;
  less.step_ns = Nanoseconds::largest();
  more.peak += Bytes{1};
  EXPECT_EQ(price_per_gib(less, more), Nanoseconds::largest());
}

TEST(Frontier, HasOnlyWhatNothingBeats) {
  const auto best = non_dominated({point("fast", 8, 10), point("beaten", 5, 60), point("lean", 2, 100),
                                   point("middle", 4, 60), point("as middle", 4, 60), point("slow", 4, 61)});
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].name, "lean");
  EXPECT_EQ(best[1].name, "middle");  // given before its equal
  EXPECT_EQ(best[2].name, "fast");
  EXPECT_EQ(best[0].price_per_gib, ms(20));                   // 40 ms for 2 GiB
  EXPECT_EQ(best[1].price_per_gib, Nanoseconds{12'500'000});  // 50 ms for 4 GiB
  EXPECT_EQ(best[2].price_per_gib, std::nullopt);
  EXPECT_TRUE(non_dominated({}).empty());
}

TEST(Picks, BalancedIsFarthestBelowTheChord) {
  // Scaled: lean (0, 1), a (0.25, 0.5): 0.25 below; b (0.5, 0.2): 0.3 below; fast (1, 0).
  const std::vector points = {point("lean", 0, 100), point("a", 1, 50), point("b", 2, 20),
                              point("fast", 4, 0)};
  EXPECT_EQ(pick(points), (Picks{.least_memory = "lean", .fastest = "fast", .balanced = "b"}));
}

TEST(Picks, OfEqualsTakesLessMemory) {
  // Both 0.25 below: (0.25, 0.5) and (0.5, 0.25).
  const std::vector points = {point("lean", 0, 100), point("a", 1, 50), point("b", 2, 25),
                              point("fast", 4, 0)};
  EXPECT_EQ(pick(points).balanced, "a");
}

TEST(Picks, BalancedIsTheFastestWhereNothingLiesBelow) {
  const std::vector above = {point("lean", 0, 100), point("a", 2, 90), point("fast", 4, 0)};
  EXPECT_EQ(pick(above).balanced, "fast");
  const std::vector on = {point("lean", 0, 100), point("a", 2, 50), point("fast", 4, 0)};
  EXPECT_EQ(pick(on).balanced, "fast");
  const std::vector two = {point("lean", 0, 100), point("fast", 4, 0)};
  EXPECT_EQ(pick(two).balanced, "fast");
  const std::vector one = {point("only", 4, 5)};
  EXPECT_EQ(pick(one), (Picks{.least_memory = "only", .fastest = "only", .balanced = "only"}));
  EXPECT_EQ(pick({}), Picks{});
}

TEST(Comparison, CountsLikeTheLedger) {
  // The kitchen's checkpoint: 30 of 300 GB of activations beside 12 GB, 108 s more on a forward of 120 s.
  const Sample keep_all{.peak = Bytes{312}, .activations = Bytes{300}, .step_ns = Nanoseconds{360}};
  const Sample checkpoint{.peak = Bytes{42}, .activations = Bytes{30}, .step_ns = Nanoseconds{468}};
  const Against against_it = against(keep_all, checkpoint, Nanoseconds{120});
  EXPECT_DOUBLE_EQ(against_it.r_mem, 0.9);
  EXPECT_DOUBLE_EQ(against_it.r_mem_total, 270.0 / 312);
  EXPECT_DOUBLE_EQ(against_it.r_cost, 0.9);
  EXPECT_EQ(against(keep_all, keep_all, Nanoseconds{120}), Against{});
  EXPECT_EQ(against(Sample{}, checkpoint, Nanoseconds{0}), Against{});
}

}  // namespace
}  // namespace worktop::report
