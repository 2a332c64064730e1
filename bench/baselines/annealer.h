// A plain annealer over keep flags, as a baseline: what one gets from an afternoon.
//
// A gap of a value lies between two stages that touch it; a flag says whether it is kept through the
// gap. From everything kept, one move flips the flag of one gap, chosen at random; the loss is the replay
// time plus a fixed weight times the root of the summed squares of the bytes above the budget; the
// temperature falls geometrically. No restarts, no other moves, no other starts, no adapting of the weight.
//
// Moves are evaluated by solver/evaluation, and effort is counted as the portfolio counts it, so that the
// comparison is one of ideas and not of evaluators.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/durations.h"
#include "machine/machine.h"
#include "plan/plan.h"

namespace worktop::bench {

// The best that fits after so many units of effort; none: nothing that fits was met.
[[nodiscard]] std::optional<plan::Plan> anneal_gaps(const graph::Graph& graph,
                                                    const machine::Machine& machine,
                                                    const cost::Durations& durations, base::Bytes budget,
                                                    std::int64_t units, std::uint64_t seed);

}  // namespace worktop::bench
