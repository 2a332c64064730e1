// The bytes of every stage, and how far they are above a budget, under changes of whole ranges of stages: the
// innermost loop of the search.
//
// `excess` is the sum over the stages of the square of the bytes above the budget, these counted in units of
// 2^k bytes, rounded up: 0 if and only if every stage is within the budget. k is the least for which all
// bytes of the graph are fewer than 2^20 units.
//
// Most stages are far below the budget most of the time. They are kept in groups, each with an upper bound of
// its stages: where that stays within the budget, a change of the whole group is one addition to what all its
// stages have in common.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace worktop::solver {

class StageBytes {
 public:
  // `most`: about what a stage can hold at most; it sets k. All stages begin at 0.
  StageBytes(std::int32_t stages, std::int64_t most, std::int64_t budget)
      : over_(static_cast<std::size_t>(stages), -budget),
        common_(group(stages) + 1, 0),
        bound_(common_.size(), -budget),
        budget_(budget) {
    while ((most >> shift_) >= kRange) ++shift_;
    rounding_ = (std::int64_t{1} << shift_) - 1;
    excess_ = penalty(-budget) * stages;
  }

  [[nodiscard]] std::int64_t operator[](std::int32_t stage) const { return over(stage) + budget_; }
  [[nodiscard]] std::int64_t excess() const { return excess_; }

  // Stages first .. last, both included; nothing if last < first.
  void add(std::int32_t first, std::int32_t last, std::int64_t bytes) {
    while (first <= last) {
      const std::int32_t group_end = first | (kGroup - 1);
      const std::int32_t end = std::min(last, group_end);
      const std::size_t g = group(first);
      const std::int64_t bound = bound_[g] + std::max<std::int64_t>(bytes, 0);
      const bool whole = first % kGroup == 0 && (end == group_end || end + 1 == stages());
      if (bound > 0)
        add_to_each(first, end, bytes, whole);
      else if (whole)
        common_[g] += bytes, bound_[g] += bytes;
      else
        add_below(first, end, bytes, bound);
      first = end + 1;
    }
  }
  void add(std::int32_t stage, std::int64_t bytes) { add_to_each(stage, stage, bytes, false); }

  void set_budget(std::int64_t budget) {
    const std::int64_t change = budget_ - budget;
    budget_ = budget;
    excess_ = 0;
    for (std::int64_t& over : over_) over += change;
    for (std::int64_t& bound : bound_) bound += change;
    for (std::int32_t t = 0; t < stages(); ++t) excess_ += penalty(over(t));
  }

 private:
  static constexpr std::int32_t kGroup = 16;
  static constexpr std::int64_t kRange = std::int64_t{1} << 20;
  static std::size_t at(std::int32_t stage) { return static_cast<std::size_t>(stage); }
  static std::size_t group(std::int32_t stage) { return at(stage / kGroup); }
  [[nodiscard]] std::int32_t stages() const { return static_cast<std::int32_t>(over_.size()); }
  [[nodiscard]] std::int64_t over(std::int32_t t) const { return over_[at(t)] + common_[group(t)]; }
  [[nodiscard]] std::int64_t penalty(std::int64_t over) const {
    const std::int64_t units = (std::max<std::int64_t>(over, 0) + rounding_) >> shift_;
    return units * units;
  }

  // Within one group, where some stage is or comes above the budget; `whole`: all stages of the group.
  void add_to_each(std::int32_t first, std::int32_t last, std::int64_t bytes, bool whole) {
    const std::size_t g = group(first);
    const std::int64_t common = common_[g];
    std::int64_t most = whole ? INT64_MIN : bound_[g], change = 0;
    for (std::int32_t t = first; t <= last; ++t) {
      const std::int64_t before = over_[at(t)] + common, after = before + bytes;
      over_[at(t)] += bytes;
      change += penalty(after) - penalty(before);
      most = std::max(most, after);
    }
    bound_[g] = most;
    excess_ += change;
  }
  void add_below(std::int32_t first, std::int32_t last, std::int64_t bytes, std::int64_t bound) {
    for (std::int32_t t = first; t <= last; ++t) over_[at(t)] += bytes;
    bound_[group(first)] = bound;
  }

  std::vector<std::int64_t> over_;    // bytes minus the budget, without what is common to the group
  std::vector<std::int64_t> common_;  // by group
  std::vector<std::int64_t> bound_;   // by group: no stage is further above the budget
  std::int64_t budget_ = 0;
  std::int64_t excess_ = 0;
  std::int32_t shift_ = 0;
  std::int64_t rounding_ = 0;
};

}  // namespace worktop::solver
