// Why each activation has the fate that a plan gives it.
//
// Reasons are read off the plan and the prices of its alternatives; they don't repeat the solver's search. A
// recompute is priced at the duration of the producer, each time it is replayed, without the inputs that are
// replayed for it: those have reasons of their own. A reload is priced at the copy into the device from the
// host (of offloaded values: from their tier), alone on its link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/durations.h"
#include "machine/machine.h"
#include "plan/plan.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

enum class Because : std::uint8_t {
  must_keep,          // cannot be made again, and there is no tier to send it to
  cannot_recompute,   // cannot be made again: sent away, or kept beside a tier that could take it
  gone_at_the_peak,   // kept: not resident at the peak, so that nothing would be gained there
  not_needed,         // kept: the plan gives nothing up
  poor_exchange,      // kept: a recompute would free less per ms than others do
  cheaper_recompute,  // recompute takes less time than the reload would
  no_lower_tier,      // recomputed: there is nowhere to offload to
  busy_link,          // recomputed though a reload alone would be faster
  hides,              // reloaded behind compute: nobody waits
  waits               // reloaded, and compute waits for it
};

// Alike activations (report/alike.h) with one fate and one reason.
struct Reason {
  std::string label;
  plan::Fate fate = plan::Fate::keep;
  Because because = Because::not_needed;
  std::int32_t count = 0;
  Bytes bytes;                              // of all of them
  std::optional<Nanoseconds> recompute_ns;  // of one of them, mean; none if it cannot be made again
  std::optional<Nanoseconds> reload_ns;     // of one of them, mean; none without a tier
  std::string text;                         // "recompute 0.08 ms < reload 0.9 ms", "random: must keep"
  friend bool operator==(const Reason&, const Reason&) = default;
};

// Of all decidable values of more than 0 bytes; largest bytes first, equals by label, then fate. `plan` is
// legal.
[[nodiscard]] std::vector<Reason> reasons(const graph::Graph& graph, const machine::Machine& machine,
                                          const cost::Durations& durations, const plan::Plan& plan);

// The same value by value: each with the reason that it would have alone.
struct ValueReason {
  graph::ValueId value;
  Reason reason;
  bool at_peak = false;  // resident at the peak
};
[[nodiscard]] std::vector<ValueReason> reasons_by_value(const graph::Graph& graph,
                                                        const machine::Machine& machine,
                                                        const cost::Durations& durations,
                                                        const plan::Plan& plan);

}  // namespace worktop::report
