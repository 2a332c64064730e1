#include "format/sizes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;

TEST(Sizes, GibAndGbAreDifferentAndExact) {
  EXPECT_EQ(parse_bytes("40GiB"), Bytes{42'949'672'960});  // 40 * 2^30
  EXPECT_EQ(parse_bytes("40GB"), Bytes{40'000'000'000});
  EXPECT_EQ(parse_bytes("4096B"), Bytes{4096});
  EXPECT_EQ(parse_bytes("4KiB"), Bytes{4096});
  EXPECT_EQ(parse_bytes(" 1.5 tib "), Bytes{1'649'267'441'664});  // 1.5 * 2^40
  EXPECT_EQ(parse_bytes("0.1GB"), Bytes{100'000'000});
  EXPECT_EQ(parse_bytes("0.3B"), Bytes{0});              // rounded down
  EXPECT_EQ(parse_bytes("0.3GiB"), Bytes{322'122'547});  // 322122547.2
  EXPECT_EQ(parse_bytes("0"), Bytes{0});
  EXPECT_EQ(parse_bytes("8PiB"), Bytes::largest());  // 2^3 * 2^50
  EXPECT_EQ(parse_bytes("1.00000000000000000000000000000001GiB"), Bytes{1 << 30});
}

TEST(Sizes, SharesOfAWhole) {
  EXPECT_EQ(parse_bytes("80%", Bytes{1000}), Bytes{800});
  EXPECT_EQ(parse_bytes("33.3 %", Bytes{100}), Bytes{33});
  EXPECT_EQ(parse_bytes("100%", Bytes::largest()), Bytes::largest());
  EXPECT_FALSE(parse_bytes("101%", Bytes{100}));
  EXPECT_FALSE(parse_bytes("80%"));
}

TEST(Sizes, WhatIsRefusedAndWhatIsOffered) {
  EXPECT_EQ(parse_bytes("40G").error().hint, "GiB is a power of 1024, GB one of 1000");
  EXPECT_EQ(parse_bytes("40").error().what, "size '40' has no unit");
  EXPECT_EQ(parse_bytes("-4GiB").error().what, "size '-4GiB' is negative");
  EXPECT_EQ(parse_bytes("40GiBB").error().hint, "did you mean 'GiB'?");
  EXPECT_EQ(parse_bytes("40Gb").error().hint, "write bytes with a capital B: 40GiB");
  for (const char* text :
       {"", " ", "GiB", "nan", "NaN GiB", "inf", "1e3GB", "0x10B", "1.2.3GB", ".GB", "9PiB",
        "99999999999999999999999999B", "1,5GB", "4 0GB", "GiB 4", "--4GB", "4%%", "4GiB/s"})
    EXPECT_EQ(parse_bytes(text, Bytes{100}).error().code, base::ErrorCode::usage) << text;
  EXPECT_EQ(parse_bytes(".5GB"), Bytes{500'000'000});
}

TEST(Sizes, Times) {
  EXPECT_EQ(parse_duration("900ms"), Nanoseconds{900'000'000});
  EXPECT_EQ(parse_duration("1.5s"), Nanoseconds{1'500'000'000});
  EXPECT_EQ(parse_duration("250us"), Nanoseconds{250'000});
  EXPECT_EQ(parse_duration("2min"), Nanoseconds{120'000'000'000});
  EXPECT_EQ(parse_duration("1 h"), Nanoseconds{3'600'000'000'000});
  EXPECT_FALSE(parse_duration("1.5"));
  EXPECT_FALSE(parse_duration("-1s"));
  EXPECT_EQ(parse_duration("10sec").error().code, base::ErrorCode::usage);
  EXPECT_FALSE(parse_duration("3000h"));  // 1.08e16 ns > 2^53
}

TEST(Sizes, Bandwidths) {
  EXPECT_EQ(parse_bandwidth("50GB/s")->per_second, 50e9);
  EXPECT_EQ(parse_bandwidth("1 GiB/s")->per_second, 1073741824.0);
  EXPECT_FALSE(parse_bandwidth("50GB"));
  EXPECT_FALSE(parse_bandwidth("50Gb/s"));
  EXPECT_FALSE(parse_bandwidth("0GB/s"));
  EXPECT_FALSE(parse_bandwidth("/s"));
}

TEST(Sizes, PrintedAtThreeDigits) {
  EXPECT_EQ(print_bytes(Bytes{0}), "0 B");
  EXPECT_EQ(print_bytes(Bytes{999}), "999 B");
  EXPECT_EQ(print_bytes(Bytes{1000}), "0.977 KiB");  // 1000 / 1024 = 0.9766
  EXPECT_EQ(print_bytes(Bytes{1024}), "1.00 KiB");
  EXPECT_EQ(print_bytes(Bytes{19'434'727'014}), "18.1 GiB");  // 18.1 * 2^30
  EXPECT_EQ(print_bytes(base::kGiB * 80), "80.0 GiB");
  EXPECT_EQ(print_bytes(base::kGiB * 512), "512 GiB");
  EXPECT_EQ(print_bytes(Bytes{-2048}), "-2.00 KiB");
  EXPECT_EQ(print_bytes(Bytes::largest()), "8.00 PiB");
  EXPECT_EQ(print_bytes_decimal(Bytes{24'000'000'000}), "24.0 GB");
  EXPECT_EQ(print_duration(Nanoseconds{753'400'000}), "753 ms");
  EXPECT_EQ(print_duration(Nanoseconds{1'250'000'000}), "1.25 s");
  EXPECT_EQ(print_duration(Nanoseconds{999'499'999}), "999 ms");
  EXPECT_EQ(print_duration(Nanoseconds{999'500'000}), "1.00 s");
  EXPECT_EQ(print_duration(Nanoseconds{9'995}), "10.0 us");  // 9.995 rounds up to the next decade
  EXPECT_EQ(print_duration(Nanoseconds{4'000'000'000'000}), "4000 s");
  EXPECT_EQ(print_bandwidth({50e9}), "50.0 GB/s");
  EXPECT_EQ(print_flops(base::Flops{4'120'000'000'000}), "4.12 Tflop");
}

RC_GTEST_PROP(Sizes, WholeBytesReadBackExactly, (std::uint32_t n)) {
  RC_ASSERT(parse_bytes(std::to_string(n) + "B").value() == Bytes{n});
  RC_ASSERT(parse_bytes(std::to_string(n) + "KiB").value() == Bytes{std::int64_t{n} * 1024});
}

}  // namespace
}  // namespace worktop::format
