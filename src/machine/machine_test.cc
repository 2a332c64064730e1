#include "machine/machine.h"

#include <gtest/gtest.h>

namespace worktop::machine {
namespace {

using base::Dtype;

TEST(Machine, MatmulRateIsThePeakTimesItsEfficiency) {
  Machine m;
  m.matmul = {{.dtype = Dtype::bf16, .peak = {100e12}, .efficiency = 0.75, .measured = true, .source = ""}};
  EXPECT_EQ(m.matmul_rate(Dtype::bf16).per_second, 75e12);
}

TEST(Machine, MissingMatmulRateIsThatOfTheNextWiderType) {
  Machine m;
  m.vector_rate = {1e12};
  EXPECT_EQ(m.matmul_rate(Dtype::bf16).per_second, 1e12);  // no rate at all: the vector rate
  m.matmul = {{.dtype = Dtype::fp32, .peak = {20e12}, .efficiency = 1.0, .measured = false, .source = ""},
              {.dtype = Dtype::fp16, .peak = {80e12}, .efficiency = 0.5, .measured = false, .source = ""}};
  EXPECT_EQ(m.matmul_rate(Dtype::bf16).per_second, 40e12);  // bf16 -> fp16
  EXPECT_EQ(m.matmul_rate(Dtype::fp8).per_second, 40e12);   // fp8 -> bf16 -> fp16
  EXPECT_EQ(m.matmul_rate(Dtype::tf32).per_second, 20e12);  // tf32 -> fp32, never the narrower fp16
  EXPECT_EQ(m.matmul_rate(Dtype::int64).per_second, 20e12);
}

TEST(Machine, LinksAreFoundByTheirTiersAndDirection) {
  Machine m;
  Link out;
  out.from = Tier::device, out.to = Tier::host;
  Link in;
  in.from = Tier::host, in.to = Tier::device;
  const LinkId first = m.links.push_back(out);
  EXPECT_EQ(m.opposite(first), LinkId::none());
  const LinkId second = m.links.push_back(in);
  EXPECT_EQ(m.link(Tier::device, Tier::host), first);
  EXPECT_EQ(m.link(Tier::host, Tier::device), second);
  EXPECT_EQ(m.link(Tier::host, Tier::disk), LinkId::none());
  EXPECT_EQ(m.opposite(first), second);
  EXPECT_EQ(m.opposite(second), first);
  EXPECT_TRUE(out.outward());
  EXPECT_FALSE(in.outward());
}

TEST(Machine, DefaultBudgetIsUsableLessContextLessMargin) {
  Machine m;
  m.usable_bytes = Bytes{1000}, m.context_bytes = Bytes{100}, m.margin = 0.0625;
  EXPECT_EQ(m.default_budget(), Bytes{1000 - 100 - 62});  // 62.5 rounded down
}

TEST(Machine, TiersWithoutABudgetAreAbsent) {
  Machine m;
  m.host_bytes = Bytes{0};
  EXPECT_TRUE(m.has_tier(Tier::device));
  EXPECT_TRUE(m.has_tier(Tier::host));
  EXPECT_FALSE(m.has_tier(Tier::disk));
}

}  // namespace
}  // namespace worktop::machine
