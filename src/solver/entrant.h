// One search with its round trips: where it starts within a budget, and the best plan that it has led to.
//
// The search sees compute time alone; whatever it finds is lowered, judged and simulated, and what counts is
// what the simulator says.
#pragma once

#include <optional>
#include <vector>

#include "solver/effort.h"
#include "solver/search.h"
#include "solver/starts.h"

namespace worktop::solver {

class Entrant {
 public:
  // `problem` and `way` must outlive it.
  Entrant(const Problem& problem, const Way& way, Bytes budget, std::uint64_t seed, Techniques without);

  // One more state to start from, tried first.
  void add_start(const plan::Holding& holding) { search_.add_start(holding); }
  // Runs for `units`; then the best holding, if it changed, is lowered and simulated.
  void run(Meter& meter, std::int64_t units);
  // What the search has found; its bits say nothing of trips.
  [[nodiscard]] const std::optional<plan::Holding>& holding() const { return search_.best(); }
  // Legal and within the budgets.
  [[nodiscard]] const std::optional<Planned>& best() const { return best_; }

 private:
  void add_mixes(Bytes budget);
  void add_mix(const Way::Candidate& first, const Way::Candidate& rest, Bytes budget);
  void take(const plan::Holding& holding);
  void drop_idle_trips(const plan::Holding& holding, std::vector<plan::Trip>& trips) const;

  const Problem& problem_;
  const Way& way_;
  Search search_;
  Nanoseconds lowered_at_{INT64_MAX};
  std::optional<Planned> best_;
};

}  // namespace worktop::solver
