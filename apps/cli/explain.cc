// worktop explain: who is in memory at the peak, and why each activation has its fate.
#include "chosen_plan.h"
#include "format/explain_json.h"
#include "format/explain_text.h"
#include "values.h"

namespace worktop::cli {
namespace {

struct ExplainOptions {
  ChosenPlanOptions plan;
  Text at;
};

Result<int> run(const ExplainOptions& options, Console& console) {
  options.plan.request.output.apply(console);
  if (options.at) {
    WORKTOP_TRY([[maybe_unused]] const std::size_t moment, one_of("--at", *options.at, {"peak"}));
  }
  WORKTOP_TRY(const ReadPlan chosen, choose_plan(options.plan, console));
  WORKTOP_TRY(const advisor::ExplainAnswer answer, advisor::explain(chosen.subject, chosen.plan));
  WORKTOP_CHECK(console.answer(console.json ? format::explain_json(answer)
                                            : format::explain_text(answer, options.at.has_value())));
  return kOk;
}

}  // namespace

Action add_explain(CLI::App& app) {
  const auto options = std::make_shared<ExplainOptions>();
  options->plan.add(app);
  add_text(app, "--at", options->at, "peak", "who is there at the peak, without the reasons")
      ->group("Output");
  options->plan.request.output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
