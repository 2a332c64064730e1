#include "report/lanes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace worktop::report {
namespace {

using graph::Phase;
using simulator::Timeline;

constexpr std::size_t kKinds = 7;

SpanKind kind_of(const graph::Graph& graph, const simulator::Run& run) {
  if (run.recompute) return SpanKind::recompute;
  switch (graph.op(run.op).phase) {
    case Phase::forward:
      return SpanKind::forward;
    case Phase::backward:
      return SpanKind::backward;
    case Phase::optimizer:
      return SpanKind::optimizer;
  }
  return SpanKind::forward;
}

// A joined span that grows: how much of it is of which kind, and its longest part.
struct Growing {
  Span span;
  std::array<Nanoseconds, kKinds> by_kind{};
  Nanoseconds longest{-1};

  [[nodiscard]] bool any() const { return longest >= Nanoseconds{0}; }
  void take(const Span& part) {
    const Nanoseconds length = part.to - part.from;
    if (longest < Nanoseconds{0}) span.from = part.from;
    span.count += part.count;
    span.to = std::max(span.to, part.to);
    by_kind[static_cast<std::size_t>(part.kind)] += length;
    if (length <= longest) return;
    longest = length;
    span.label = part.label;
    span.why = part.why;
  }
  [[nodiscard]] Span done() const {
    Span whole = span;
    whole.kind = static_cast<SpanKind>(std::ranges::max_element(by_kind) - by_kind.begin());
    return whole;
  }
};

// Joins neighbours as long as what they make is no longer than two parts in `most` of the picture: any two
// that are left are longer than that together, so that no more than `most` are left.
std::vector<Span> joined(std::vector<Span> spans, Nanoseconds end, std::int32_t most) {
  if (spans.size() <= static_cast<std::size_t>(most)) return spans;
  const Nanoseconds cell{2 * end.count() / std::max(1, most - 1) + 1};
  std::vector<Span> result;
  const Growing nothing{.span = {.count = 0}};
  Growing growing = nothing;
  for (const Span& span : spans) {
    if (growing.any() && span.to - growing.span.from > cell) {
      result.push_back(growing.done());
      growing = nothing;
    }
    growing.take(span);
  }
  if (growing.any()) result.push_back(growing.done());
  return result;
}

Lane compute_lane(const graph::Graph& graph, const Timeline& timeline) {
  Lane lane{.kind = LaneKind::compute, .name = "compute"};
  for (const simulator::Run& run : timeline.runs) {
    lane.spans.push_back({run.start, run.end, kind_of(graph, run), graph.op(run.op).name, 1, {}});
    if (run.recompute) lane.recompute_ns += run.end - run.start;
  }
  return lane;
}

Lane copy_lane(const graph::Graph& graph, const machine::Machine& machine, const Timeline& timeline,
               machine::LinkId id) {
  const machine::Link& link = machine.links[id];
  Lane lane{.kind = LaneKind::copy,
            .name = std::string(name_of(link.from)) + " to " + name_of(link.to),
            .link = id};
  for (const simulator::Copy& copy : timeline.copies)
    if (copy.link == id)
      lane.spans.push_back({copy.start,
                            copy.end,
                            link.outward() ? SpanKind::copy_out : SpanKind::copy_in,
                            graph.value(copy.value).name,
                            1,
                            {}});
  return lane;
}

Lane stall_lane(const graph::Graph& graph, const Timeline& timeline) {
  Lane lane{.kind = LaneKind::stall, .name = "stalls"};
  for (const simulator::Stall& stall : timeline.stalls)
    lane.spans.push_back({stall.start, stall.end, SpanKind::stall,
                          stall.before.exists() ? graph.op(stall.before).name : std::string("release"), 1,
                          graph.value(timeline.copies[static_cast<std::size_t>(stall.copy)].value).name});
  return lane;
}

std::vector<PhaseSpan> phases_of(const graph::Graph& graph, const Timeline& timeline, Nanoseconds end) {
  std::vector<PhaseSpan> phases;
  for (const simulator::Run& run : timeline.runs) {
    if (run.recompute) continue;
    const Phase phase = graph.op(run.op).phase;
    if (!phases.empty() && phases.back().phase == phase) continue;
    if (!phases.empty()) phases.back().to = run.start;
    phases.push_back({phase, phases.empty() ? Nanoseconds{0} : run.start, end});
  }
  return phases;
}

}  // namespace

std::string_view name_of(SpanKind kind) {
  constexpr std::array<std::string_view, kKinds> kNames{"forward",  "backward", "optimizer", "recompute",
                                                        "copy_out", "copy_in",  "stall"};
  return kNames[static_cast<std::size_t>(kind)];
}

Lanes lanes_of(const graph::Graph& graph, const machine::Machine& machine, const Timeline& timeline,
               std::int32_t most) {
  Lanes all;
  all.events =
      static_cast<std::int64_t>(timeline.runs.size() + timeline.copies.size() + timeline.stalls.size());
  all.lanes.push_back(compute_lane(graph, timeline));
  for (const machine::LinkId id : base::ids<machine::LinkId>(machine.links.size())) {
    Lane lane = copy_lane(graph, machine, timeline, id);
    if (!lane.spans.empty()) all.lanes.push_back(std::move(lane));
  }
  all.lanes.push_back(stall_lane(graph, timeline));
  for (const Lane& lane : all.lanes)
    for (const Span& span : lane.spans) all.end = std::max(all.end, span.to);
  for (Lane& lane : all.lanes) {
    for (const Span& span : lane.spans) lane.busy += span.to - span.from;
    lane.spans = joined(std::move(lane.spans), all.end, most);
  }
  all.phases = phases_of(graph, timeline, all.end);
  return all;
}

}  // namespace worktop::report
