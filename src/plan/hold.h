// From fates to a holding: what a policy means on one graph.
//
// `keep` holds a value as long as an op, or a replay, may read it. `recompute` lets go after its last reader
// in forward; with Replay::hold each op is replayed at most once, when the first of its outputs is needed,
// and what it made is held until its last use; with Replay::redo nothing made by a replay outlives the stage
// that needed it. `offload_*` makes a trip between the last reader in forward and the first need after that.
// A value that cannot be made again, or is needed at the end of the step, is kept where recompute was asked
// for; values that are overwritten in place before a later reader are recomputed whatever their fate says.
//
// One pass backwards over the ops: an op is replayed when the first of its recomputed outputs is needed, and
// that is a need of its inputs.
#pragma once

#include <vector>

#include "plan/holding.h"
#include "plan/policy.h"
#include "plan/transfers.h"

namespace worktop::plan {

struct Held {
  Holding holding;
  std::vector<TripRequest> trips;  // not yet placed
};

// `fates` has an entry per value of `graph`.
[[nodiscard]] Held hold(const Graph& graph, const base::IdVector<ValueId, Fate>& fates, Replay replay);

}  // namespace worktop::plan
