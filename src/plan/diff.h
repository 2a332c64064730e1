// What differs between two plans of one graph: whose fate changed, and how much moved from which fate to
// which.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace worktop::plan {

struct FateChange {
  ValueId value;
  std::string name;
  Bytes bytes;
  Fate from = Fate::keep;
  Fate to = Fate::keep;
  friend bool operator==(const FateChange&, const FateChange&) = default;
};

// How many values, and how many bytes of them.
struct Amount {
  std::int32_t values = 0;
  Bytes bytes;
  friend bool operator==(const Amount&, const Amount&) = default;
};

inline constexpr std::size_t kFateCount = 4;

struct Difference {
  std::vector<FateChange> changes;  // in the order of the values
  // By fate in the first plan, then in the second. Counts decidable values, and others whose fate changed;
  // the diagonal is what both plans agree on.
  std::array<std::array<Amount, kFateCount>, kFateCount> moved{};
  // Whether both do the same at every boundary. Plans of equal fates may still differ here: in when they act.
  bool same_actions = true;

  [[nodiscard]] const Amount& amount(Fate from, Fate to) const {
    return moved[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  [[nodiscard]] bool none() const { return changes.empty() && same_actions; }
};

// Both plans must be of `graph`; the error (code usage) names the one that is not.
[[nodiscard]] base::Result<Difference> diff(const Graph& graph, const Plan& first, const Plan& second);

}  // namespace worktop::plan
