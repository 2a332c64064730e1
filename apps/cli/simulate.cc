// worktop simulate: what a plan would do, played on queues and tiers; with a trace for Perfetto.
#include "simulator/simulate.h"
#include "chosen_plan.h"
#include "files.h"
#include "format/simulate_answer.h"
#include "format/trace.h"

namespace worktop::cli {
namespace {

struct SimulateOptions {
  ChosenPlanOptions plan;
  Text trace;
};

std::optional<double> tokens_per_s(const graph::Graph& graph, base::Nanoseconds step_ns) {
  if (graph.tokens_per_step() == 0 || step_ns.count() == 0) return std::nullopt;
  return static_cast<double>(graph.tokens_per_step()) * 1e9 / step_ns.as_double();
}

base::Result<int> run(const SimulateOptions& options, Console& console) {
  options.plan.request.output.apply(console);
  WORKTOP_TRY(const ReadPlan chosen, choose_plan(options.plan, console));
  const advisor::Subject& subject = chosen.subject;
  const simulator::Timeline timeline =
      simulator::simulate(subject.graph, subject.machine, subject.durations, chosen.plan);
  if (options.trace) {
    WORKTOP_CHECK(write_file(*options.trace, format::write_trace(subject.graph, subject.machine, timeline)));
    console.note("Written: " + *options.trace + ", for https://ui.perfetto.dev");
  }
  const format::Simulated simulated{subject.graph, subject.machine, chosen.plan, timeline,
                                    tokens_per_s(subject.graph, timeline.step_ns)};
  WORKTOP_CHECK(
      console.answer(console.json ? format::simulate_json(simulated) : format::simulate_text(simulated)));
  return kOk;
}

}  // namespace

Action add_simulate(CLI::App& app) {
  const auto options = std::make_shared<SimulateOptions>();
  options->plan.add(app);
  add_text(app, "--trace", options->trace, "FILE", "write the timeline there, as Chrome trace events")
      ->group("Output");
  options->plan.request.output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
