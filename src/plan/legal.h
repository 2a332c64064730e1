// Is a plan legal on its graph and machine? The static judgement that every plan passes before it leaves a
// solver, a reader or enters an executor. Written from graph/graph.h and plan/plan.h alone, without looking
// at any solver.
//
// Answers the first rule that is broken, in the order of the step, as an Error of code illegal: `what` the
// rule, `where` the boundary and the action or op by name. Rules:
//   - the plan is of this graph (hash), has a fate per value and a row of actions per boundary, ids in range;
//   - actions only at triggers; a recompute only of an op that has run, is replayable, and whose inputs are
//     resident;
//   - every op finds what it reads resident on the device (a copy in flight counts: the op waits);
//   - drop and release only of what the executor holds on that tier; no drop on the device while a copy out
//     of it may still run, unless an op or action that waits for that copy came before (that is what
//     `release` is for); release only where a copy on a lower tier has been begun;
//   - copy_out along an outward link, of a value resident on its upper tier, not yet on the lower one;
//     copy_in along an inward link, of a value on the lower tier and not resident on the upper one; copies
//     only of holdable values with bytes;
//   - no bytes go while a copy out of them or into them may still run: not when the last holder lets go at
//     the end of an op, not by an in-place write, and not by a drop or release before the copy into them is
//     known to have ended. On the device only `release` waits, for the copies out; below it drop and release
//     both wait for every copy that reads;
//   - what is needed to the end of the step (needed_until none) is resident at its end;
//   - fates tell the truth: `recompute` values are recomputed at least once when they were missing, and
//     `offload_*` values copied in at least once from that tier; decidable `keep` values are never copied in,
//     nor read from a recompute that found them missing (a by-product that nobody reads is no lie).
//
// A copy is known to have ended once the compute queue has waited for it, for a later one on its link, or for
// one that reads what it brought.
#pragma once

#include "base/error.h"
#include "plan/plan.h"

namespace worktop::plan {

[[nodiscard]] base::Status legal(const Graph& graph, const machine::Machine& machine, const Plan& plan);

}  // namespace worktop::plan
