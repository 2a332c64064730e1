// The log of a micro-step, cut into moments: gap, op, gap, op, ..., gap, node, gap, ..., gap. What the
// executor did by itself is left out; what remains is the program's.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profile.h"

namespace worktop::adapter {

struct Change {
  std::int64_t bytes;  // allocated if positive
  AllocationId allocation;
};

struct MomentSeen {
  std::vector<Change> changes;  // of storages that are not managed, in order; managed births included
  std::int64_t ns = 0;
};

class Moments {
 public:
  // `managed`: the allocations that the plan decides about.
  Moments(const Record& record, const std::unordered_set<AllocationId>& managed);

  [[nodiscard]] static std::int32_t of_op(OpIndex op) { return 2 * op + 1; }
  [[nodiscard]] std::int32_t after_forward() const { return 2 * ops_; }
  [[nodiscard]] std::int32_t of_node(std::int32_t node) const { return 2 * ops_ + 2 * node + 1; }
  [[nodiscard]] std::int32_t last() const { return 2 * (ops_ + nodes_); }
  [[nodiscard]] const MomentSeen& operator[](std::int32_t moment) const {
    return seen_[static_cast<size_t>(moment)];
  }
  // Where an allocation was freed; kNone: not in this micro-step.
  [[nodiscard]] std::int32_t death_of(AllocationId allocation) const;
  // Where it was made; kNone: before.
  [[nodiscard]] std::int32_t birth_of(AllocationId allocation) const;
  // Had nothing been allocated since the beginning of the moment `from` when it was freed?
  [[nodiscard]] bool frees_first(AllocationId allocation, std::int32_t from) const;

 private:
  std::int32_t ops_, nodes_;
  std::vector<MomentSeen> seen_;
  std::unordered_map<AllocationId, std::int32_t> births_, deaths_;
  std::vector<std::int64_t> born_before_;                           // by moment: how many allocations
  std::unordered_map<AllocationId, std::int64_t> born_till_death_;  // of it: how many of all
};

}  // namespace worktop::adapter
