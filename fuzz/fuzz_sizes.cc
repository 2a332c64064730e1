// Any text: a size, time or bandwidth, or an error; never a negative amount.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ensure.h"
#include "format/sizes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto bytes = format::parse_bytes(text, base::kGiB)) {
    ensure(*bytes >= base::Bytes{0} && *bytes <= base::Bytes::largest());
    ensure(!format::print_bytes(*bytes).empty() && !format::print_bytes_decimal(*bytes).empty());
  }
  if (const auto time = format::parse_duration(text))
    ensure(*time >= base::Nanoseconds{0} && !format::print_duration(*time).empty());
  if (const auto rate = format::parse_bandwidth(text))
    ensure(rate->per_second > 0 && !format::print_bandwidth(*rate).empty());
  return 0;
}
