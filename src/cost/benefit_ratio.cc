#include "cost/benefit_ratio.h"

#include <algorithm>
#include <string>

namespace worktop::cost {

base::Result<std::vector<double>> benefit_ratios(std::span<const LayerBenefit> layers) {
  base::Bytes bytes{0};
  base::Nanoseconds time{0};
  const auto at_least_one = [](base::Nanoseconds ns) { return std::max(ns, base::Nanoseconds{1}); };
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].bytes.count() < 0 || layers[i].recompute.count() < 0)
      return base::fail(base::ErrorCode::input, "bytes or recompute time is negative",
                        "layer " + std::to_string(i), "use amounts of at least 0");
    bytes = saturating_add(bytes, layers[i].bytes);
    time = saturating_add(time, at_least_one(layers[i].recompute));
  }
  std::vector<double> ratios(layers.size(), 0.0);
  if (bytes.count() == 0) return ratios;
  const double average = bytes.as_double() / time.as_double();
  for (std::size_t i = 0; i < layers.size(); ++i)
    ratios[i] = layers[i].bytes.as_double() / at_least_one(layers[i].recompute).as_double() / average;
  return ratios;
}

}  // namespace worktop::cost
