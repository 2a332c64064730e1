#include <string>
#include <utility>

#include "format/answer_parts.h"
#include "format/page_answers.h"
#include "format/page_parts.h"

namespace worktop::format {
namespace {

void write_at(JsonWriter& w, const report::Place& place) {
  w.begin_object().member("peak_bytes", place.peak).member("ns", place.ns).end();
}

void write_places(JsonWriter& w, std::string_view key, std::span<const report::Place> places) {
  w.key(key).begin_array();
  for (const report::Place& place : places) write_at(w, place);
  w.end();
}

void write_iso_costs(JsonWriter& w, std::span<const report::IsoCost> lines) {
  w.key("iso_cost").begin_array();
  for (const report::IsoCost& line : lines) {
    w.begin_object();
    write_number(w, "cost", line.cost);
    w.key("from");
    write_at(w, line.from);
    w.key("to");
    write_at(w, line.to);
    write_text_or_null(w, "through", line.through);
    w.end();
  }
  w.end();
}

void write_axis(JsonWriter& w, std::string_view key, const report::Axis& axis) {
  w.key(key).begin_object();
  w.key("view").begin_object();
  w.key("from");
  write_at(w, axis.view.from);
  w.key("to");
  write_at(w, axis.view.to);
  w.end();
  w.key("line").begin_array();
  for (const std::string& name : axis.line) w.value(name);
  w.end();
  write_places(w, "line_at", axis.line_at);
  write_places(w, "dominated", axis.dominated);
  write_places(w, "bound", axis.bound);
  write_iso_costs(w, axis.iso_cost);
  w.key("best");
  if (axis.best) {
    w.begin_object().member("name", axis.best_name);
    write_number(w, "cost", axis.best_cost);
    w.end();
  } else {
    w.null();
  }
  w.end();
}

}  // namespace

std::string page_frontier_json(const advisor::TradeOff& answer, solver::Effort effort,
                               std::span<const Measured> measured) {
  JsonWriter w;
  begin_page_answer(w, "frontier");
  w.member("graph", answer.graph_name);
  w.member("machine", answer.machine_name);
  w.member("effort", name_of(effort));
  w.key("budget").begin_object();
  w.member("memory_bytes", answer.budget.budget);
  w.member("asked", answer.budget.asked);
  w.member("usable_bytes", answer.budget.usable);
  w.key("time_ns").value(answer.time_limit);
  w.end();
  write_plan_views(w, "points", answer.points);
  write_plan_views(w, "strategies", answer.strategies);
  w.key("keep_all");
  write_plan_view(w, answer.keep_all);
  write_picks(w, answer.picks);
  w.key("chosen").value(answer.chosen);
  w.member("least_possible_bytes", answer.least_possible);
  w.member("bound_ns", answer.bound_ns);
  w.key("axes").begin_object();
  write_axis(w, "step_time", answer.step_time);
  write_axis(w, "extra_compute", answer.extra_compute);
  write_axis(w, "extra_transfer", answer.extra_transfer);
  w.end();
  write_measured(w, measured);
  w.member("stopped", answer.stopped);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
