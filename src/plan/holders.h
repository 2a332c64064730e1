// Who keeps each value's bytes on the device: the memory rule of graph/graph.h as a state that is walked
// through a step. Both judgements use it: `legal` asks who holds what, `measure_memory` sums the bytes.
//
// A walk calls, for t = 0 .. n-1: reach(t); then drop, bring and recompute for the actions of boundary t;
// then start(t) and finish(t). It judges nothing: a caller that does not know its plan to be legal asks
// `resident` and `executor_holds` first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.h"

namespace worktop::plan {

class Holders {
 public:
  // At the start of the step: what has no producer is resident, held by the program.
  explicit Holders(const Graph& graph);

  [[nodiscard]] bool resident(ValueId v) const { return holds_[v] != 0; }
  [[nodiscard]] bool executor_holds(ValueId v) const { return (holds_[v] & kExecutor) != 0; }

  // From here on op `next` holds those of its reads that are, or become, resident.
  void reach(OpId next);
  // The executor lets go. True if the bytes go.
  bool drop(ValueId v);
  // The executor takes hold of a copy that comes in: the bytes are there from now on.
  void bring(ValueId v);
  // The outputs of a recompute that stay when it ends: holdable, and missing before. All others go.
  std::span<const ValueId> recompute(OpId op);

  // First run. What it allocates at its start (all outputs but those written in place), and whose bytes go at
  // its end (an overwritten value is not among them: its bytes become the new one's).
  std::span<const ValueId> start(OpId op);
  std::span<const ValueId> finish(OpId op);

 private:
  static constexpr std::uint8_t kProgram = 1, kExecutor = 2, kRunning = 4;
  [[nodiscard]] std::uint8_t holds_when_written(OpId op, ValueId v) const;
  void let_go(ValueId v, std::uint8_t holder);

  const Graph& graph_;
  base::IdVector<ValueId, std::uint8_t> holds_;  // bits of the holders
  std::vector<ValueId> released_;                // values by `held_until`, those of one op side by side,
  base::IdVector<OpId, std::int64_t> released_begin_;  // where each op's begin; op_count() + 1 entries
  OpId next_;                                          // the op whose trigger was reached
  std::vector<ValueId> changed_;                       // what the last call answered
};

}  // namespace worktop::plan
