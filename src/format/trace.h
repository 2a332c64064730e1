// A simulated step in the Chrome trace-event format, to be opened in https://ui.perfetto.dev or
// chrome://tracing.
//
// One process with a lane for the compute queue, one for its waits, one for each link; and a counter track of
// the bytes allocated on the device while each op runs. Times are microseconds with three decimals, so that
// nothing of a nanosecond is lost. Recomputes are named "recompute OP"; a copy's `issued_us` says when the
// plan asked for it.
#pragma once

#include <string>

#include "graph/graph.h"
#include "machine/machine.h"
#include "simulator/simulate.h"

namespace worktop::format {

[[nodiscard]] std::string write_trace(const graph::Graph& graph, const machine::Machine& machine,
                                      const simulator::Timeline& timeline);

}  // namespace worktop::format
