// The best plans within budgets, from shared starts: which techniques run, in what order and for how long.
//
//   1 strategies         solver/starts, each without the trips it does not need (solver/fewer_trips)
//   2 the leanest plan   the same search within ever smaller budgets: a start, and the answer where little
//   fits 3 the cut            solver/mincut: a bound, and what it keeps is a start; later with branch and
//   bound 4 search             solver/search, once without trips and once for each choice of them
//   (solver/offload) 5 trips for replays  what the search without trips replays at the dearest goes over the
//   links instead
//
// 3 to 5 take turns until the effort is spent or a plan meets the bound.
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
