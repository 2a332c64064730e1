// Sizes, times and rates as people write them, and as they like to read them.
//
// Reading: a decimal number, optional spaces, a unit. Letters of a unit may be of either case, but "Gb"
// (bits) is refused. GiB is 2^30 and GB is 10^9; "G" alone is neither and is refused with both spellings
// offered. Arithmetic is exact in integers: "0.1GB" is 100,000,000 bytes; what is left below one byte or
// nanosecond is rounded down. Errors have code usage; what is negative, not a number, or above
// Quantity::largest() is one.
//
// Printing: three significant digits, rounded half up, and a unit: "18.1 GiB", "753 ms", "0.977 GiB", "512
// B".
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace worktop::format {

// "40GiB", "40 GB", "1.5TiB", "4096B", "0"; "80%" of `whole` where one is given, `whole_name` in messages.
[[nodiscard]] base::Result<base::Bytes> parse_bytes(std::string_view text,
                                                    base::Limit<base::Bytes> whole = {},
                                                    std::string_view whole_name = "the device");
// "900ms", "1.5s", "250us", "2min", "1h".
[[nodiscard]] base::Result<base::Nanoseconds> parse_duration(std::string_view text);
// "50GB/s", "23.5 GiB/s"; zero is refused: nothing would ever arrive.
[[nodiscard]] base::Result<base::BytesPerSecond> parse_bandwidth(std::string_view text);

[[nodiscard]] std::string print_bytes(base::Bytes bytes);              // B, KiB, MiB, GiB, TiB, PiB
[[nodiscard]] std::string print_bytes_decimal(base::Bytes bytes);      // B, kB, MB, GB, TB, PB
[[nodiscard]] std::string print_duration(base::Nanoseconds ns);        // ns, us, ms, s
[[nodiscard]] std::string print_bandwidth(base::BytesPerSecond rate);  // "50.0 GB/s"
[[nodiscard]] std::string print_flops(base::Flops flops);              // "4.12 Tflop"

}  // namespace worktop::format
