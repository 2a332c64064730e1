#include "format/plan_answer_json.h"

#include "format/answer_parts.h"
#include "format/plan_json.h"

namespace worktop::format {
namespace {

using advisor::PlanAnswer;

std::string_view name_of_goal(advisor::Minimize minimize) {
  switch (minimize) {
    case advisor::Minimize::time:
      return "time";
    case advisor::Minimize::peak:
      return "peak";
    case advisor::Minimize::cost:
      return "cost";
  }
  return "time";
}

template <class T>
void write_optional(JsonWriter& w, std::string_view key, const std::optional<T>& amount) {
  w.key(key).value(amount);
}

void write_question(JsonWriter& w, const PlanAnswer& answer) {
  w.member("graph", answer.graph_name);
  w.member("machine", answer.machine_name);
  w.member("minimize", name_of_goal(answer.minimize));
  w.key("budget").begin_object();
  w.member("asked", answer.budget.asked);
  w.member("budget_bytes", answer.budget.budget);
  w.member("usable_bytes", answer.budget.usable);
  w.member("context_bytes", answer.budget.context);
  w.member("margin_bytes", answer.budget.margin);
  write_optional(w, "host_bytes", answer.host);
  write_optional(w, "disk_bytes", answer.disk);
  write_optional(w, "time_limit_ns", answer.time_limit);
  w.end();
}

// Left out if it was not asked for.
void write_certificate(JsonWriter& w, const PlanAnswer& answer) {
  if (!answer.certified) return;
  w.key("certificate").begin_object();
  w.member("optimal", answer.certified->optimal);
  w.member("infeasible", answer.certified->infeasible);
  w.member("too_large", answer.certified->too_large);
  w.member("bound_ns", answer.certified->bound_ns);
  w.end();
}

// Nulls where nothing fits.
void write_result(JsonWriter& w, const PlanAnswer& answer) {
  const bool found = answer.best.has_value();
  const auto of_best = [&](auto of) { return found ? std::optional(of(*answer.best)) : std::nullopt; };
  write_optional(w, "peak_bytes", of_best([](const auto& best) { return best.planned.device_peak(); }));
  write_optional(w, "step_ns", of_best([](const auto& best) { return best.planned.step_ns; }));
  write_number(w, "tokens_per_s", found ? answer.best->tokens_per_s : std::nullopt);
  w.member("keep_all_peak_bytes", answer.keep_all.planned.device_peak());
  w.member("keep_all_step_ns", answer.keep_all.planned.step_ns);
  w.member("least_feasible_bytes", answer.leanest.planned.device_peak());
  w.member("least_possible_bytes", answer.least_possible);
  w.member("bound_ns", answer.bound_ns);
  write_number(w, "gap", answer.gap);
  write_optional(w, "price_ns_per_gib", answer.price_per_gib);
  w.key("best");
  if (found)
    write_choice(w, *answer.best);
  else
    w.null();
}

void write_peak(JsonWriter& w, const PlanAnswer& answer) {
  write_residents(w, "residents", answer.best ? answer.residents : std::nullopt);
  // Of the leanest plan where nothing fits: the moment and the values that bind.
  w.key("at_peak").begin_object();
  w.member("op", answer.peak_op);
  write_residents(w, "residents", answer.residents);
  write_groups(w, "groups", answer.at_peak);
  w.end();
  w.key("attack").begin_array();
  for (const report::Attack& attack : answer.attack) {
    w.begin_object_row();
    w.member("resident", name_of(attack.resident));
    w.member("bytes", attack.bytes);
    write_number(w, "share", attack.share);
    w.member("advice", attack.advice);
    w.end();
  }
  w.end();
}

void write_changes(JsonWriter& w, const PlanAnswer& answer) {
  w.key("changes").begin_array();
  for (const advisor::PricedChange& change : answer.changes) {
    w.begin_object_row();
    w.member("name", change.name);
    w.member("how", change.how);
    w.member("fits", change.fits);
    write_optional(w, "step_ns", change.step_ns);
    write_number(w, "tokens_per_s", change.tokens_per_s);
    w.member("least_feasible_bytes", change.least_feasible);
    w.end();
  }
  w.end();
}

void write_effort(JsonWriter& w, const PlanAnswer& answer) {
  w.member("units_spent", answer.units_spent);
  w.member("stopped", answer.stopped);
}

}  // namespace

std::string plan_answer_json(const advisor::Subject& subject, const PlanAnswer& answer,
                             const std::optional<Largest>& largest) {
  JsonWriter w(1);
  w.begin_object();
  w.member("format", "worktop-answer-plan");
  w.member("version", 1);
  write_question(w, answer);
  w.key("largest");
  if (largest) {
    w.begin_object_row();
    w.member("of", largest->of);
    w.member("value", largest->value);
    w.end();
  } else {
    w.null();
  }
  write_result(w, answer);
  write_certificate(w, answer);
  write_peak(w, answer);
  write_choices(w, "strategies", answer.strategies);
  write_picks(w, answer.picks);
  write_changes(w, answer);
  write_effort(w, answer);
  w.key("plan");
  if (answer.best)
    write_plan(w, answer.best->planned.plan, subject.graph, subject.machine,
               {.durations = &subject.durations});
  else
    w.null();
  w.end();
  return std::move(w).take();
}

std::string compare_json(const advisor::CompareAnswer& compared) {
  const PlanAnswer& answer = compared.plan;
  JsonWriter w(1);
  w.begin_object();
  w.member("format", "worktop-answer-compare");
  w.member("version", 1);
  write_question(w, answer);
  write_result(w, answer);
  write_choices(w, "strategies", answer.strategies);
  write_picks(w, answer.picks);
  write_effort(w, answer);
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
