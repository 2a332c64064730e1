// Anytime improvement of what is held and what is replayed, under a budget of device bytes, from any start.
//
// The state is a holding (solver/evaluation.h). A move changes one or a few runs between two touches: hold it
// or let it go. The objective is the replay time plus a penalty for bytes above the budget, whose weight
// adapts so that about a fifth of the states fit; a worse state is accepted with the chance exp(-loss /
// temperature) (Metropolis; Kirkpatrick et al. 1983), and the temperature falls within each round. Every
// other round polishes the best: it stays within the budget, and is cooler. Rounds double in length, so that
// less effort is a prefix of more.
//
// Moves (weights in `Moves`): toggle the run that ends at a touch of something that a random stage runs;
// toggle a random run, and when letting go hold what it would be made from; shift: let one value go and hold
// its parents, or the other way round; swap: one value instead of another; the same for a run of consecutive
// values; the same change in a range of alike blocks.
//
// Time is compute time alone. Round trips to lower tiers are fixed here (solver/offload.h chooses them).
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "solver/effort.h"
#include "solver/evaluation.h"

namespace worktop::solver {

class Search {
 public:
  Search(const Graph& graph, const cost::Durations& durations, std::vector<plan::Trip> trips, Bytes budget,
         std::uint64_t seed);

  // A state to start from; it need not fit. Kept as the best if it does and is.
  void add_start(const plan::Holding& holding);

  // Rounds until the meter says stop, or `units` are spent. They are spent also where nothing can be moved or
  // no start was given, so that whoever runs searches until the effort is used up comes to an end.
  void run(Meter& meter, std::int64_t units);

  // The best state that fits; none if none was met.
  [[nodiscard]] const std::optional<plan::Holding>& best() const { return best_; }
  [[nodiscard]] Nanoseconds best_replay_ns() const { return Nanoseconds{best_ns_}; }
  [[nodiscard]] const std::vector<plan::Trip>& trips() const { return trips_; }

 private:
  void round(const plan::Holding& start, std::int64_t units, bool polish, Meter& meter);
  void anneal(Evaluation& state, std::int64_t units, bool polish, Meter& meter);
  void move(Evaluation& state);
  void toggle_at_touch(Evaluation& state);
  void toggle_anywhere(Evaluation& state);
  void shift(Evaluation& state);
  void swap(Evaluation& state);
  void toggle_neighbours(Evaluation& state);
  void toggle_alike(Evaluation& state);
  void toggle(Evaluation& state, ValueId v, std::int32_t stage);
  void set_run(Evaluation& state, ValueId v, std::int32_t stage, bool hold);
  void hold_parents(Evaluation& state, ValueId v, std::int32_t stage, std::int32_t percent);
  [[nodiscard]] double loss(const Evaluation& state) const;
  [[nodiscard]] bool accept(double worse_by);
  void note_changes(const Evaluation& state);
  void remember(const Evaluation& state);
  [[nodiscard]] ValueId random_value();

  const Graph& graph_;
  const cost::Durations& durations_;
  std::vector<plan::Trip> trips_;
  Bytes budget_;
  base::Random random_;
  std::vector<plan::Holding> starts_;
  std::vector<ValueId> values_;  // movable, in id order
  base::IdVector<graph::BlockId, std::vector<ValueId>> block_values_;
  base::IdVector<ValueId, std::int32_t> place_in_block_;  // index into block_values_
  std::optional<plan::Holding> best_;
  std::int64_t best_ns_ = INT64_MAX;
  std::vector<Evaluation::Change> journal_;  // from the best to the current state
  bool journal_follows_ = false;
  double temperature_ = 0;
  double penalty_ = 0;
  std::int64_t rounds_ = 0;
};

}  // namespace worktop::solver
