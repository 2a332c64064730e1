// Who holds what: bytes on each tier while a plan is played, by the memory rule of graph/graph.h.
//
// Knows nothing of time. A value has at most one buffer a tier; the duplicates that a recompute writes live
// and die within that run.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/ensure.h"
#include "plan/plan.h"

namespace worktop::simulator {

class Books {
 public:
  using Bytes = base::Bytes;
  using OpId = graph::OpId;
  using ValueId = graph::ValueId;
  using Tier = machine::Tier;

  explicit Books(const graph::Graph& graph);

  [[nodiscard]] const std::array<Bytes, machine::kTierCount>& peak() const { return peak_; }

  // From here to the end of its first run, `op` holds what it reads.
  void expect(OpId op);
  // The first run of `op`, from start to end. Returns the device bytes while it runs.
  Bytes run(OpId op);
  // A recompute of `op`, from start to end. Returns the device bytes while it runs.
  Bytes recompute(OpId op);

  // A copy to `tier` is issued: bytes are allocated there, and the executor takes hold.
  void copy_to(ValueId value, Tier tier);
  // The executor lets go. Returns whether the bytes went.
  bool let_go(ValueId value, Tier tier);

 private:
  // The state of a value: the tiers it is on, and who holds it on the device. On lower tiers the executor
  // alone holds values.
  static constexpr std::uint8_t on(Tier tier) {
    return static_cast<std::uint8_t>(1 << static_cast<int>(tier));
  }
  static constexpr std::uint8_t kOnDevice = 1;  // on(Tier::device)
  static constexpr std::uint8_t kProgram = 8;
  static constexpr std::uint8_t kExecutor = 16;
  static constexpr std::uint8_t kNextOp = 32;
  static constexpr std::uint8_t kHolders = kProgram | kExecutor | kNextOp;

  void set(ValueId value, int bits) { state_[value] = static_cast<std::uint8_t>(state_[value] | bits); }
  void clear(ValueId value, int bits) { state_[value] = static_cast<std::uint8_t>(state_[value] & ~bits); }
  [[nodiscard]] bool has(ValueId value, std::uint8_t bits) const { return (state_[value] & bits) != 0; }

  void allocate(Bytes bytes, Tier tier) {
    Bytes& now = now_[static_cast<std::size_t>(tier)];
    Bytes& peak = peak_[static_cast<std::size_t>(tier)];
    now += bytes;
    if (now > peak) peak = now;
  }
  void free(Bytes bytes, Tier tier) { now_[static_cast<std::size_t>(tier)] -= bytes; }
  // Frees the device bytes if nobody holds them any more.
  bool free_if_unheld(ValueId value) {
    if (!has(value, kOnDevice) || has(value, kHolders)) return false;
    clear(value, kOnDevice);
    free(graph_.value(value).bytes, Tier::device);
    return true;
  }

  const graph::Graph& graph_;
  base::IdVector<ValueId, std::uint8_t> state_;
  base::IdVector<OpId, ValueId> first_held_;    // of the values with this `held_until` ...
  base::IdVector<ValueId, ValueId> next_held_;  // ... the others
  std::array<Bytes, machine::kTierCount> now_{};
  std::array<Bytes, machine::kTierCount> peak_{};
};

}  // namespace worktop::simulator
