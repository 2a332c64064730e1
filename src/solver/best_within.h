// The best plans within budgets, from shared starts: which searches run, in what order and for how long.
#pragma once

#include "solver/effort.h"
#include "solver/starts.h"

namespace worktop::solver {

struct Fastest {
  std::optional<Planned> best;  // none: nothing was found that fits
  Nanoseconds bound_ns{0};      // no legal plan within the budgets is faster
};

// What leanest_within found.
struct Leanest {
  Planned planned;
  std::optional<plan::Holding>
      holding;             // that a search without trips can start from; none: a strategy's plan
  std::int64_t units = 0;  // spent
  Bytes floor{0};          // no legal plan has less
};

// The fastest plan within the budgets that strategies and search find, and the bound. `lean`: one more start.
[[nodiscard]] Fastest fastest_within(const Problem& problem, const Starts& starts,
                                     const std::vector<Way>& ways, const Leanest& lean,
                                     const Options& options, Meter& meter);

// The plan of the least device peak (the problem's device budget is ignored). None is below `floor`.
[[nodiscard]] Leanest leanest_within(const Problem& problem, const Starts& starts,
                                     const std::vector<Way>& ways, Bytes floor, const Options& options);

}  // namespace worktop::solver
