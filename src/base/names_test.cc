#include "base/names.h"

#include <gtest/gtest.h>

#include <vector>

namespace worktop::base {
namespace {

TEST(Slug, KeepsDotsAndJoinsWithOneDash) {
  EXPECT_EQ(slug("Llama-3.1-8B"), "llama-3.1-8b");
  EXPECT_EQ(slug("A10G-24GB (AWS g5)"), "a10g-24gb-aws-g5");
  EXPECT_EQ(slug("  "), "");
}

TEST(Nearest, OffersASmallTypoAndNothingFarAway) {
  const std::vector<std::string> known = {"adamw", "adamw8bit", "sgd"};
  EXPECT_EQ(nearest("adanw", known), "adamw");
  EXPECT_EQ(nearest("xyzzy", known), std::nullopt);
}

TEST(ResolveName, TakesExactThenUnambiguousPrefix) {
  const std::vector<std::string> known = {"a100-sxm-80gb", "a100-sxm-40gb", "rtx-4090-24gb", "a10", "a10g"};
  EXPECT_EQ(resolve_name("machine", "rtx-4090", known).value(), "rtx-4090-24gb");
  EXPECT_EQ(resolve_name("machine", "A10", known).value(), "a10");
  const auto open = resolve_name("machine", "a100", known);
  ASSERT_FALSE(open.has_value());
  EXPECT_EQ(open.error().hint, "write one of: a100-sxm-80gb, a100-sxm-40gb");
  const auto typo = resolve_name("machine", "rtx-4080-24gb", known);
  ASSERT_FALSE(typo.has_value());
  EXPECT_EQ(typo.error().hint, "did you mean 'rtx-4090-24gb'?");
}

}  // namespace
}  // namespace worktop::base
