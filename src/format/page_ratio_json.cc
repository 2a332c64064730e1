#include <algorithm>
#include <string>
#include <utility>

#include "format/answer_parts.h"
#include "format/page_answers.h"
#include "format/page_parts.h"

namespace worktop::format {
namespace {

using advisor::RatioAnswer;
using advisor::RatioRow;

// Without its members; leaves the object open.
void begin_row(JsonWriter& w, const RatioRow& row, bool has_solver) {
  w.begin_object();
  w.member("label", row.label);
  w.member("op_kind", row.op_kind);
  write_text_or_null(w, "block", row.block);
  w.member("count", row.count);
  w.member("bytes", row.bytes);
  w.member("recompute_ns", row.recompute_ns);
  write_number(w, "ratio", row.ratio);
  w.member("rule", row.rule_recomputes ? "recompute" : "keep");
  w.key("solver");
  if (row.solver_fate)
    w.value(plan::name_of(*row.solver_fate));
  else if (has_solver)
    w.value("mixed");
  else
    w.null();
  w.member("solver_recomputes", row.solver_recomputed);
  w.member("differs", row.differs);
  w.key("members").begin_array();
}

void write_row(JsonWriter& w, const RatioRow& row, bool has_solver, bool unfold) {
  begin_row(w, row, has_solver);
  if (unfold)
    for (const RatioRow& member : row.members) {
      begin_row(w, member, has_solver);
      w.end().end();
    }
  w.end().end();
}

void write_best(JsonWriter& w, const RatioAnswer& answer) {
  w.key("best");
  if (!answer.best) {
    w.null();
    return;
  }
  w.begin_object();
  write_number(w, "threshold", answer.best->threshold);
  write_number(w, "from", answer.best->from);
  write_number(w, "to", answer.best->to);
  w.member("step_ns", answer.best->at.step_ns);
  w.member("peak_bytes", answer.best->at.peak);
  w.end();
}

void write_curve(JsonWriter& w, const RatioAnswer& answer) {
  w.key("curve").begin_array();
  for (const advisor::RatioCurvePoint& point : answer.curve) {
    w.begin_object();
    write_number(w, "threshold", point.threshold);
    w.member("step_ns", point.step_ns);
    w.member("peak_bytes", point.peak);
    w.member("fits", point.fits);
    w.member("recompute_ns", point.recompute_ns);
    w.end();
  }
  w.end();
}

}  // namespace

std::string page_ratio_json(const RatioAnswer& answer, solver::Effort effort,
                            std::span<const std::string> unfold) {
  const bool has_solver = answer.solver.has_value();
  JsonWriter w;
  begin_page_answer(w, "ratio");
  w.member("graph", answer.graph_name);
  w.member("machine", answer.machine_name);
  w.member("effort", name_of(effort));
  write_number(w, "average_bytes_per_ns", answer.average_bytes_per_ns);
  write_number(w, "threshold", answer.threshold);
  w.key("rows").begin_array();
  for (const RatioRow& row : answer.rows)
    write_row(w, row, has_solver, std::ranges::find(unfold, row.label) != unfold.end());
  w.end();
  w.key("recomputed").begin_object();
  w.member("rows", answer.recomputed_rows);
  w.member("values", answer.recomputed_values);
  w.member("bytes", answer.recomputed_bytes);
  w.end();
  w.key("rule");
  write_plan_view(w, answer.rule);
  write_curve(w, answer);
  write_best(w, answer);
  w.member("is_best", answer.is_best);
  w.key("solver");
  if (answer.solver)
    write_plan_view(w, *answer.solver);
  else
    w.null();
  w.key("differs").begin_array();
  for (const RatioRow& row : answer.rows)
    if (row.differs) w.value(row.label);
  w.end();
  w.key("keep_all").begin_object();
  w.member("peak_bytes", answer.keep_all_peak);
  w.member("step_ns", answer.keep_all_step);
  w.end();
  w.member("limit_bytes", answer.budget.budget);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
