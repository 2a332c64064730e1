#include "format/page_parts.h"

#include <string>

#include "format/answer_parts.h"

namespace worktop::format {
namespace {

std::string_view name_of_main(report::MainFate fate) {
  constexpr std::string_view kNames[] = {"keep", "recompute", "offload", "hybrid"};
  return kNames[static_cast<std::size_t>(fate)];
}

void write_which(JsonWriter& w, const advisor::Which& which) {
  constexpr std::string_view kKinds[] = {"best", "strategy", "point", "file"};
  w.key("plan").begin_object();
  w.member("kind", kKinds[static_cast<std::size_t>(which.kind)]);
  if (which.kind == advisor::WhichKind::strategy || which.kind == advisor::WhichKind::point)
    w.member("name", which.name);
  if (which.kind == advisor::WhichKind::point) {
    w.member("points", which.points);
    w.member("effort", name_of(which.effort));
  }
  w.end();
}

}  // namespace

std::string_view name_of(solver::Effort effort) {
  constexpr std::string_view kNames[] = {"quick", "normal", "deep"};
  return kNames[static_cast<std::size_t>(effort)];
}

void begin_page_answer(JsonWriter& w, std::string_view name) {
  w.begin_object();
  w.member("format", "worktop-page-" + std::string(name));
  w.member("version", 1);
}

void write_text_or_null(JsonWriter& w, std::string_view key, std::string_view text) {
  w.key(key);
  if (text.empty())
    w.null();
  else
    w.value(text);
}

void write_fates(JsonWriter& w, std::span<const report::FateShare> fates) {
  w.key("fates").begin_array();
  for (const report::FateShare& fate : fates) {
    w.begin_object();
    w.member("fate", plan::name_of(fate.fate));
    w.member("count", fate.count);
    w.member("bytes", fate.bytes);
    write_number(w, "share", fate.share);
    w.member("ns", fate.ns);
    w.end();
  }
  w.end();
}

void write_plan_view(JsonWriter& w, const advisor::PlanView& view) {
  const solver::Planned& planned = view.choice.planned;
  w.begin_object();
  w.member("name", view.name);
  write_which(w, view.which);
  w.member("family", view.family);
  w.member("competes", view.competes);
  w.member("main_fate", name_of_main(view.main_fate));
  w.member("peak_bytes", planned.peak[0]);
  w.member("step_ns", planned.step_ns);
  w.member("host_peak_bytes", planned.peak[1]);
  w.member("disk_peak_bytes", planned.peak[2]);
  w.member("recompute_ns", planned.recompute_ns);
  w.member("link_busy_ns", planned.link_busy_ns);
  w.member("stalled_ns", planned.stalled_ns);
  write_number(w, "tokens_per_s", view.choice.tokens_per_s);
  write_number(w, "cost", view.choice.cost);
  write_number(w, "over_keep_all", view.over_keep_all);
  w.member("over_keep_all_ns", view.over_keep_all_ns);
  write_number(w, "gap", view.gap);
  write_number(w, "r_mem", view.choice.against.r_mem);
  write_number(w, "r_mem_total", view.choice.against.r_mem_total);
  write_number(w, "r_cost", view.choice.against.r_cost);
  w.member("fits", view.choice.fits);
  w.member("over_bytes", view.over_bytes);
  w.member("over_ns", view.over_ns);
  w.member("on_frontier", view.on_frontier);
  w.key("price_ns_per_gib").value(view.price_per_gib);
  write_fates(w, view.fates);
  w.end();
}

void write_plan_views(JsonWriter& w, std::string_view key, std::span<const advisor::PlanView> views) {
  w.key(key).begin_array();
  for (const advisor::PlanView& view : views) write_plan_view(w, view);
  w.end();
}

void write_measured(JsonWriter& w, std::span<const Measured> measured) {
  w.key("measured").begin_array();
  for (const Measured& row : measured) {
    w.begin_object();
    w.member("name", row.name);
    w.member("peak_bytes", row.peak);
    w.key("step_ns").value(row.step_ns);
    w.key("step_low_ns").value(row.step_low_ns);
    w.key("step_high_ns").value(row.step_high_ns);
    w.key("promised_peak_bytes").value(row.promised_peak);
    w.key("promised_step_ns").value(row.promised_step_ns);
    w.key("moved_bytes").value(row.moved);
    w.key("same_gradients").value(row.same_gradients);
    w.member("remark", row.remark);
    w.end();
  }
  w.end();
}

}  // namespace worktop::format
