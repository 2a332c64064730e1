// A bound for any graph: at one moment of the step, what is kept must fit, and what is not must run again.
//
// For one op a, solver/cut_network.h says what keeping and running again cost; the bound is the largest, over
// prices of a byte, of cut(p) - p * room (Lagrange; the network at a price is one minimum cut, Picard 1976).
// The best price lies where the lines of two choices meet, one that fits and one that does not, and is found
// by intersecting them (Newton's method on a concave function), some ten cuts a moment. The bound of the step
// is the largest over moments. What the price leaves open (values are kept whole or not at all) a best-first
// branch and bound settles: it fixes the largest value that the two choices treat differently.
//
// With lower tiers a value may be elsewhere at a and come back: then the room is larger by the bytes that the
// links of the device can bring back in the time after a, and take away in the time before it, if the step
// is no longer than `within`. That is a weaker bound, and one of plans up to `within` only.
//
// Holds for every legal plan that fits, with any number of recomputes and copies. It counts what runs again
// once, so for budgets so tight that ops have to run many times it is weak. Tried and left out: the linear
// programme of Checkmate's stages (weaker, and minutes), knapsack bounds without inputs (weaker).
#pragma once

#include <optional>
#include <vector>

#include "solver/portfolio.h"

namespace worktop::solver {

struct CutLimits {
  std::int64_t work = 20'000'000;     // edges looked at, for all moments
  std::int64_t branch_work = 0;       // more of it, for branch and bound
  std::optional<Nanoseconds> within;  // the bound need not be above this: of the plan that is known
  bool alone = false;                 // as if there were no lower tiers: for a start, not for a bound
};

struct CutBound {
  Nanoseconds step_ns{0};        // no legal plan that fits is faster, of a whole step
  graph::OpId moment;            // the op at which the bound is reached; none: first runs are all there is
  Nanoseconds price_per_gib{0};  // what one more GiB would take off this bound
  std::vector<graph::ValueId>
      gone;  // in the cheapest choice seen there that fits: not kept; made again if wanted
};

// No legal plan that copies nothing has a smaller device peak: at some op, what runs whatever the plan, and
// the least that has to be kept beside it because it, or what it is made from, can't be made again. With
// lower tiers only least_possible_peak holds, and that is the answer.
[[nodiscard]] Bytes least_peak_bound(const Problem& problem, std::int64_t work = 20'000'000);

// At least first_runs_ns. Without a device budget that is all.
[[nodiscard]] CutBound cut_bound(const Problem& problem, const CutLimits& limits);

}  // namespace worktop::solver
