// What runs when: lanes of a step for compute, for each link, and for stalls. Where there are too many spans
// to be drawn, neighbours are joined.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "machine/machine.h"
#include "simulator/simulate.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

enum class SpanKind : std::uint8_t { forward, backward, optimizer, recompute, copy_out, copy_in, stall };
[[nodiscard]] std::string_view name_of(SpanKind kind);

struct Span {
  Nanoseconds from{0}, to{0};
  SpanKind kind = SpanKind::forward;  // of most of its time
  std::string label;                  // op or value: of the longest of what is joined
  std::int32_t count = 1;
  std::string why;  // of a stall: the value whose copy it waits for
};

enum class LaneKind : std::uint8_t { compute, copy, stall };
struct Lane {
  LaneKind kind = LaneKind::compute;
  std::string name;
  machine::LinkId link;         // of copies
  Nanoseconds busy{0};          // of all its spans, not of what lies between
  Nanoseconds recompute_ns{0};  // of compute
  std::vector<Span> spans;      // at most `most`
};

struct PhaseSpan {
  graph::Phase phase = graph::Phase::forward;
  Nanoseconds from{0}, to{0};
};

struct Lanes {
  std::vector<Lane> lanes;        // compute, links that are used, stalls
  std::vector<PhaseSpan> phases;  // those that have an op; each ends where the next begins
  Nanoseconds end{0};             // of the last span
  std::int64_t events = 0;
};

[[nodiscard]] Lanes lanes_of(const graph::Graph& graph, const machine::Machine& machine,
                             const simulator::Timeline& timeline, std::int32_t most);

}  // namespace worktop::report
