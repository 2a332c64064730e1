// Device memory over a step, stacked by who is there; host and disk below it. In at most so many columns, so
// that a step of any length can be drawn.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "report/memory_changes.h"

namespace worktop::report {

// From the bottom of the stack: what stays through the step, what is about, and activations by their fate.
enum class StackLayer : std::uint8_t {
  optimizer_states,
  gradients,
  weights,
  workspace_and_other,
  kept,
  recomputed,
  copies,  // activations that are offloaded, while they are here
  passing  // activations that no plan decides about
};
inline constexpr std::size_t kStackLayers = 8;
[[nodiscard]] std::string_view name_of(StackLayer layer);
[[nodiscard]] StackLayer layer_of(const graph::Graph& graph, const plan::Plan& plan, ValueId value);

using Stacked = std::array<Bytes, kStackLayers>;

// One column holds from its time to the next one's. It shows the highest of the moments that fall into it;
// of the lower tiers, the most.
struct MemoryColumn {
  Nanoseconds at{0};
  Stacked layers{};
  Bytes device, host, disk;
};

struct MemoryOverTime {
  std::vector<MemoryColumn> columns;
  std::size_t peak_column = 0;
  Nanoseconds peak_at{0};
  Stacked peak{};
};

// `most` columns, at least 2; `end`: when the picture ends.
[[nodiscard]] MemoryOverTime memory_over_time(const graph::Graph& graph, const plan::Plan& plan,
                                              std::span<const MemoryChange> changes, Nanoseconds end,
                                              std::int32_t most);

}  // namespace worktop::report
