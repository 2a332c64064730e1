#include <algorithm>
#include <string>
#include <utility>

#include "format/answer_parts.h"
#include "format/page_answers.h"
#include "format/page_parts.h"
#include "format/reason_json.h"

namespace worktop::format {
namespace {

using advisor::PlanDetail;

void write_budget(JsonWriter& w, const PlanDetail& detail) {
  w.key("budget").begin_object();
  w.member("memory_bytes", detail.budget.budget);
  w.member("asked", detail.budget.asked);
  w.member("usable_bytes", detail.budget.usable);
  w.member("context_bytes", detail.budget.context);
  w.member("margin_bytes", detail.budget.margin);
  w.key("host_bytes").value(detail.host);
  w.key("disk_bytes").value(detail.disk);
  w.key("time_ns").value(detail.time_limit);
  w.end();
}

void write_references(JsonWriter& w, const PlanDetail& detail) {
  w.member("bound_ns", detail.bound_ns);
  w.member("least_possible_bytes", detail.least_possible);
  w.member("least_feasible_bytes", detail.least_feasible);
  w.key("keep_all").begin_object();
  w.member("peak_bytes", detail.keep_all_peak);
  w.member("step_ns", detail.keep_all_step);
  w.member("fits", detail.keep_all_fits);
  w.end();
  w.key("activations").begin_object();
  w.member("count", detail.activations);
  w.member("bytes", detail.activation_bytes);
  w.end();
  w.key("usual");
  if (detail.usual) {
    w.begin_object();
    w.member("name", detail.usual->name);
    w.member("step_ns", detail.usual->step_ns);
    w.member("slower_ns", detail.usual->slower_ns);
    w.member("fits", detail.usual->fits);
    w.end();
  } else {
    w.null();
  }
}

void write_peak(JsonWriter& w, const PlanDetail& detail) {
  write_residents(w, "residents", detail.residents);
  w.member("peak_op", detail.peak_op);
  write_groups(w, "at_peak", detail.at_peak);
  w.key("attack").begin_array();
  for (const report::Attack& attack : detail.attack) {
    w.begin_object();
    w.member("resident", key_of(attack.resident));
    w.member("bytes", attack.bytes);
    write_number(w, "share", attack.share);
    w.member("advice", attack.advice);
    w.end();
  }
  w.end();
}

void write_changes(JsonWriter& w, const PlanDetail& detail) {
  w.key("changes").begin_array();
  for (const advisor::PricedChange& change : detail.changes) {
    w.begin_object();
    w.member("name", change.name);
    w.member("how", change.how);
    w.member("fits", change.fits);
    w.key("step_ns").value(change.step_ns);
    write_number(w, "tokens_per_s", change.tokens_per_s);
    w.member("least_feasible_bytes", change.least_feasible);
    w.end();
  }
  w.end();
}

void write_row(JsonWriter& w, const graph::Graph& graph, const report::ValueReason& row,
               std::span<const report::Stay> stays) {
  const graph::Value& value = graph.value(row.value);
  const graph::Op* producer = value.producer.exists() ? &graph.op(value.producer) : nullptr;
  w.begin_object();
  w.member("name", value.name);
  w.member("label", row.reason.label);
  write_text_or_null(
      w, "block", producer && producer->block.exists() ? graph.block(producer->block).name : std::string());
  w.member("op_kind", producer ? producer->kind : std::string());
  w.member("bytes", value.bytes);
  w.member("fate", plan::name_of(row.reason.fate));
  w.member("because", name_of(row.reason.because));
  w.member("reason", row.reason.text);
  w.key("recompute_ns").value(row.reason.recompute_ns);
  w.key("reload_ns").value(row.reason.reload_ns);
  w.key("lifetime").begin_array();
  for (const report::Stay& stay : stays) {
    w.begin_object().member("from_ns", stay.from).member("to_ns", stay.to);
    w.member("where", report::name_of(stay.where)).end();
  }
  w.end();
  w.member("at_peak", row.at_peak);
  w.end();
}

}  // namespace

std::string page_plan_json(const PlanDetail& detail, solver::Effort effort) {
  JsonWriter w;
  begin_page_answer(w, "plan");
  w.member("graph", detail.graph_name);
  w.member("machine", detail.machine_name);
  w.member("effort", name_of(effort));
  write_budget(w, detail);
  w.member("found", detail.found);
  w.key("plan");
  write_plan_view(w, detail.plan);
  write_references(w, detail);
  write_peak(w, detail);
  write_reasons(w, detail.reasons);
  write_changes(w, detail);
  w.member("stopped", detail.stopped);
  w.end();
  return std::move(w).take();
}

std::string page_activations_json(const advisor::Subject& subject, const solver::Planned& planned,
                                  const std::string& name, std::int32_t most) {
  const graph::Graph& graph = subject.graph;
  const simulator::Timeline timeline =
      simulator::simulate(graph, subject.machine, subject.durations, planned.plan);
  const auto changes = report::memory_changes(graph, subject.machine, planned.plan, timeline);
  const base::Nanoseconds end = changes.empty() ? timeline.step_ns : changes.back().at;
  const auto lives = report::lifetimes(graph, changes, end);
  auto rows = report::reasons_by_value(graph, subject.machine, subject.durations, planned.plan);
  const auto size = static_cast<std::int64_t>(rows.size());
  base::Bytes bytes;
  for (const report::ValueReason& row : rows) bytes += row.reason.bytes;
  std::ranges::stable_sort(rows,
                           [](const auto& a, const auto& b) { return a.reason.bytes > b.reason.bytes; });
  rows.resize(std::min(rows.size(), static_cast<std::size_t>(most)));
  JsonWriter w;
  begin_page_answer(w, "activations");
  w.member("name", name);
  w.member("step_ns", planned.step_ns);
  w.member("shown_ns", end);
  w.member("peak_ns", report::memory_over_time(graph, planned.plan, changes, end, 2).peak_at);
  w.member("count", size);
  w.member("bytes", bytes);
  write_fates(w, report::fate_shares(graph, subject.durations, planned.plan, planned.recompute_ns,
                                     planned.stalled_ns));
  w.key("rows").begin_array();
  for (const report::ValueReason& row : rows) write_row(w, graph, row, lives[row.value]);
  w.end();
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
