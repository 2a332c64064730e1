// One annealing: from a start to the best state that it passes (Metropolis; Kirkpatrick et al. 1983).
//
// A move (solver/moves.h) is evaluated, and taken if it is better, else with the chance exp(-loss /
// temperature). The loss is the replay time plus a penalty for bytes above the budget: its weight times the
// root of the sum of their squares over the stages, so that one stage far above costs as much as many a
// little above. The weight adapts so that about a fifth of the states fit. The temperature falls
// geometrically from `hot` to `cold` over `units`.
//
// It can be run in parts: run(100) twice is run(200).
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "solver/effort.h"
#include "solver/moves.h"

namespace worktop::solver {

struct Found {
  plan::Holding holding;
  std::int64_t replay_ns = 0;
};

struct Schedule {
  std::int64_t units = 0;
  double hot = 0, cold = 0;  // nanoseconds
  bool within = false;       // never leaves the budget (the start fits)
};

class Annealing {
 public:
  // `penalty`: the weight to begin with; 0: what makes the start's excess as dear as the whole step. All
  // references must outlive it.
  Annealing(const Graph& graph, const cost::Durations& durations, const Moves& moves,
            const std::vector<plan::Trip>& trips, Bytes budget, plan::Holding start, Schedule schedule,
            double penalty);

  // Goes on for `units`, or to its end, or until the meter says stop.
  void run(Meter& meter, std::int64_t units, base::Random& random);
  [[nodiscard]] bool done() const { return spent_ >= schedule_.units; }
  // The best state that fits; none if none was met.
  [[nodiscard]] std::optional<Found>& best() { return best_; }
  [[nodiscard]] double penalty() const { return penalty_; }

 private:
  void step(base::Random& random);
  void adapt();
  [[nodiscard]] double loss() const;
  [[nodiscard]] bool accept(double worse_by, base::Random& random) const;
  void note_changes();
  void remember();

  Evaluation state_;
  const Moves& moves_;
  Schedule schedule_;
  double total_ = 1;  // time of the graph's first runs
  double penalty_ = 0;
  double temperature_ = 0, cooling_ = 1;  // by kCoolings times
  double now_ = 0;                        // loss of the state
  std::int64_t spent_ = 0, cooled_ = 0, steps_ = 0;
  std::int32_t fitting_ = 0;
  std::optional<Found> best_;
  std::vector<Evaluation::Change> journal_;  // from the best to the current state
  bool journal_follows_ = false;
};

}  // namespace worktop::solver
