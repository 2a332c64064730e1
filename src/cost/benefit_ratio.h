// Which layers are worth recomputing? Bytes saved per nanosecond of recompute, on a scale where 1 is the
// model's own average:
//
//   ratio_i = (bytes_i / ns_i) / (sum of bytes / sum of ns)
//
// The rule "recompute what is above a threshold, keep the rest" is a strategy among the others. Layers that
// are all equal have ratio 1 each, so the rule has something to say only where dishes differ.
#pragma once

#include <span>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace worktop::cost {

inline constexpr double kDefaultThreshold = 2;

struct LayerBenefit {
  base::Bytes bytes;            // saved when the layer is recomputed
  base::Nanoseconds recompute;  // what that takes; a free one counts as 1 ns
};

// One ratio for each layer, in order; all 0 when there are no bytes to save. Error (input): a negative
// amount.
[[nodiscard]] base::Result<std::vector<double>> benefit_ratios(std::span<const LayerBenefit> layers);

// Whether the rule recomputes a layer: strictly above the threshold.
[[nodiscard]] constexpr bool worth_recomputing(double ratio, double threshold = kDefaultThreshold) {
  return ratio > threshold;
}

}  // namespace worktop::cost
