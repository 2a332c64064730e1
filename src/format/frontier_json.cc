#include "format/frontier_json.h"

#include "format/answer_parts.h"

namespace worktop::format {

std::string frontier_json(const advisor::FrontierAnswer& answer) {
  JsonWriter w(1);
  w.begin_object();
  w.member("format", "worktop-answer-frontier");
  w.member("version", 1);
  w.member("graph", answer.graph_name);
  w.member("machine", answer.machine_name);
  w.key("points").begin_array();
  for (const report::FrontierPoint& point : answer.points) {
    w.begin_object();
    w.member("name", point.name);
    w.member("peak_bytes", point.peak);
    w.member("step_ns", point.step_ns);
    w.member("host_peak_bytes", point.host_peak);
    w.member("disk_peak_bytes", point.disk_peak);
    w.member("recompute_ns", point.recompute_ns);
    w.member("link_busy_ns", point.link_busy_ns);
    w.key("price_ns_per_gib").value(point.price_per_gib);
    w.end();
  }
  w.end();
  write_choices(w, "strategies", answer.strategies);
  write_picks(w, answer.picks);
  w.member("keep_all_peak_bytes", answer.keep_all.planned.device_peak());
  w.member("keep_all_step_ns", answer.keep_all.planned.step_ns);
  w.member("least_possible_bytes", answer.least_possible);
  w.member("bound_ns", answer.bound_ns);
  w.member("stopped", answer.stopped);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
