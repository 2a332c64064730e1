#include "request.h"

#include "format/plan_json.h"
#include "plan/lower.h"
#include "solver/strategies.h"
#include "values.h"

namespace worktop::cli {

void RequestOptions::add(CLI::App& app, bool with_goal) {
  model.add(app, "a known name, a config.json, or a step graph");
  machine.add(app);
  search.add(app, with_goal);
  output.add(app);
}

base::Result<advisor::Subject> subject_of(const Source& source, const ModelOptions& options,
                                          const machine::Machine& machine) {
  if (source.decoder) {
    WORKTOP_TRY(const model::Settings settings, options.settings(*source.decoder));
    return advisor::subject(*source.decoder, settings, machine);
  }
  if (!source.graph)
    return base::fail(
        base::ErrorCode::usage, "this is a plan already", *options.model,
        "'worktop explain' and 'worktop simulate' take plans; give a model or a step graph here");
  WORKTOP_CHECK(options.no_settings("a step graph, which has its own"));
  return advisor::subject(source.graph->graph, source.graph->durations, machine);
}

base::Result<Request> read_request(const RequestOptions& options, Console& console) {
  WORKTOP_TRY(advisor::Question question, options.search.question());
  WORKTOP_TRY(const Source source, options.model.source());
  WORKTOP_TRY(const machine::Machine machine, options.machine.load());
  WORKTOP_TRY(question.budget, options.machine.device_budget(machine));
  WORKTOP_TRY(advisor::Subject subject, subject_of(source, options.model, machine));
  Request request{.subject = std::move(subject), .question = std::move(question), .pool = nullptr};
  WORKTOP_TRY(request.pool, options.search.attach(request.question, console));
  return request;
}

base::Result<ReadPlan> read_plan(const std::string& path, const std::string& text,
                                 const MachineOptions& machine, const Text& graph) {
  std::optional<format::GraphFile> graph_file;
  std::optional<machine::Machine> given;
  if (graph) {
    WORKTOP_TRY(graph_file, load_graph(*graph));
  }
  if (machine.machine) {
    WORKTOP_TRY(given, machine.load());
  }
  WORKTOP_TRY(format::PlanFile file,
              in_file(path, format::read_plan_file(text, graph_file ? &graph_file->graph : nullptr,
                                                   given ? &*given : nullptr)));
  std::optional<cost::Durations> durations = std::move(file.durations);
  if (!durations && graph_file) durations = std::move(graph_file->durations);
  return ReadPlan{advisor::subject(std::move(file.graph), std::move(durations), file.machine),
                  std::move(file.plan)};
}

base::Result<plan::Plan> plan_as(const advisor::Subject& subject, const std::string& strategy) {
  WORKTOP_TRY(
      const plan::Policy policy,
      at("--as", solver::strategy_by_name(strategy, subject.graph, subject.machine, subject.durations)));
  return plan::lower(subject.graph, subject.machine, policy, subject.durations.op);
}

}  // namespace worktop::cli
