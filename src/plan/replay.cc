#include "plan/replay.h"

#include <algorithm>
#include <bit>

namespace worktop::plan {

// A replay is mostly a dense range of ops (a layer): then marking them and reading the marks in order is
// cheaper than sorting.
std::span<const OpId> StageReplay::ops() {
  if (ops_.size() < 2) return ops_;
  const auto [low, high] = std::ranges::minmax(ops_);
  const std::size_t first = low.at() / 64, words = high.at() / 64 - first + 1;
  if (words > ops_.size()) {
    std::ranges::sort(ops_);
    return ops_;
  }
  in_order_.assign(words, 0);
  for (OpId op : ops_) in_order_[op.at() / 64 - first] |= std::uint64_t{1} << (op.at() % 64);
  ops_.clear();
  for (std::size_t word = 0; word < words; ++word)
    for (std::uint64_t bits = in_order_[word]; bits != 0; bits &= bits - 1)
      ops_.emplace_back(static_cast<std::int32_t>((first + word) * 64) + std::countr_zero(bits));
  return ops_;
}

}  // namespace worktop::plan
