// Seeded random numbers, the same on every machine (SplitMix64, Steele, Lea and Flood 2014).
//
// The standard library's distributions differ between implementations, so none is used.
#pragma once

#include <cstdint>

namespace worktop::base {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, n) for 1 <= n < 2^32, by multiplication: the bias is below n / 2^32.
  [[nodiscard]] std::int32_t below(std::int32_t n) {
    return static_cast<std::int32_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }
  // Uniform in [first, last].
  [[nodiscard]] std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + below(last - first + 1);
  }
  [[nodiscard]] bool chance(std::int32_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace worktop::base
