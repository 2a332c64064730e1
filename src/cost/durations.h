// How long each op of a graph takes, and each copy. Durations come from a formula (cost/roofline.h) or from a
// graph file that brings them (profile, trace); simulator and solver only see these numbers.
#pragma once

#include "base/units.h"
#include "graph/graph.h"
#include "machine/machine.h"

namespace worktop::cost {

using base::Bytes;
using base::Nanoseconds;

struct Durations {
  base::IdVector<graph::OpId, Nanoseconds> op;
  [[nodiscard]] Nanoseconds operator[](graph::OpId id) const { return op[id]; }
  // All ops once: the keep-all time of one micro-step and the optimizer.
  [[nodiscard]] Nanoseconds total() const {
    Nanoseconds sum{0};
    for (Nanoseconds ns : op) sum = saturating_add(sum, ns);
    return sum;
  }
};

// Latency plus bytes over the link's one-way bandwidth; 0 for no bytes. The both-way slow-down is the
// simulator's.
[[nodiscard]] inline Nanoseconds copy_time(const machine::Link& link, Bytes bytes) {
  if (bytes.count() <= 0) return Nanoseconds{0};
  return saturating_add(link.latency, link.bandwidth.time_for(bytes));
}

}  // namespace worktop::cost
