// Quantities that do not mix: bytes, nanoseconds, flops, and limits that may be absent.
//
// A Quantity<Tag> is a 64-bit integer with a unit in its type. Sums, differences and comparisons stay within
// one unit; times an integer keeps it; a quotient of two is a plain number. There is no implicit conversion
// from or to integers: `Bytes{4096}` goes in, `.count()` comes out. Sums and products inside the library
// cannot overflow because every reader refuses quantities above `largest()` (2^53, exact in a double) and
// every count is below 2^31; where a sum of many is formed, `saturating_add` and `saturating_mul` keep it
// finite.
//
// Limit<Q> is "at most so much" or "unlimited": a value of its own, never a big number.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace worktop::base {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(count_); }

  // The largest quantity a reader accepts: 9 PB, 104 days, 9 Pflop a single op would be written as several.
  [[nodiscard]] static constexpr Quantity largest() { return Quantity{std::int64_t{1} << 53}; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return count_ += other.count_, *this; }
  constexpr Quantity& operator-=(Quantity other) { return count_ -= other.count_, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.count_ + b.count_}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.count_ - b.count_}; }
  friend constexpr Quantity operator-(Quantity a) { return Quantity{-a.count_}; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity{a.count_ * n}; }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return a * n; }
  friend constexpr Quantity operator/(Quantity a, std::int64_t n) { return Quantity{a.count_ / n}; }
  friend constexpr double ratio(Quantity a, Quantity b) { return a.as_double() / b.as_double(); }

 private:
  std::int64_t count_ = 0;
};

struct BytesTag {};
struct NanosecondsTag {};
struct FlopsTag {};
using Bytes = Quantity<BytesTag>;
using Nanoseconds = Quantity<NanosecondsTag>;
using Flops = Quantity<FlopsTag>;

template <class Q>
using Limit = std::optional<Q>;  // nullopt: unlimited

template <class Q>
[[nodiscard]] constexpr bool within(Q amount, Limit<Q> limit) {
  return !limit || amount <= *limit;
}

template <class Tag>
[[nodiscard]] constexpr Quantity<Tag> saturating_add(Quantity<Tag> a, Quantity<Tag> b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a.count(), b.count(), &sum))
    return Quantity<Tag>{a.count() < 0 ? INT64_MIN : INT64_MAX};
  return Quantity<Tag>{sum};
}

template <class Tag>
[[nodiscard]] constexpr Quantity<Tag> saturating_mul(Quantity<Tag> a, std::int64_t n) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a.count(), n, &product))
    return Quantity<Tag>{(a.count() < 0) == (n < 0) ? INT64_MAX : INT64_MIN};
  return Quantity<Tag>{product};
}

inline constexpr Bytes kKiB{std::int64_t{1} << 10};
inline constexpr Bytes kMiB{std::int64_t{1} << 20};
inline constexpr Bytes kGiB{std::int64_t{1} << 30};
inline constexpr Bytes kGB{1'000'000'000};
inline constexpr Nanoseconds kMillisecond{1'000'000};
inline constexpr Nanoseconds kSecond{1'000'000'000};

// A rate in units of `Q` per second: bandwidths (bytes/s) and compute rates (flop/s).
template <class Q>
struct Rate {
  double per_second = 0;

  // How long `amount` takes, rounded up to whole nanoseconds; at least 1 ns for a positive amount.
  // A rate of zero is a programming error and answers Nanoseconds::largest().
  [[nodiscard]] constexpr Nanoseconds time_for(Q amount) const {
    if (amount.count() <= 0) return Nanoseconds{0};
    const double ns = amount.as_double() * 1e9 / per_second;
    if (!(ns < Nanoseconds::largest().as_double())) return Nanoseconds::largest();
    const auto whole = static_cast<std::int64_t>(ns);
    return Nanoseconds{static_cast<double>(whole) < ns ? whole + 1 : whole};
  }
};
using BytesPerSecond = Rate<Bytes>;
using FlopsPerSecond = Rate<Flops>;

}  // namespace worktop::base
