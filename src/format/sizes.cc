#include "format/sizes.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/names.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::ErrorCode;
using base::Nanoseconds;
using base::Result;

__extension__ using Wide = __int128;  // 2^53 of a unit of 2^50 times 1000 stays below 2^127

struct Unit {
  std::string_view name;
  std::int64_t size;
};

constexpr Unit kByteUnits[] = {
    {"B", 1},
    {"KiB", 1LL << 10},
    {"MiB", 1LL << 20},
    {"GiB", 1LL << 30},
    {"TiB", 1LL << 40},
    {"PiB", 1LL << 50},
    {"kB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"PB", 1'000'000'000'000'000},
};
constexpr std::span kBinary = std::span(kByteUnits).first<6>();
constexpr Unit kDecimal[] = {{"B", 1},
                             {"kB", 1'000},
                             {"MB", 1'000'000},
                             {"GB", 1'000'000'000},
                             {"TB", 1'000'000'000'000},
                             {"PB", 1'000'000'000'000'000}};
constexpr Unit kTimeUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
};
constexpr Unit kShownTimes[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit kFlopUnits[] = {{"flop", 1},
                               {"kflop", 1'000},
                               {"Mflop", 1'000'000},
                               {"Gflop", 1'000'000'000},
                               {"Tflop", 1'000'000'000'000},
                               {"Pflop", 1'000'000'000'000'000}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

// What people type: digits with at most one point. The value is digits / 10^decimals.
struct Decimal {
  std::int64_t digits = 0;
  std::int64_t scale = 1;  // 10^decimals
  std::string_view unit;   // what follows, without spaces around it
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// `noun`: "size", "time", "bandwidth"; `example`: one that is right.
struct Manner {
  std::string_view noun;
  std::string_view example;
  std::span<const Unit> units;
};

std::unexpected<base::Error> refuse(const Manner& manner, std::string_view text, std::string_view problem,
                                    std::string hint = {}) {
  if (hint.empty()) hint = fmt::format("write a {} such as {}", manner.noun, manner.example);
  return base::fail(ErrorCode::usage, fmt::format("{} '{}' {}", manner.noun, text.substr(0, 40), problem), {},
                    std::move(hint));
}

Result<Decimal> parse_decimal(const Manner& manner, std::string_view text) {
  const std::string_view all = trimmed(text);
  if (all.empty()) return refuse(manner, text, "is empty");
  if (all.front() == '-') return refuse(manner, text, "is negative");
  constexpr std::int64_t kMost =
      1'000'000'000'000'000;  // 10^15 fits every quantity and leaves room for a digit
  Decimal decimal;
  std::size_t at = 0;
  bool any = false;
  bool in_fraction = false;
  for (; at < all.size(); ++at) {
    const char c = all[at];
    if (c == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    // Beyond 15 decimals nothing can change but what is rounded down anyway.
    if (in_fraction && (decimal.scale >= kMost || decimal.digits >= kMost)) continue;
    if (decimal.digits >= kMost * 10) return refuse(manner, text, "is too large");
    decimal.digits = decimal.digits * 10 + (c - '0');
    if (in_fraction) decimal.scale *= 10;
  }
  if (!any) return refuse(manner, text, "is not a number with a unit");
  decimal.unit = trimmed(all.substr(at));
  return decimal;
}

std::int64_t whole_part(Wide amount) {
  constexpr Wide kLargest = Wide{1} << 53;
  return amount > kLargest ? -1 : static_cast<std::int64_t>(amount);
}

std::vector<std::string> names_of(std::span<const Unit> units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) names.emplace_back(unit.name);
  return names;
}

Result<Unit> find_unit(const Manner& manner, std::string_view text, std::string_view typed) {
  const bool bytes = manner.noun != "time";
  // "Gb" is a gigabit to many; "gb" and "GB" are not.
  const bool bits = bytes && typed.size() == 2 && typed[0] >= 'A' && typed[0] <= 'Z' && typed[1] == 'b';
  if (bits)
    return refuse(manner, text, "may mean bits",
                  fmt::format("write bytes with a capital B: {}", manner.example));
  for (const Unit& unit : manner.units)
    if (equal_ignoring_case(typed, unit.name)) return unit;
  if (typed.empty()) return refuse(manner, text, "has no unit");
  constexpr std::string_view kPrefixes = "kmgtp";
  const bool prefix_alone = bytes && (typed.size() == 1 || (typed.size() == 2 && lower(typed[1]) == 'i')) &&
                            kPrefixes.find(lower(typed[0])) != kPrefixes.npos;
  if (prefix_alone) {
    const char p = static_cast<char>(lower(typed[0]) - 'a' + 'A');
    return refuse(manner, text, "has half a unit",
                  fmt::format("{0}iB is a power of 1024, {1}B one of 1000", p, p == 'K' ? 'k' : p));
  }
  const auto close = base::nearest(typed, names_of(manner.units));
  return refuse(manner, text, fmt::format("has an unknown unit '{}'", typed.substr(0, 20)),
                close ? fmt::format("did you mean '{}'?", *close)
                      : fmt::format("units: {}", fmt::join(names_of(manner.units), ", ")));
}

Result<std::int64_t> parse_amount(const Manner& manner, std::string_view text, const Decimal& decimal) {
  if (decimal.unit.empty() && decimal.digits == 0) return 0;
  WORKTOP_TRY(const Unit unit, find_unit(manner, text, decimal.unit));
  const std::int64_t amount = whole_part(Wide{decimal.digits} * unit.size / decimal.scale);
  if (amount < 0) return refuse(manner, text, "is too large");
  return amount;
}

constexpr Manner kSizes{"size", "40GiB", kByteUnits};
constexpr Manner kTimes{"time", "900ms", kTimeUnits};
constexpr Manner kRates{"bandwidth", "50GB/s", kByteUnits};

// Three significant digits of amount / unit, rounded half up, in the first unit where that is below 1000.
std::string print(std::int64_t amount, std::span<const Unit> units) {
  const bool negative = amount < 0;
  const Wide size = negative ? -Wide{amount} : Wide{amount};
  const std::string sign = negative ? "-" : "";
  if (size < 1000) return fmt::format("{}{} {}", sign, static_cast<std::int64_t>(size), units.front().name);
  for (const Unit& unit : units.subspan(1)) {
    // Decimals: 3 below 1, 2 below 10, 1 below 100, else 0; judged after rounding.
    for (const std::int64_t scale : {1000, 100, 10, 1}) {
      const auto rounded = static_cast<std::int64_t>((size * scale * 2 + unit.size) / (Wide{2} * unit.size));
      const std::int64_t whole = rounded / scale;
      const int decimals = scale == 1000 ? 3 : scale == 100 ? 2 : scale == 10 ? 1 : 0;
      if (rounded >= 1000) continue;
      if (decimals == 0) return fmt::format("{}{} {}", sign, whole, unit.name);
      return fmt::format("{}{}.{:0{}} {}", sign, whole, rounded % scale, decimals, unit.name);
    }
  }
  const Unit& last = units.back();
  return fmt::format("{}{} {}", sign, static_cast<std::int64_t>(size / last.size), last.name);
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text, base::Limit<Bytes> whole, std::string_view whole_name) {
  WORKTOP_TRY(const Decimal decimal, parse_decimal(kSizes, text));
  if (decimal.unit != "%") {
    WORKTOP_TRY(const std::int64_t amount, parse_amount(kSizes, text, decimal));
    return Bytes{amount};
  }
  if (!whole) return refuse(kSizes, text, "is a share of nothing known here");
  const Wide hundred = Wide{100} * decimal.scale;
  if (decimal.digits > hundred)
    return refuse(kSizes, text, fmt::format("is more than all of {}", whole_name), "write at most 100%");
  return Bytes{static_cast<std::int64_t>(Wide{whole->count()} * decimal.digits / hundred)};
}

Result<Nanoseconds> parse_duration(std::string_view text) {
  WORKTOP_TRY(const Decimal decimal, parse_decimal(kTimes, text));
  WORKTOP_TRY(const std::int64_t amount, parse_amount(kTimes, text, decimal));
  return Nanoseconds{amount};
}

Result<base::BytesPerSecond> parse_bandwidth(std::string_view text) {
  WORKTOP_TRY(Decimal decimal, parse_decimal(kRates, text));
  if (!decimal.unit.ends_with("/s")) return refuse(kRates, text, "is not per second");
  decimal.unit = trimmed(decimal.unit.substr(0, decimal.unit.size() - 2));
  WORKTOP_TRY(const std::int64_t amount, parse_amount(kRates, text, decimal));
  if (amount == 0) return refuse(kRates, text, "is zero");
  return base::BytesPerSecond{static_cast<double>(amount)};
}

std::string print_bytes(Bytes bytes) {
  return print(bytes.count(), kBinary);
}

std::string print_bytes_decimal(Bytes bytes) {
  return print(bytes.count(), kDecimal);
}

std::string print_duration(Nanoseconds ns) {
  return print(ns.count(), kShownTimes);
}

std::string print_bandwidth(base::BytesPerSecond rate) {
  const double capped = rate.per_second < 9e18 ? rate.per_second : 9e18;
  return print(capped > 0 ? static_cast<std::int64_t>(capped) : 0, kDecimal) + "/s";
}

std::string print_flops(base::Flops flops) {
  return print(flops.count(), kFlopUnits);
}

}  // namespace worktop::format
