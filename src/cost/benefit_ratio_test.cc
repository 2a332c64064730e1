#include "cost/benefit_ratio.h"

#include <gtest/gtest.h>

#include "cost/rule_of_thumb.h"

namespace worktop::cost {
namespace {

using base::Bytes;
using base::Nanoseconds;

TEST(BenefitRatio, EqualLayersAllHaveRatioOne) {
  const std::vector<LayerBenefit> layers(100, {Bytes{3'000'000'001}, Nanoseconds{1'200'000'007}});
  const auto ratios = benefit_ratios(layers);
  ASSERT_TRUE(ratios.has_value());
  for (double ratio : *ratios) {
    EXPECT_EQ(ratio, 1);
    EXPECT_FALSE(worth_recomputing(ratio));
  }
}

TEST(BenefitRatio, IsBytesPerNanosecondOverTheModelsOwn) {
  // 12 bytes for 1 ns, 6 for 2, 6 for 5: 24 bytes in 8 ns, 3 on average; so 12/3, 3/3, 1.2/3.
  const std::vector<LayerBenefit> layers{
      {Bytes{12}, Nanoseconds{1}}, {Bytes{6}, Nanoseconds{2}}, {Bytes{6}, Nanoseconds{5}}};
  const auto ratios = benefit_ratios(layers);
  ASSERT_TRUE(ratios.has_value());
  EXPECT_DOUBLE_EQ((*ratios)[0], 4);
  EXPECT_DOUBLE_EQ((*ratios)[1], 1);
  EXPECT_DOUBLE_EQ((*ratios)[2], 0.4);
  EXPECT_TRUE(worth_recomputing((*ratios)[0]));
  EXPECT_FALSE(worth_recomputing(2));  // strictly above
  EXPECT_TRUE(worth_recomputing((*ratios)[2], 0.3));
}

TEST(BenefitRatio, FreeRecomputeAndNothingToSaveAreDefined) {
  // A free recompute counts as 1 ns: 4 bytes in 1 ns and 4 in 3, 2 on average.
  const auto free =
      benefit_ratios(std::vector<LayerBenefit>{{Bytes{4}, Nanoseconds{0}}, {Bytes{4}, Nanoseconds{3}}});
  ASSERT_TRUE(free.has_value());
  EXPECT_DOUBLE_EQ((*free)[0], 2);
  const auto nothing = benefit_ratios(std::vector<LayerBenefit>{{Bytes{0}, Nanoseconds{5}}});
  EXPECT_EQ(nothing.value(), std::vector<double>{0});
  EXPECT_TRUE(benefit_ratios({}).value().empty());
}

TEST(BenefitRatio, NegativeAmountsAreErrors) {
  const auto bytes =
      benefit_ratios(std::vector<LayerBenefit>{{Bytes{1}, Nanoseconds{1}}, {Bytes{-1}, Nanoseconds{1}}});
  ASSERT_FALSE(bytes.has_value());
  EXPECT_EQ(bytes.error().where, "layer 1");
  EXPECT_FALSE(benefit_ratios(std::vector<LayerBenefit>{{Bytes{1}, Nanoseconds{-1}}}).has_value());
}

TEST(RuleOfThumb, StackingMultipliesMemoryAndAddsExtras) {
  const ThumbPoint& both = kRuleOfThumb.back();
  EXPECT_DOUBLE_EQ(both.memory_share, 0.2);  // 0.5 * 0.4
  EXPECT_DOUBLE_EQ(both.extra_share, 0.43);  // 0.33 + 0.1
}

}  // namespace
}  // namespace worktop::cost
