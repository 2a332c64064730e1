// The best plans within budgets, from shared starts: which searches run, in what order and for how long.
#pragma once

#include "solver/effort.h"
#include "solver/starts.h"

namespace worktop::solver {

struct Fastest {
  std::optional<Planned> best;  // none: nothing was found that fits
  Nanoseconds bound_ns{0};      // no legal plan within the budgets is faster
};

// The fastest plan within the budgets that strategies and search find, and the bound.
[[nodiscard]] Fastest fastest_within(const Problem& problem, const Starts& starts,
                                     const std::vector<Way>& ways, const Options& options, Meter& meter);

// The plan of the least device peak (the problem's device budget is ignored).
[[nodiscard]] Planned leanest_within(const Problem& problem, const Starts& starts,
                                     const std::vector<Way>& ways, const Options& options, Meter& meter);

}  // namespace worktop::solver
