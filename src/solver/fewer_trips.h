// Round trips that buy nothing are not made: of plans that fit and are as fast, the one that moves the fewest
// bytes.
//
// Trips are chosen by what the links can carry, so a plan with more room than it needs copies for nothing,
// and on a real machine a copy that the simulator hides still costs memory bandwidth. Here trips are taken
// back (their values stay) as long as every stage fits the budget: first those whose absence helps least
// where the plan without any trip would be over the budget, of equals the larger. That is a covering of the
// overfull stages by absences, solved greedily in reverse; one pass, since taking one back never makes room
// for another.
//
// Whether the bytes fit is judged from above here (a value counts for the whole of the stages in which it
// would leave and return), and exactly by the simulator after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/holding.h"
#include "plan/transfers.h"
#include "solver/portfolio.h"

namespace worktop::solver {

// Legal, or nothing.
[[nodiscard]] std::optional<Planned> realised(const Problem& problem, const plan::Holding& holding,
                                              const std::vector<plan::Trip>& trips, std::string made_by);

// `planned` (which fits) is what `holding` and `trips` give. The plan with fewer trips where there is one
// that fits and is not slower; else `planned`.
[[nodiscard]] Planned with_fewer_trips(const Problem& problem, plan::Holding holding,
                                       std::vector<plan::Trip> trips, const Planned& planned);

}  // namespace worktop::solver
