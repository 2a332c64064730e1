// Work left of a job whose speed changes while it runs, exact in integers.
//
// Work is measured in time at full speed: whole nanoseconds and millionths of one. A rate is a speed in parts
// per million of full speed, so that a job at `rate` does dt * rate millionths of work in dt nanoseconds.
// Nothing overflows for work up to Nanoseconds::largest() and rates from kSlowest to kFullSpeed.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace worktop::simulator {

inline constexpr std::int64_t kFullSpeed = 1'000'000;
inline constexpr std::int64_t kSlowest = 1'000;  // a job always gets on: at least a thousandth of full speed

// `share` of full speed as a rate, to the nearest millionth; what is no share (NaN, above 1) is full speed.
[[nodiscard]] constexpr std::int64_t rate_of(double share) {
  if (!(share < 1.0)) return kFullSpeed;
  const double parts = share * static_cast<double>(kFullSpeed);
  if (parts < static_cast<double>(kSlowest)) return kSlowest;
  return static_cast<std::int64_t>(parts + 0.5);
}

class Work {
 public:
  Work() = default;
  explicit constexpr Work(base::Nanoseconds at_full_speed) : whole_(at_full_speed.count()) {}

  [[nodiscard]] constexpr bool done() const { return whole_ < 0 || (whole_ == 0 && millionths_ == 0); }

  // The whole nanoseconds after which it is done at `rate`: the end is rounded up.
  [[nodiscard]] constexpr std::int64_t time_left(std::int64_t rate) const {
    if (done()) return 0;
    if (rate == kFullSpeed) return whole_ + (millionths_ > 0 ? 1 : 0);
    const std::int64_t rest = whole_ % rate * kFullSpeed + millionths_;
    return whole_ / rate * kFullSpeed + (rest + rate - 1) / rate;
  }

  // What `dt` nanoseconds at `rate` leave of it. `dt` is at most time_left(rate).
  constexpr void advance(std::int64_t dt, std::int64_t rate) {
    if (rate == kFullSpeed) {
      whole_ -= dt;
      return;
    }
    const std::int64_t part = dt % kFullSpeed * rate;
    whole_ -= dt / kFullSpeed * rate + part / kFullSpeed;
    millionths_ -= part % kFullSpeed;
    if (millionths_ < 0) {
      millionths_ += kFullSpeed;
      whole_ -= 1;
    }
  }

 private:
  std::int64_t whole_ = 0;       // nanoseconds; below 0 once the rounded end has passed the exact one
  std::int64_t millionths_ = 0;  // 0 .. 999'999
};

}  // namespace worktop::simulator
