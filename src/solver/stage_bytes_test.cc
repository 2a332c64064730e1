// Groups and bounds against a dull twin that keeps one number a stage, and by hand.
#include "solver/stage_bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace worktop::solver {
namespace {

struct Twin {
  std::vector<std::int64_t> bytes;
  std::int64_t budget = 0;
  std::int64_t unit = 1;

  void add(std::int32_t first, std::int32_t last, std::int64_t added) {
    for (std::int32_t t = first; t <= last; ++t) bytes[static_cast<std::size_t>(t)] += added;
  }
  [[nodiscard]] std::int64_t excess() const {
    std::int64_t sum = 0;
    for (const std::int64_t b : bytes) {
      const std::int64_t units = b > budget ? (b - budget + unit - 1) / unit : 0;
      sum += units * units;
    }
    return sum;
  }
};

void expect_same(const StageBytes& bytes, const Twin& twin) {
  for (std::size_t t = 0; t < twin.bytes.size(); ++t)
    RC_ASSERT(bytes[static_cast<std::int32_t>(t)] == twin.bytes[t]);
  RC_ASSERT(bytes.excess() == twin.excess());
}

RC_GTEST_PROP(StageBytes, EqualsOneNumberAStage, ()) {
  const std::int32_t stages = *rc::gen::inRange(1, 120);
  Twin twin{std::vector<std::int64_t>(static_cast<std::size_t>(stages), 0), *rc::gen::inRange(0, 300)};
  StageBytes bytes(stages, 1000, twin.budget);
  const int changes = *rc::gen::inRange(0, 60);
  for (int i = 0; i < changes; ++i) {
    const std::int32_t first = *rc::gen::inRange(0, stages), last = *rc::gen::inRange(0, stages);
    const std::int64_t added = *rc::gen::inRange(-100, 101);
    if (*rc::gen::inRange(0, 4) == 0) {
      bytes.add(first, added), twin.add(first, first, added);
    } else {
      bytes.add(first, last, added), twin.add(first, last, added);  // nothing where last < first
    }
    if (*rc::gen::inRange(0, 10) == 0) {
      twin.budget = *rc::gen::inRange(0, 300);
      bytes.set_budget(twin.budget);
    }
    expect_same(bytes, twin);
  }
}

// 2^22 bytes at most: units of 8 bytes, the least for which they are fewer than 2^20.
TEST(StageBytes, CountsInUnitsRoundedUp) {
  StageBytes bytes(3, std::int64_t{1} << 22, 100);
  bytes.add(0, 2, 100);
  EXPECT_EQ(bytes.excess(), 0);
  bytes.add(1, 1, 1);
  EXPECT_EQ(bytes.excess(), 1);
  bytes.add(1, 2, 8);
  EXPECT_EQ(bytes.excess(), 2 * 2 + 1);
  bytes.set_budget(84);  // 16, 25 and 24 above
  EXPECT_EQ(bytes.excess(), 4 + 16 + 9);
}

}  // namespace
}  // namespace worktop::solver
