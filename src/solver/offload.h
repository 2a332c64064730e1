// Which activations to send away and bring back: choices of round trips that the links can carry.
//
// A candidate is an activation with one long absence: from its last use in forward to its first need in
// backward. The best ones to send are those that are dear to recompute for the bytes they free.
// `offload_requests` fills the links with them in that order (or in the order of the forward pass, where
// early layers have the most time to come back) up to a share of what the links can carry while the step
// computes, host first as long as its budget lasts, then disk.
#pragma once

#include <vector>

#include "cost/durations.h"
#include "plan/transfers.h"
#include "solver/portfolio.h"

namespace worktop::solver {

enum class OffloadOrder : std::uint8_t { dearest_first, earliest_first };

// Requests to be placed by plan::place_trips. `share_permille` of the links' capacity is used; empty where
// the machine has no lower tier.
[[nodiscard]] std::vector<plan::TripRequest> offload_requests(const Problem& problem, OffloadOrder order,
                                                              std::int32_t share_permille);

// Trips that take the place of replays of a plan without copies: each value has its longest absence after
// which it is made again, and what having it then would save; the best savings for their bytes come first, up
// to a share of what the links can carry. So a plan that mixes begins where recomputing alone has ended.
[[nodiscard]] std::vector<plan::TripRequest> trips_for_replays(const Problem& problem,
                                                               const plan::Holding& holding,
                                                               std::int32_t share_permille);

}  // namespace worktop::solver
