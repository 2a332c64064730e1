#include "chosen_plan.h"

#include <fmt/format.h>

#include "format/sizes.h"

namespace worktop::cli {
namespace {

base::Result<ReadPlan> find_plan(const RequestOptions& options, const Source& source, Console& console) {
  WORKTOP_TRY(advisor::Question question, options.search.question());
  WORKTOP_TRY(const machine::Machine machine, options.machine.load());
  WORKTOP_TRY(question.budget, options.machine.device_budget(machine));
  WORKTOP_TRY(advisor::Subject subject, subject_of(source, options.model, machine));
  WORKTOP_TRY(const std::unique_ptr<ThreadPool> pool, options.search.attach(question, console));
  WORKTOP_TRY(advisor::PlanAnswer answer, advisor::plan(subject, question));
  if (!answer.best)
    return base::fail(
        base::ErrorCode::infeasible,
        fmt::format("nothing fits {}: {} is the least found", format::print_bytes(answer.budget.budget),
                    format::print_bytes(answer.leanest.planned.device_peak())),
        "--budget", "'worktop plan' lists what would make it fit; --as NAME shows a strategy regardless");
  return ReadPlan{std::move(subject), std::move(answer.best->planned.plan)};
}

}  // namespace

void ChosenPlanOptions::add(CLI::App& app) {
  request.model.add(app, "a plan.json; or as for plan, whose answer it then is");
  request.machine.add(app);
  add_text(app, "--graph", graph, "FILE", "of a plan.json that was written without it")->group("Machine");
  request.search.add(app);
  add_text(app, "--as", as, "STRATEGY", "this one, such as checkpoint(8), instead of a plan")
      ->group("Search");
}

base::Result<ReadPlan> choose_plan(const ChosenPlanOptions& options, Console& console) {
  const RequestOptions& request = options.request;
  WORKTOP_TRY(const Source source, request.model.source());
  if (source.plan_text) {
    WORKTOP_CHECK(request.model.no_settings("a plan, which has its own"));
    if (options.as)
      return base::fail(base::ErrorCode::usage, "this is a plan already", "--as",
                        "give a model or a step graph");
    return read_plan(*request.model.model, *source.plan_text, request.machine, options.graph);
  }
  if (options.graph)
    return base::fail(base::ErrorCode::usage, "--graph is for a plan.json alone", "--graph",
                      "give the step graph as MODEL");
  if (!options.as) return find_plan(request, source, console);
  WORKTOP_TRY(const machine::Machine machine, request.machine.load());
  WORKTOP_TRY(advisor::Subject subject, subject_of(source, request.model, machine));
  WORKTOP_TRY(plan::Plan plan, plan_as(subject, *options.as));
  return ReadPlan{std::move(subject), std::move(plan)};
}

}  // namespace worktop::cli
