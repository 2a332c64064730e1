// What stage t has to run again: the backward closure from what it needs, through producers, down to what is
// present.
//
// Stage t needs what op t reads and what the executor holds across boundary t + 1 but does not have at t
// (unless op t writes it). Whatever of that is absent is recomputed, its inputs first. Values that come back
// by a copy are not absent: the caller says so by `arrives`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace worktop::plan {

using graph::Graph;
using graph::OpId;
using graph::ValueId;

// Collects the ops that make `needed` from what `is_present(v)` says is there. One object serves many stages
// of one graph; it owns the marks.
class StageReplay {
 public:
  explicit StageReplay(const Graph& graph) : graph_(graph), marked_(graph.op_count(), 0) {}

  // Starts a stage.
  void begin() { ops_.clear(), ++round_, feasible_ = true; }

  // Adds what is needed to have `v`. Once something can't be made again, `feasible` is false.
  template <class IsPresent>
  void need(ValueId v, IsPresent&& is_present) {
    if (is_present(v)) return;
    push(v);
    while (!stack_.empty()) {
      const OpId op = stack_.back();
      stack_.pop_back();
      for (ValueId read : graph_.reads(op))
        if (!is_present(read)) push(read);
    }
  }

  // The ops to run, in program order. Valid until the next begin.
  [[nodiscard]] std::span<const OpId> ops();
  [[nodiscard]] bool feasible() const { return feasible_; }
  [[nodiscard]] bool runs(OpId op) const { return marked_[op] == round_; }

 private:
  void push(ValueId v) {
    const OpId producer = graph_.value(v).producer;
    if (!graph_.recomputable(v)) {
      feasible_ = false;
      return;
    }
    if (marked_[producer] == round_) return;
    marked_[producer] = round_;
    ops_.push_back(producer);
    stack_.push_back(producer);
  }

  const Graph& graph_;
  base::IdVector<OpId, std::int32_t> marked_;
  std::int32_t round_ = 0;
  bool feasible_ = true;
  std::vector<OpId> ops_;
  std::vector<OpId> stack_;
  std::vector<std::uint64_t> in_order_;  // of `ops`, one bit an op
};

}  // namespace worktop::plan
