// What the searches of one problem start from: the strategies, nested checkpoints, and choices of round
// trips. Knows no device budget, so that all budgets of a frontier share it.
#pragma once

#include <optional>
#include <vector>

#include "plan/holding.h"
#include "plan/transfers.h"
#include "solver/portfolio.h"

namespace worktop::solver {

// A strategy's plan, and what it was lowered from. A search can start from `holding` where nothing is copied.
struct Start {
  Planned planned;
  std::optional<plan::Holding> holding;
  std::vector<plan::Trip> trips;
};

class Starts {
 public:
  explicit Starts(const Problem& problem, Techniques without = {});

  [[nodiscard]] const std::vector<Start>& list() const { return list_; }
  [[nodiscard]] const Planned& keep_all() const { return list_.front().planned; }
  [[nodiscard]] std::vector<Planned> strategies() const;
  // The best that fits, without the trips that it does not need within these budgets.
  [[nodiscard]] std::optional<Planned> best(const Problem& problem) const;

 private:
  void add_strategies(const Problem& problem);
  void add_nested_checkpoints(const Problem& problem);

  std::vector<Start> list_;  // the strategies, keep_all first; then starts that are shown to nobody
  std::size_t strategies_ = 0;
};

// One choice of round trips, and what a search can start from with it.
struct Way {
  struct Candidate {
    plan::Holding holding;
    Bytes peak{0};
    std::int64_t replay_ns = 0;
  };
  std::vector<plan::Trip> trips;
  std::vector<Candidate> candidates;  // keep_all first; never empty

  Way(const Problem& problem, const Starts& starts, const std::vector<plan::TripRequest>& requests);
  // From one holding of a search without trips.
  Way(const Problem& problem, plan::Holding holding, const std::vector<plan::TripRequest>& requests);

 private:
  void add(const Problem& problem, plan::Holding holding);
};

// Without trips first; with them only where the machine has a lower tier.
[[nodiscard]] std::vector<Way> ways_of(const Problem& problem, const Starts& starts);

}  // namespace worktop::solver
