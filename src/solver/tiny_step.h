// The memory rule of graph/graph.h on sets of values, for graphs small enough that a set is one word: where a
// step stands between two actions, which actions are possible there, and the bytes they need.
//
// Written anew from the rule, not from plan/memory: `exhaustive` is a twin, and twins share no code.
//
// Only sensible actions are offered. Left out are those that never help: making or copying a value that no op
// reads any more, not even for a recompute; recomputing an op all of whose outputs are there; copying out
// what the executor does not hold (it could have held on and released at once); letting go of values without
// bytes. A value that has a copy on a lower tier is let go by `release`, any other by `drop`: where both are
// legal they do the same.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/plan.h"

namespace worktop::solver {

using base::Bytes;
using graph::Graph;
using graph::OpId;
using graph::ValueId;
using machine::Machine;
using machine::Tier;

using ValueSet = std::uint64_t;  // bit v: value v

[[nodiscard]] constexpr ValueSet set_of(ValueId v) {
  return ValueSet{1} << v.index();
}
[[nodiscard]] constexpr bool contains(ValueSet set, ValueId v) {
  return (set & set_of(v)) != 0;
}

struct StepState {
  std::int32_t next = 0;  // the op that runs next; op_count() at the end
  ValueSet running = 0;   // what op `next` holds already: what it reads, once there
  std::array<ValueSet, machine::kTierCount> held{};  // by the executor, per tier
  friend auto operator<=>(const StepState&, const StepState&) = default;
};

// A state and the most bytes on the device on the way to it.
struct Moved {
  StepState state;
  Bytes device_bytes;
};

class TinyStep {
 public:
  static constexpr std::int32_t kMostValues = 64;

  // `graph` and `machine` must outlive this. At most kMostValues values.
  TinyStep(const Graph& graph, const Machine& machine);

  [[nodiscard]] StepState start() const;
  [[nodiscard]] bool at_end(const StepState& s) const { return s.next == graph_.op_count(); }

  // --- sets
  [[nodiscard]] ValueSet resident(const StepState& s) const {
    return s.held[0] | s.running | program_[static_cast<std::size_t>(s.next)];
  }
  // What the program itself holds before op `next`.
  [[nodiscard]] ValueSet program(std::int32_t next) const { return program_[static_cast<std::size_t>(next)]; }
  // What some op from `next` on reads, or a recompute that could lead there.
  [[nodiscard]] ValueSet useful(std::int32_t next) const { return useful_[static_cast<std::size_t>(next)]; }
  [[nodiscard]] ValueSet reads(OpId op) const { return reads_[op]; }
  // What the executor can hold of what `op` writes.
  [[nodiscard]] ValueSet makes(OpId op) const { return makes_[op]; }
  [[nodiscard]] ValueSet with_bytes() const { return with_bytes_; }
  [[nodiscard]] Bytes bytes(ValueSet set) const;
  [[nodiscard]] bool copied_below(const StepState& s, ValueId v, Tier tier) const;

  // --- moves; none: not possible here
  [[nodiscard]] std::optional<Moved> run(const StepState& s) const;
  [[nodiscard]] std::optional<Moved> recompute(const StepState& s, OpId op) const;
  [[nodiscard]] std::optional<Moved> copy(const StepState& s, ValueId v, machine::LinkId link) const;
  [[nodiscard]] std::optional<Moved> let_go(const StepState& s, ValueId v, Tier tier) const;
  [[nodiscard]] std::optional<Moved> act(const StepState& s, const plan::Action& action) const;

  // The actions that are possible before op `next`, in the order: let go, recompute, copy.
  [[nodiscard]] std::vector<plan::Action> let_gos(const StepState& s, Tier tier) const;
  [[nodiscard]] std::vector<plan::Action> recomputes(const StepState& s) const;
  [[nodiscard]] std::vector<plan::Action> copies(const StepState& s) const;

 private:
  void find_useful();
  StepState enter(StepState s, std::int32_t next) const;

  const Graph& graph_;
  const Machine& machine_;
  base::IdVector<OpId, ValueSet> reads_, makes_, overwrites_;
  std::vector<ValueSet> program_, useful_;  // op_count() + 1
  ValueSet with_bytes_ = 0;
  ValueSet copyable_ = 0;
};

// The plan that a list of actions makes, one row a boundary, with the fates they mean.
[[nodiscard]] plan::Plan plan_of(const Graph& graph, const Machine& machine,
                                 const std::vector<std::vector<plan::Action>>& actions, std::string made_by);

}  // namespace worktop::solver
