// When to copy: a round trip of a value to a lower tier, placed at triggers.
//
// A TripRequest says that a value is used up to stage `after`, is then wanted again in stage `need`, and
// spends the time between on `tier`. `place_trips` chooses the boundaries, with one backlog per link: copies
// out start as early as their link allows, in the order of `after`; copies in end as late as they may,
// planned backwards from `need`. The pace (how long each op takes) only places actions; a wrong pace costs
// time, never legality or bytes. A request for which nothing would be gained (the value would be back before
// it has left) is left out: it is kept.
#pragma once

#include <vector>

#include "plan/holding.h"
#include "plan/plan.h"

namespace worktop::plan {

using Pace = base::IdVector<OpId, base::Nanoseconds>;

struct TripRequest {
  ValueId value;
  Tier tier = Tier::host;
  std::int32_t after = 0;
  std::int32_t need = 0;
  friend bool operator==(const TripRequest&, const TripRequest&) = default;
};

// Boundaries of the actions, in the order in which they happen. Where the device has no link to the disk,
// disk trips are staged on the host: device -> host -> disk and back; else the four host boundaries are -1.
struct Trip {
  ValueId value;
  Tier tier = Tier::host;
  std::int32_t out_at = 0;      // copy_out (both hops)
  std::int32_t release_at = 0;  // release of the device bytes
  std::int32_t host_release_at = -1;
  std::int32_t host_in_at = -1;
  std::int32_t in_at = 0;  // copy_in to the device
  std::int32_t need = 0;   // the lower copy is let go here
  [[nodiscard]] bool staged() const { return host_in_at >= 0; }
  friend bool operator==(const Trip&, const Trip&) = default;
};

// Also writes the device bits of the trips into `holding`: held while leaving (up to `release_at`) and from
// `in_at` to `need`; those of requests that were left out: held all the way.
[[nodiscard]] std::vector<Trip> place_trips(const Graph& graph, const machine::Machine& machine,
                                            const Pace& pace, const std::vector<TripRequest>& requests,
                                            Holding& holding);

// When each stage's op starts if nothing stalls: the first replay of the stage starts at [t], the step ends
// at [n].
[[nodiscard]] std::vector<std::int64_t> stage_starts_ns(const Graph& graph, const Pace& pace,
                                                        const Holding& holding);

}  // namespace worktop::plan
