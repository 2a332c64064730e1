#include <string>
#include <utility>

#include "format/answer_parts.h"
#include "format/page_answers.h"
#include "format/page_parts.h"
#include "report/lanes.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using report::MemoryColumn;
using report::MemoryOverTime;

constexpr double kGbInBytes = 1e9;

template <class Of>
void write_column(JsonWriter& w, const MemoryOverTime& memory, Of of) {
  w.begin_array();
  for (const MemoryColumn& column : memory.columns) w.value(of(column));
  w.end();
}

void write_memory(JsonWriter& w, const MemoryOverTime& memory) {
  w.key("layers").begin_array();
  for (std::size_t i = 0; i < report::kStackLayers; ++i) w.value(name_of(static_cast<report::StackLayer>(i)));
  w.end();
  w.key("at_ns");
  write_column(w, memory, [](const MemoryColumn& column) { return column.at; });
  w.key("bytes").begin_array();
  for (std::size_t i = 0; i < report::kStackLayers; ++i)
    write_column(w, memory, [i](const MemoryColumn& column) { return column.layers[i]; });
  w.end();
  w.key("device_bytes");
  write_column(w, memory, [](const MemoryColumn& column) { return column.device; });
  w.key("host_bytes");
  write_column(w, memory, [](const MemoryColumn& column) { return column.host; });
  w.key("disk_bytes");
  write_column(w, memory, [](const MemoryColumn& column) { return column.disk; });
}

void write_peak(JsonWriter& w, const advisor::Subject& subject, const plan::Plan& plan,
                const MemoryOverTime& memory) {
  const plan::MemoryProfile profile = plan::measure_memory(subject.graph, subject.machine, plan);
  w.key("peak").begin_object();
  w.member("at_ns", memory.peak_at);
  w.member("bytes", profile.peak[0]);
  w.member("op", advisor::name_of_moment(subject.graph, profile.peak_moment));
  w.member("column", memory.peak_column);
  w.key("layers").begin_array();
  for (const Bytes bytes : memory.peak) w.value(bytes);
  w.end();
  const auto groups = report::residents_at_peak(subject.graph, plan, profile);
  write_groups(w, "groups", groups);
  w.end();
}

void write_link(JsonWriter& w, const machine::Machine& machine, const report::Lane& lane) {
  w.key("link");
  if (lane.kind != report::LaneKind::copy) {
    w.null();
    return;
  }
  const machine::Link& link = machine.links[lane.link];
  w.begin_object().member("from", name_of(link.from)).member("to", name_of(link.to));
  write_number(w, "gb_per_s", link.bandwidth.per_second / kGbInBytes);
  w.end();
}

void write_lane(JsonWriter& w, const machine::Machine& machine, const report::Lane& lane, Nanoseconds end) {
  constexpr std::string_view kKinds[] = {"compute", "copy", "stall"};
  w.begin_object();
  w.member("lane", kKinds[static_cast<std::size_t>(lane.kind)]);
  w.member("name", lane.name);
  write_link(w, machine, lane);
  w.member("busy_ns", lane.busy);
  write_number(w, "busy_share", end > Nanoseconds{0} ? ratio(lane.busy, end) : 0);
  w.member("recompute_ns", lane.recompute_ns);
  w.key("spans").begin_array();
  for (const report::Span& span : lane.spans) {
    w.begin_object().member("from_ns", span.from).member("to_ns", span.to);
    w.member("kind", name_of(span.kind)).member("label", span.label);
    w.member("count", span.count).member("why", span.why).end();
  }
  w.end();
  w.end();
}

void write_phases(JsonWriter& w, const report::Lanes& lanes) {
  constexpr std::string_view kPhases[] = {"forward", "backward", "optimizer"};
  w.key("phases").begin_array();
  for (const report::PhaseSpan& phase : lanes.phases) {
    w.begin_object().member("phase", kPhases[static_cast<std::size_t>(phase.phase)]);
    w.member("from_ns", phase.from).member("to_ns", phase.to).end();
  }
  w.end();
}

}  // namespace

std::string page_timeline_json(const advisor::Subject& subject, const solver::Planned& planned,
                               const std::string& name, Bytes limit, std::int32_t most) {
  const plan::Plan& plan = planned.plan;
  const simulator::Timeline timeline =
      simulator::simulate(subject.graph, subject.machine, subject.durations, plan);
  const report::Lanes lanes = report::lanes_of(subject.graph, subject.machine, timeline, most);
  const auto changes = report::memory_changes(subject.graph, subject.machine, plan, timeline);
  const MemoryOverTime memory = report::memory_over_time(subject.graph, plan, changes, lanes.end, most);
  JsonWriter w;
  begin_page_answer(w, "timeline");
  w.member("name", name);
  w.member("step_ns", timeline.step_ns);
  w.member("micro_steps", subject.graph.micro_steps());
  w.member("shown_ns", lanes.end);
  write_phases(w, lanes);
  write_memory(w, memory);
  w.member("host_peak_bytes", timeline.peak[1]);
  w.member("disk_peak_bytes", timeline.peak[2]);
  w.member("limit_bytes", limit);
  write_peak(w, subject, plan, memory);
  w.key("lanes").begin_array();
  for (const report::Lane& lane : lanes.lanes) write_lane(w, subject.machine, lane, lanes.end);
  w.end();
  w.member("events", lanes.events);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
