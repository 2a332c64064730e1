#include "base/bit_rows.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace worktop::base {
namespace {

struct RowTag {};
using Row = Id<RowTag>;

TEST(BitRows, FillsAndFindsAcrossWords) {
  BitRows<Row> bits(2, 200);
  bits.fill(Row{1}, 60, 130, true);
  bits.fill(Row{1}, 64, 64, false);
  EXPECT_FALSE(bits.get(Row{0}, 60));
  EXPECT_TRUE(bits.get(Row{1}, 60));
  EXPECT_FALSE(bits.get(Row{1}, 64));
  EXPECT_EQ(bits.first_with(Row{1}, 0, true), 60);
  EXPECT_EQ(bits.first_with(Row{1}, 60, false), 64);
  EXPECT_EQ(bits.first_with(Row{1}, 131, true), 200);
  EXPECT_EQ(bits.last_with(Row{1}, 199, true), 130);
  EXPECT_EQ(bits.last_with(Row{1}, 59, true), -1);
  EXPECT_EQ(bits.last_with(Row{1}, 130, false), 64);
  bits.fill(Row{1}, 5, 4, true);  // empty
  EXPECT_FALSE(bits.get(Row{1}, 5));
}

TEST(BitRows, CopiesOneRow) {
  BitRows<Row> from(3, 130), to(3, 130);
  from.fill(Row{1}, 60, 129, true);
  for (const Row row : {Row{0}, Row{1}, Row{2}}) to.fill(row, 0, 63, true);
  to.copy_row(from, Row{1});
  EXPECT_EQ(to.first_with(Row{1}, 0, true), 60);
  EXPECT_EQ(to.first_with(Row{1}, 60, false), 130);
  EXPECT_EQ(to.first_with(Row{0}, 0, false), 64);
  EXPECT_EQ(to.first_with(Row{2}, 0, false), 64);
}

TEST(BitRows, AgreesWithAPlainArray) {
  Random random(7);
  BitRows<Row> bits(1, 150);
  std::vector<bool> plain(150, false);
  for (int round = 0; round < 500; ++round) {
    const std::int32_t first = random.below(150), last = random.between(first, 149);
    const bool bit = random.chance(50);
    bits.fill(Row{0}, first, last, bit);
    for (std::int32_t i = first; i <= last; ++i) plain[static_cast<std::size_t>(i)] = bit;
    const std::int32_t from = random.below(150);
    std::int32_t next = from, previous = from;
    while (next < 150 && plain[static_cast<std::size_t>(next)] != bit) ++next;
    while (previous >= 0 && plain[static_cast<std::size_t>(previous)] != bit) --previous;
    ASSERT_EQ(bits.first_with(Row{0}, from, bit), next);
    ASSERT_EQ(bits.last_with(Row{0}, from, bit), previous);
  }
}

}  // namespace
}  // namespace worktop::base
