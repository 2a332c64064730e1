// Where each activation is over a step: on the device, away on a lower tier, or gone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "report/memory_changes.h"

namespace worktop::report {

enum class Whereabouts : std::uint8_t { device, away, gone };
[[nodiscard]] constexpr std::string_view name_of(Whereabouts where) {
  return where == Whereabouts::device ? "device" : where == Whereabouts::away ? "away" : "gone";
}

struct Stay {
  Nanoseconds from{0}, to{0};
  Whereabouts where = Whereabouts::device;
  friend bool operator==(const Stay&, const Stay&) = default;
};

// By value, in order, from its birth to its last death: stays of some length, of which neighbours differ.
// Only decidable values of more than 0 bytes have any.
[[nodiscard]] base::IdVector<ValueId, std::vector<Stay>> lifetimes(const graph::Graph& graph,
                                                                   std::span<const MemoryChange> changes,
                                                                   Nanoseconds end);

}  // namespace worktop::report
