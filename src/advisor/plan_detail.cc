#include "advisor/plan_detail.h"

#include <algorithm>
#include <utility>

#include "solver/bounds.h"

namespace worktop::advisor {
namespace {

using solver::Planned;

void say_who_is_there(const Asked& asked, const Planned& planned, PlanDetail& detail) {
  const Subject& subject = asked.subject;
  const plan::MemoryProfile memory = plan::measure_memory(subject.graph, subject.machine, planned.plan);
  detail.residents = memory.residents;
  detail.peak_op = name_of_moment(subject.graph, memory.peak_moment);
  detail.at_peak = report::residents_at_peak(subject.graph, planned.plan, memory);
  detail.attack = report::attacks(memory.residents, subject.settings);
  detail.reasons = report::reasons(subject.graph, subject.machine, subject.durations, planned.plan);
}

PlanDetail begin(const Asked& asked, const Planned& keep_all, const Planned& planned, std::string name,
                 Which which) {
  const Subject& subject = asked.subject;
  const Nanoseconds bound = solver::first_runs_ns(asked.problem());
  const Viewer viewer(asked, keep_all, bound);
  PlanDetail detail{.graph_name = subject.graph.name(),
                    .machine_name = subject.machine.name,
                    .budget = asked.line,
                    .host = subject.machine.host_bytes,
                    .disk = subject.machine.disk_bytes,
                    .time_limit = asked.question.time_limit,
                    .plan = viewer.view(planned, std::move(name), std::move(which)),
                    .bound_ns = bound,
                    .least_possible = solver::least_possible_peak(subject.graph),
                    .keep_all_peak = keep_all.device_peak(),
                    .keep_all_step = keep_all.step_ns,
                    .keep_all_fits = asked.fits(keep_all)};
  for (const graph::ValueId v : base::ids<graph::ValueId>(subject.graph.value_count())) {
    if (!subject.graph.decidable(v) || subject.graph.value(v).bytes <= Bytes{0}) continue;
    ++detail.activations;
    detail.activation_bytes += subject.graph.value(v).bytes;
  }
  say_who_is_there(asked, planned, detail);
  return detail;
}

std::optional<Usual> usual_of(const Asked& asked, const Planned& usual, Nanoseconds step) {
  return Usual{.name = usual.plan.made_by,
               .step_ns = usual.step_ns,
               .slower_ns = usual.step_ns - step,
               .fits = asked.fits(usual)};
}

}  // namespace

base::Result<PlanDetail> detail_of_best(const Subject& subject, const Question& question,
                                        const PlanAnswer& answer) {
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  const Choice& shown = answer.best ? *answer.best : answer.leanest;
  PlanDetail detail = begin(asked, answer.keep_all.planned, shown.planned, shown.name,
                            {.kind = WhichKind::best, .effort = question.options.effort});
  detail.found = answer.best.has_value();
  detail.plan.price_per_gib = answer.price_per_gib;
  detail.least_feasible = answer.leanest.planned.device_peak();
  detail.changes = answer.changes;
  detail.stopped = answer.stopped;
  for (const Choice& strategy : answer.strategies)
    if (strategy.name == kUsualStrategy)
      detail.usual = usual_of(asked, strategy.planned, shown.planned.step_ns);
  return detail;
}

base::Result<PlanDetail> detail_of(const Subject& subject, const Question& question, const Planned& planned,
                                   std::string name, Which which) {
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  WORKTOP_TRY(const Planned keep_all, play_strategy(subject, "keep_all"));
  PlanDetail detail = begin(asked, keep_all, planned, std::move(name), std::move(which));
  detail.least_feasible = std::min(planned.device_peak(), keep_all.device_peak());
  if (const auto usual = play_strategy(subject, kUsualStrategy))
    detail.usual = usual_of(asked, *usual, planned.step_ns);
  return detail;
}

}  // namespace worktop::advisor
