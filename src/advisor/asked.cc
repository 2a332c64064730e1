#include "advisor/asked.h"

#include <tuple>
#include <utility>

namespace worktop::advisor {
namespace {

using base::ErrorCode;
using base::fail;

base::Status check(const Question& question, const machine::Machine& machine) {
  if (question.budget && *question.budget < Bytes{0})
    return fail(ErrorCode::usage, "the budget is negative", "--budget", "give a size such as 20GiB");
  if (question.budget && *question.budget > machine.usable_bytes)
    return fail(ErrorCode::usage,
                "the budget is larger than the " + std::to_string(machine.usable_bytes.count()) +
                    " bytes that " + machine.name + " can use",
                "--budget", "ask for less, or choose a larger machine");
  if (question.time_limit && *question.time_limit < Nanoseconds{0})
    return fail(ErrorCode::usage, "the time limit is negative", "--time-limit",
                "give a duration such as 900ms");
  const Lambda& l = question.lambda;
  for (const double weight : {l.memory, l.compute, l.transfer})
    if (!(weight >= 0 && weight <= 1e9))
      return fail(ErrorCode::usage, "a weight of the cost is no number from 0 to 1e9", "--lambda",
                  "give one number such as 0.3, or three: memory,compute,transfer");
  return {};
}

bool cheaper(const Lambda& lambda, const solver::Planned& a, const solver::Planned& b) {
  const auto key = [&](const solver::Planned& p) {
    return std::tuple(cost_of(lambda, p), p.device_peak(), p.recompute_ns, p.link_busy_ns);
  };
  return key(a) < key(b);
}

}  // namespace

base::Result<Asked> ask(const Subject& subject, const Question& question) {
  const machine::Machine& machine = subject.machine;
  WORKTOP_CHECK(check(question, machine));
  const BudgetLine line{.usable = machine.usable_bytes,
                        .context = machine.context_bytes,
                        .margin = machine.margin_bytes(),
                        .budget = question.budget.value_or(machine.default_budget()),
                        .asked = question.budget.has_value()};
  return Asked{.subject = subject,
               .question = question,
               .line = line,
               .budgets = {.device = line.budget,
                           .host = machine.host_bytes.value_or(Bytes{0}),
                           .disk = machine.disk_bytes.value_or(Bytes{0})}};
}

std::optional<double> tokens_per_s(const graph::Graph& graph, Nanoseconds step_ns) {
  if (graph.tokens_per_step() <= 0 || step_ns <= Nanoseconds{0}) return std::nullopt;
  return static_cast<double>(graph.tokens_per_step()) / ratio(step_ns, base::kSecond);
}

double cost_of(const Lambda& lambda, const solver::Planned& planned) {
  return lambda.memory * ratio(planned.device_peak(), base::kGB) +
         lambda.compute * ratio(planned.recompute_ns, base::kSecond) +
         lambda.transfer * ratio(planned.link_busy_ns, base::kSecond);
}

std::optional<solver::Planned> cheapest(const Asked& asked, const std::vector<solver::Planned>& candidates) {
  const solver::Planned* best = nullptr;
  for (const solver::Planned& candidate : candidates)
    if (asked.fits(candidate) && (!best || cheaper(asked.question.lambda, candidate, *best)))
      best = &candidate;
  return best ? std::optional(*best) : std::nullopt;
}

Shown::Shown(const Asked& asked, const solver::Planned& keep_all)
    : asked_(asked),
      forward_ns_(report::forward_time(asked.subject.graph, asked.subject.durations)),
      keep_all_(sample(keep_all)) {}

report::Sample Shown::sample(const solver::Planned& planned) const {
  const plan::MemoryProfile memory =
      plan::measure_memory(asked_.subject.graph, asked_.subject.machine, planned.plan);
  return {
      .peak = planned.device_peak(), .activations = memory.residents.activations, .step_ns = planned.step_ns};
}

Choice Shown::choice(const solver::Planned& planned, const std::string& otherwise) const {
  const std::string& made_by = planned.plan.made_by;
  return {.name = made_by == "search" ? otherwise : made_by,
          .planned = planned,
          .fits = asked_.fits(planned),
          .tokens_per_s = tokens_per_s(asked_.subject.graph, planned.step_ns),
          .cost = cost_of(asked_.question.lambda, planned),
          .against = report::against(keep_all_, sample(planned), forward_ns_)};
}

std::vector<Choice> Shown::choices(const std::vector<solver::Planned>& strategies) const {
  std::vector<Choice> list;
  for (const solver::Planned& planned : strategies) list.push_back(choice(planned, "plan"));
  return list;
}

std::string name_of_moment(const graph::Graph& graph, plan::Moment moment) {
  if (moment.running.exists()) return graph.op(moment.running).name;
  return "a copy at boundary " + std::to_string(moment.boundary.index());
}

report::FrontierPoint point_of(std::string name, const solver::Planned& planned) {
  return {.name = std::move(name),
          .peak = planned.device_peak(),
          .step_ns = planned.step_ns,
          .host_peak = planned.peak[1],
          .disk_peak = planned.peak[2],
          .recompute_ns = planned.recompute_ns,
          .link_busy_ns = planned.link_busy_ns,
          .price_per_gib = std::nullopt};
}

}  // namespace worktop::advisor
