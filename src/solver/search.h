// Anytime improvement of what is held and what is replayed, under a budget of device bytes, from any start:
// annealings, and children of what they found.
//
// In rounds, whose length doubles every third one. A round first polishes the best (an annealing that stays
// within the budget, cool), then anneals from the next start (hotter as long as nothing fits); what these
// find becomes the population. The rest are children: a child takes the rows of one parent for an interval of
// values in program order, and of the other parent for the rest; it is annealed briefly from a low
// temperature, and replaces the worst of the population. Layers are far apart in a plan, so that what one
// parent found for the first half of a model often goes with what another found for the second. On the public
// graphs this and the cut as a start matter most: one annealing of the same effort is .24 % above the best
// known plans on average, several .1 %, with children and the cut .01 %. Tried: three restarts and twelve
// children a round (worse by .04 %), all temperatures doubled or halved (no better).
//
// Less effort is a prefix of more. Time is compute time alone; round trips to lower tiers are fixed here
// (solver/offload.h chooses them).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "solver/annealing.h"
#include "solver/effort.h"
#include "solver/evaluation.h"

namespace worktop::solver {

class Search {
 public:
  Search(const Graph& graph, const cost::Durations& durations, std::vector<plan::Trip> trips, Bytes budget,
         std::uint64_t seed, bool with_children = true);

  // A state to start from; it need not fit. Kept as the best if it does and is.
  void add_start(const plan::Holding& holding);

  // Goes on until the meter says stop, or `units` are spent. They are spent also where nothing can be moved
  // or no start was given, so that whoever runs searches until the effort is used up comes to an end.
  void run(Meter& meter, std::int64_t units);

  // The best state that fits; none if none was met.
  [[nodiscard]] const std::optional<plan::Holding>& best() const { return best_; }
  [[nodiscard]] Nanoseconds best_replay_ns() const { return Nanoseconds{best_ns_}; }
  [[nodiscard]] const std::vector<plan::Trip>& trips() const { return trips_; }

 private:
  [[nodiscard]] std::unique_ptr<Annealing> next_annealing();
  [[nodiscard]] std::unique_ptr<Annealing> annealing(plan::Holding start, std::int64_t units, double hot,
                                                     double cold, bool within) const;
  [[nodiscard]] plan::Holding child();
  void take(Annealing& annealing, bool is_over);
  void join(Found found);

  const Graph& graph_;
  const cost::Durations& durations_;
  std::vector<plan::Trip> trips_;
  Bytes budget_;
  bool with_children_;
  base::Random random_;
  Moves moves_;
  double typical_ns_ = 1;  // of an op that may be replayed
  std::vector<plan::Holding> starts_;
  std::optional<plan::Holding> best_;
  std::int64_t best_ns_ = INT64_MAX;
  std::vector<Found> population_;
  std::unique_ptr<Annealing> current_;
  std::int64_t annealings_ = 0, restarts_ = 0;
  double penalty_ = 0;
};

}  // namespace worktop::solver
