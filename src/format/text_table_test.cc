#include "format/text_table.h"

#include <gtest/gtest.h>

#include "format/error_json.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;

TEST(Printable, LeavesTextAloneAndDisarmsControls) {
  EXPECT_EQ(printable("layers.0/q_proj"), "layers.0/q_proj");
  EXPECT_EQ(printable("\x1b[2Jboo\n"), "?[2Jboo?");
  EXPECT_EQ(printable("\xFF\xFE\x80"), "???");
  EXPECT_EQ(printable("cut \xC3"), "cut ?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "1m"),
            "?1m");                                                // U+009B begins a command too
  EXPECT_EQ(printable("\xC3\xA9t\xC3\xA9"), "\xC3\xA9t\xC3\xA9");  // "été"
}

TEST(Shortened, KeepsBothEndsAndCountsCharacters) {
  EXPECT_EQ(shortened_to("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(shortened_to("abcdefghij", 8), "abc..hij");
  EXPECT_EQ(shortened_to("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 4), "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
  EXPECT_EQ(shortened_to("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 4), "\xC3\xA9..\xC3\xA9");
}

TEST(Wrapped, BreaksAtSpacesWithinEightyColumns) {
  EXPECT_EQ(wrapped("short"), "short\n");
  EXPECT_EQ(wrapped("  led by two"), "  led by two\n");
  const std::string word(39, 'x');
  EXPECT_EQ(wrapped(word + " " + word + " y"), word + " " + word + "\ny\n");  // 79 columns, then 81
  EXPECT_EQ(wrapped(word + " " + word + " yy", 4), word + " " + word + "\n    yy\n");
  const std::string long_word(100, 'z');
  EXPECT_EQ(wrapped("a " + long_word), "a\n" + long_word + "\n");  // what has no space stays whole
}

TEST(Table, ColumnsLineUpAndRowsAreMarked) {
  TextTable table({{"name", Align::left, 6}, {"GiB"}, {"fits", Align::left}});
  table.add({"a", "1.0", "yes"}, '*');
  table.add({"long name", "12.0", "no"});
  EXPECT_EQ(table.print(),
            "  name     GiB  fits\n"
            "* a        1.0  yes\n"
            "  lo..me  12.0  no\n");
}

TEST(Table, ALastColumnMayWrap) {
  TextTable table({{"who", Align::left}, {.head = "why", .align = Align::left, .wrap = true}});
  const std::string word(70, 'x');
  table.add({"me", word + " and so on"});
  EXPECT_EQ(table.print(), "  who  why\n  me   " + word + "\n       and so on\n");
}

TEST(ColumnUnits, AreChosenByTheLargestAndKeepThreeDigits) {
  const ColumnUnit gib = unit_for(Bytes{3} * base::kGiB.count());
  EXPECT_EQ(gib.name, "GiB");
  EXPECT_EQ(gib.print(base::kGiB.count() * 3), "3.00");
  EXPECT_EQ(gib.print(base::kGiB.count() / 2), "0.50");
  EXPECT_EQ(gib.print(base::kGiB.count() * 123), "123");
  EXPECT_EQ(gib.print(0), "-");
  EXPECT_EQ(unit_for(Bytes{1000}).print(1000), "1000");
  EXPECT_EQ(unit_for(Nanoseconds{99'000'000'000}).name, "ms");
  EXPECT_EQ(unit_for(Nanoseconds{100'000'000'000}).name, "s");
}

TEST(Percent, HasASignWhereItIsADifference) {
  EXPECT_EQ(signed_percent(0.032), "+3.2 %");
  EXPECT_EQ(signed_percent(-0.004), "-0.4 %");
  EXPECT_EQ(signed_percent(-0.0001), "+0.0 %");
  EXPECT_EQ(signed_percent(73.378), "+7338 %");
  EXPECT_EQ(percent(0.834), "83 %");
  EXPECT_EQ(percent(0.001), "<1 %");
  EXPECT_EQ(percent(0), "0 %");
}

TEST(Errors, SayWhatWhereAndWhatToDo) {
  const base::Error error{base::ErrorCode::usage, "size '40G' has half a unit", "--budget", "write \"GiB\""};
  EXPECT_EQ(error_text(error),
            "error: size '40G' has half a unit\n  where: --budget\n  hint:  write \"GiB\"\n");
  EXPECT_EQ(error_json(error),
            "{\n  \"error\": {\n    \"code\": \"usage\",\n    \"what\": \"size '40G' has half a unit\",\n"
            "    \"where\": \"--budget\",\n    \"hint\": \"write \\\"GiB\\\"\"\n  }\n}\n");
  EXPECT_EQ(error_text({base::ErrorCode::input, "bad", "", ""}), "error: bad\n");
}

}  // namespace
}  // namespace worktop::format
