// What do people quote without reckoning? Reference points to hold beside the ledger and the simulator.
//
// Memory is a share of what keeping everything takes. The extra of checkpointing is a share of the step (one
// more forward beside a backward of two), that of a full recompute a share of the forward. Stacking two rules
// multiplies their memory and adds their extras; what stacking really gives is the simulator's to say.
#pragma once

#include <array>
#include <string_view>

namespace worktop::cost {

struct ThumbPoint {
  std::string_view name;
  double memory_share = 1;
  double extra_share = 0;
};

[[nodiscard]] constexpr ThumbPoint stacked(std::string_view name, const ThumbPoint& a, const ThumbPoint& b) {
  return {name, a.memory_share * b.memory_share, a.extra_share + b.extra_share};
}

inline constexpr ThumbPoint kThumbCheckpoint{"checkpoint", 0.5, 0.33};
inline constexpr ThumbPoint kThumbOffload{"offload", 0.4, 0.1};
inline constexpr ThumbPoint kThumbRecompute{"full_recompute", 0.3, 1.0};
inline constexpr std::array kRuleOfThumb{kThumbCheckpoint, kThumbOffload, kThumbRecompute,
                                         stacked("checkpoint+offload", kThumbCheckpoint, kThumbOffload)};

}  // namespace worktop::cost
