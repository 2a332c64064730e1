// Small random changes of what is held: what an annealing proposes.
//
// A move changes one or a few runs between two touches (solver/evaluation.h): hold it, or let it go.
//
//   at_touch    toggle the run that ends at a touch of something that a random stage runs
//   anywhere    toggle a random run, and when letting go hold what it would be made from; rarely make a value
//               again earlier than it is needed, where there may be more room
//   shift       a checkpoint moves: let one value go and hold its parents, or the other way round
//   swap        one value instead of another of near id
//   neighbours  the same for a few consecutive values
//   alike       the same for the values at one place of a range of alike blocks
//
// The weights are those of the prototype that first did this on the public graphs, but for `alike`, which
// models in blocks want. Without `at_touch` plans are .3 % worse on average, without `swap` .15 %.
#pragma once

#include <vector>

#include "base/random.h"
#include "solver/evaluation.h"

namespace worktop::solver {

class Moves {
 public:
  // Values on one of `trips` are not moved.
  Moves(const Graph& graph, const std::vector<plan::Trip>& trips);

  // Nothing can be moved.
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] std::int32_t value_count() const { return static_cast<std::int32_t>(values_.size()); }
  // Changes `state`, or not; not yet settled.
  void propose(Evaluation& state, base::Random& random) const;

 private:
  void toggle_at_touch(Evaluation& state, base::Random& random) const;
  void toggle_anywhere(Evaluation& state, base::Random& random) const;
  void shift(Evaluation& state, base::Random& random) const;
  void swap(Evaluation& state, base::Random& random) const;
  void toggle_neighbours(Evaluation& state, base::Random& random) const;
  void toggle_alike(Evaluation& state, base::Random& random) const;
  void toggle(Evaluation& state, ValueId v, std::int32_t stage) const;
  void set_run(Evaluation& state, ValueId v, std::int32_t stage, bool hold) const;
  void hold_parents(Evaluation& state, ValueId v, std::int32_t stage, std::int32_t percent,
                    base::Random& random) const;
  [[nodiscard]] ValueId random_value(base::Random& random) const;

  const Graph& graph_;
  std::vector<ValueId> values_;  // movable, in id order
  base::IdVector<graph::BlockId, std::vector<ValueId>> block_values_;
  base::IdVector<ValueId, std::int32_t> place_in_block_;  // index into block_values_
};

}  // namespace worktop::solver
