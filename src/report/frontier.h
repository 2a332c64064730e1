// The trade-off between memory and time: which plans no other plan beats, what a GiB is worth between them,
// and three of them to choose from.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

// A plan, seen from far. Points of one answer have different names.
struct FrontierPoint {
  std::string name;  // "plan(3)" or a strategy's
  Bytes peak;        // of the device
  Nanoseconds step_ns{0};
  Bytes host_peak;
  Bytes disk_peak;
  Nanoseconds recompute_ns{0};  // of a step
  Nanoseconds link_busy_ns{0};  // of a step
  // What one more GiB would save a step, were the slope to the next point with more memory to go on. None for
  // the last.
  std::optional<Nanoseconds> price_per_gib;
  friend bool operator==(const FrontierPoint&, const FrontierPoint&) = default;
};

// (less.step_ns - more.step_ns) per GiB of (more.peak - less.peak), rounded half up. None unless `more` has
// more memory and is faster.
[[nodiscard]] std::optional<Nanoseconds> price_per_gib(const FrontierPoint& less, const FrontierPoint& more);

// The points that no other point beats: ascending in peak, strictly falling in time, priced. Of points equal
// in both, the one given first stays.
[[nodiscard]] std::vector<FrontierPoint> non_dominated(std::vector<FrontierPoint> points);

// Names of points; empty where there is nothing to choose from.
struct Picks {
  std::string least_memory;
  std::string fastest;
  // Farthest below the chord from the first to the last point, on axes scaled so that both run from 0 to 1;
  // of equals the one with less memory. The fastest where no point lies below the chord.
  std::string balanced;
  friend bool operator==(const Picks&, const Picks&) = default;
};
// Of any points: dominated ones are never picked.
[[nodiscard]] Picks pick(std::span<const FrontierPoint> points);

}  // namespace worktop::report
