// The six ways between three tiers, as indices of arrays: down and up between device and host, device and
// disk, host and disk.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "machine/machine.h"

namespace worktop::runtime {

using machine::Tier;

inline constexpr std::size_t kTiers = machine::kTierCount;
inline constexpr std::array<Tier, kTiers> kAllTiers = {Tier::device, Tier::host, Tier::disk};
[[nodiscard]] constexpr std::size_t at(Tier tier) {
  return static_cast<std::size_t>(tier);
}

inline constexpr std::size_t kLinkCount = 6;
inline constexpr std::array<std::pair<Tier, Tier>, kLinkCount> kLinks = {
    std::pair{Tier::device, Tier::host}, {Tier::host, Tier::device}, {Tier::device, Tier::disk},
    {Tier::disk, Tier::device},          {Tier::host, Tier::disk},   {Tier::disk, Tier::host}};

// `from` and `to` differ.
[[nodiscard]] constexpr std::size_t link_index(Tier from, Tier to) {
  std::size_t index = 0;
  while (kLinks[index] != std::pair{from, to}) ++index;
  return index;
}

}  // namespace worktop::runtime
