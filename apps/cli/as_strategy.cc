#include "as_strategy.h"

#include "solver/portfolio.h"

namespace worktop::cli {
namespace {

// How long the forwards of a step take, which is what R_cost is a share of.
advisor::Choice shown(const Request& request, const advisor::PlanAnswer& answer, solver::Planned planned,
                      const advisor::ExplainAnswer& explained) {
  const advisor::Subject& subject = request.subject;
  const solver::Planned& keep_all = answer.keep_all.planned;
  const auto activations = [&](const solver::Planned& of) {
    return plan::measure_memory(subject.graph, subject.machine, of.plan).residents.activations;
  };
  advisor::Choice choice;
  choice.name = planned.plan.made_by;
  if (subject.graph.tokens_per_step() > 0 && planned.step_ns.count() > 0)
    choice.tokens_per_s =
        static_cast<double>(subject.graph.tokens_per_step()) * 1e9 / planned.step_ns.as_double();
  choice.against = report::against({keep_all.device_peak(), activations(keep_all), keep_all.step_ns},
                                   {planned.device_peak(), explained.residents.activations, planned.step_ns},
                                   report::forward_time(subject.graph, subject.durations));
  choice.fits = planned.device_peak() <= answer.budget.budget &&
                planned.peak[1] <= answer.host.value_or(base::Bytes{0}) &&
                planned.peak[2] <= answer.disk.value_or(base::Bytes{0}) &&
                within(planned.step_ns, answer.time_limit);
  choice.planned = std::move(planned);
  return choice;
}

}  // namespace

base::Result<advisor::PlanAnswer> plan_answer_as(const Request& request, const std::string& strategy) {
  const advisor::Subject& subject = request.subject;
  WORKTOP_TRY(plan::Plan plan, plan_as(subject, strategy));
  WORKTOP_TRY(const advisor::ExplainAnswer explained, advisor::explain(subject, plan));
  advisor::Question quick = request.question;
  quick.options.effort = solver::Effort::quick;
  WORKTOP_TRY(advisor::PlanAnswer answer, advisor::plan(subject, quick));
  const plan::Budgets none;
  solver::Planned planned =
      solver::predict({subject.graph, subject.machine, subject.durations, none}, std::move(plan));
  advisor::Choice choice = shown(request, answer, std::move(planned), explained);
  answer.residents = explained.residents;
  answer.peak_op = explained.peak_op;
  answer.at_peak = explained.at_peak;
  answer.attack = report::attacks(explained.residents, subject.settings);
  answer.price_per_gib.reset();
  answer.gap = answer.bound_ns.count() > 0
                   ? std::optional(ratio(choice.planned.step_ns - answer.bound_ns, answer.bound_ns))
                   : std::nullopt;
  answer.best = std::move(choice);
  return answer;
}

}  // namespace worktop::cli
