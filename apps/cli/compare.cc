// worktop compare: every strategy, simulated, beside the plan.
#include "format/plan_answer_json.h"
#include "format/plan_answer_text.h"
#include "request.h"

namespace worktop::cli {
namespace {

base::Result<int> run(const RequestOptions& options, Console& console) {
  options.output.apply(console);
  WORKTOP_TRY(const Request request, read_request(options, console));
  WORKTOP_TRY(const advisor::CompareAnswer answer, advisor::compare(request.subject, request.question));
  WORKTOP_CHECK(console.answer(console.json ? format::compare_json(answer) : format::compare_text(answer)));
  return answer.plan.best ? kOk : kInfeasible;
}

}  // namespace

Action add_compare(CLI::App& app) {
  const auto options = std::make_shared<RequestOptions>();
  options->add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
