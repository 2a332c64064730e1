#include "format/trace.h"

#include <fmt/format.h>

#include "format/json_writer.h"

namespace worktop::format {
namespace {

using base::ids;
using base::Nanoseconds;
using machine::LinkId;

constexpr int kProcess = 1;
constexpr int kComputeLane = 1;
constexpr int kWaitLane = 2;
constexpr int kFirstLinkLane = 3;

class TraceWriter {
 public:
  TraceWriter(const graph::Graph& graph, const machine::Machine& machine)
      : graph_(graph), machine_(machine) {}

  std::string write(const simulator::Timeline& timeline) {
    w_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_array();
    name("process_name", 0, fmt::format("worktop: {} on {}", graph_.name(), machine_.name));
    lane(kComputeLane, "compute");
    lane(kWaitLane, "compute waits for copies");
    for (const LinkId link : ids<LinkId>(machine_.links.size()))
      lane(kFirstLinkLane + link.index(),
           fmt::format("{} to {}", name_of(machine_.links[link].from), name_of(machine_.links[link].to)));
    for (const simulator::Run& run : timeline.runs) write_run(run);
    for (const simulator::Stall& stall : timeline.stalls) write_stall(stall, timeline);
    for (const simulator::Copy& copy : timeline.copies) write_copy(copy);
    w_.end().end();
    return std::move(w_).take();
  }

 private:
  static double microseconds(Nanoseconds ns) { return ns.as_double() / 1000; }

  JsonWriter& begin(const char* phase, std::string_view title, int thread) {
    w_.begin_object_row().member("ph", phase).member("name", title);
    return w_.member("pid", kProcess).member("tid", thread);
  }
  void name(const char* what, int thread, std::string_view title) {
    begin("M", what, thread).key("args").begin_object_row().member("name", title).end().end();
  }
  void lane(int thread, std::string_view title) {
    name("thread_name", thread, title);
    begin("M", "thread_sort_index", thread)
        .key("args")
        .begin_object_row()
        .member("sort_index", thread)
        .end()
        .end();
  }
  // Ends with the object "args" open.
  JsonWriter& span(std::string_view title, const char* category, int thread, Nanoseconds start,
                   Nanoseconds end) {
    begin("X", title, thread).member("cat", category);
    w_.member("ts", microseconds(start)).member("dur", microseconds(end - start));
    return w_.key("args").begin_object_row();
  }

  void write_run(const simulator::Run& run) {
    const graph::Op& op = graph_.op(run.op);
    const std::string title = (run.recompute ? "recompute " : "") + op.name;
    span(title, run.recompute ? "recompute" : "compute", kComputeLane, run.start, run.end);
    w_.member("kind", op.kind).member("device_bytes", run.device_bytes).end().end();
    begin("C", "device memory", 0).member("ts", microseconds(run.start));
    w_.key("args").begin_object_row().member("bytes", run.device_bytes).end().end();
  }
  void write_stall(const simulator::Stall& stall, const simulator::Timeline& timeline) {
    const bool known = stall.copy >= 0 && static_cast<std::size_t>(stall.copy) < timeline.copies.size();
    const std::string title =
        known ? "wait for " + graph_.value(timeline.copies[static_cast<std::size_t>(stall.copy)].value).name
              : "wait";
    span(title, "wait", kWaitLane, stall.start, stall.end);
    if (stall.before.exists()) w_.member("before", graph_.op(stall.before).name);
    w_.end().end();
  }
  void write_copy(const simulator::Copy& copy) {
    const graph::Value& value = graph_.value(copy.value);
    const bool out = machine_.links[copy.link].outward();
    span(value.name, out ? "copy_out" : "copy_in", kFirstLinkLane + copy.link.index(), copy.start, copy.end);
    w_.member("bytes", value.bytes).member("issued_us", microseconds(copy.issued)).end().end();
  }

  const graph::Graph& graph_;
  const machine::Machine& machine_;
  JsonWriter w_{1};
};

}  // namespace

std::string write_trace(const graph::Graph& graph, const machine::Machine& machine,
                        const simulator::Timeline& timeline) {
  return TraceWriter(graph, machine).write(timeline);
}

}  // namespace worktop::format
