// Lowering: from what is held where to actions at triggers.
//
// Per boundary the actions come in this order: copies out; releases and drops of what the stage does not use;
// copies in that a replay of the stage needs; recomputes in program order, each followed by the drops of what
// nobody needs any more; the other copies in; drops of what only op t still needs (op t holds that until it
// ends); lower copies that were read back. Fates are filled in from what the actions do.
#pragma once

#include <vector>

#include "base/error.h"
#include "plan/hold.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/transfers.h"

namespace worktop::plan {

// `holding` and `trips` (as place_trips leaves them) must be such that every replay is possible; else the
// answer is an error of code illegal that names the op and the value that is missing. The result is legal.
[[nodiscard]] base::Result<Plan> lower(const Graph& graph, const machine::Machine& machine,
                                       const Holding& holding, const std::vector<Trip>& trips,
                                       std::string made_by);

// A policy's plan on this graph: fates_of, hold, place_trips, lower.
[[nodiscard]] base::Result<Plan> lower(const Graph& graph, const machine::Machine& machine,
                                       const Policy& policy, const Pace& pace);

}  // namespace worktop::plan
