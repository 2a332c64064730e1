// worktop plan: the fastest plan within a budget (or the leanest, or the cheapest), beside the known
// strategies.
#include "as_strategy.h"
#include "files.h"
#include "format/plan_answer_json.h"
#include "format/plan_answer_text.h"
#include "format/plan_json.h"
#include "highs/highs.h"
#include "request.h"
#include "solver/milp.h"
#include "values.h"

namespace worktop::cli {
namespace {

using advisor::Grow;

struct PlanOptions {
  RequestOptions request;
  Text grow, out, as, certify;

  void add(CLI::App& app) {
    request.model.add(app, "a known name, a config.json, or a step graph");
    request.machine.add(app);
    request.search.add(app);
    add_text(app, "--max", grow, "batch|seq", "find the largest that fits, and its plan")->group("Search");
    add_text(app, "--as", as, "STRATEGY", "show this one, such as checkpoint(8), as the plan")
        ->group("Search");
    add_text(app, "--certify", certify, "SECONDS", "lets HiGHS say how far from optimal, for so long")
        ->group("Search");
    add_text(app, "--out", out, "FILE", "write the plan there, with its graph and machine")->group("Output");
    request.output.add(app);
  }
};

// What was asked about in the end, and its answer.
struct Planned {
  advisor::Subject subject;
  advisor::PlanAnswer answer;
  std::optional<format::Largest> largest;
};

// The subject with another batch or sequence.
Result<advisor::Subject> grown(const advisor::Subject& subject, Grow grow, std::int64_t size) {
  model::Settings settings = *subject.settings;
  (grow == Grow::batch ? settings.batch : settings.sequence) = size;
  return advisor::subject(*subject.decoder, settings, subject.machine);
}

// Where not even 1 fits, the answer says so for 1.
Result<Planned> plan_largest(Request request, const std::string& what) {
  WORKTOP_TRY(const std::size_t choice, one_of("--max", what, {"batch", "seq"}));
  const Grow grow = choice == 0 ? Grow::batch : Grow::sequence;
  if (!request.subject.decoder)
    return base::fail(base::ErrorCode::usage, "only a model can grow", "--max",
                      "a step graph has a fixed batch");
  WORKTOP_TRY(advisor::LargestAnswer found,
              advisor::largest(*request.subject.decoder, *request.subject.settings, request.subject.machine,
                               request.question, grow));
  WORKTOP_TRY(advisor::Subject subject,
              grown(request.subject, grow, std::max<std::int64_t>(1, found.largest)));
  if (!found.plan) {
    WORKTOP_TRY(found.plan, advisor::plan(subject, request.question));
  }
  return Planned{std::move(subject), *std::move(found.plan),
                 format::Largest{choice == 0 ? "batch" : "seq", found.largest}};
}

// HiGHS, and the certifier that asks it.
struct Certifying {
  std::unique_ptr<solver::LinearSolver> solver;
  std::optional<solver::MilpCertifier> certifier;
};

// Hands the certifier to the question, if that is asked for.
base::Status certify(const PlanOptions& options, Request& request, Certifying& certifying) {
  if (!options.certify) return {};
  const auto refused = [](const char* what, const char* hint) {
    return base::fail(base::ErrorCode::usage, what, "--certify", hint);
  };
  if (options.grow || options.as)
    return refused("it certifies one plan that was searched", "leave out --max and --as");
  if (request.question.minimize != advisor::Minimize::time)
    return refused("it certifies the least time alone", "leave out --minimize");
  if (request.subject.machine.host_bytes || request.subject.machine.disk_bytes)
    return refused("it certifies plans that copy nothing", "leave out --host and --disk");
  WORKTOP_TRY(const double seconds, number("--certify", *options.certify, 0.001, 1e6));
  certifying.solver = highs::make_solver();
  if (!certifying.solver)
    return base::fail(base::ErrorCode::environment, "this build has no HiGHS", "--certify",
                      "run tools/setup, configure with -DWORKTOP_MILP=ON and build again");
  request.question.certifier = &certifying.certifier.emplace(*certifying.solver, seconds);
  return {};
}

Result<Planned> answer_of(const PlanOptions& options, Request request) {
  if (options.grow) return plan_largest(std::move(request), *options.grow);
  WORKTOP_TRY(advisor::PlanAnswer answer, options.as ? plan_answer_as(request, *options.as)
                                                     : advisor::plan(request.subject, request.question));
  return Planned{std::move(request.subject), std::move(answer), std::nullopt};
}

base::Status write_plan(const Planned& planned, const std::string& path, Console& console) {
  WORKTOP_CHECK(write_file(
      path, format::write_plan_file(planned.answer.best->planned.plan, planned.subject.graph,
                                    planned.subject.machine, {.durations = &planned.subject.durations})));
  console.note("Written: " + path);
  return {};
}

Result<int> run(const PlanOptions& options, Console& console) {
  options.request.output.apply(console);
  if (options.grow && options.as)
    return base::fail(base::ErrorCode::usage, "--max and --as don't go together", "--as",
                      "leave one of them out");
  WORKTOP_TRY(Request request, read_request(options.request, console));
  Certifying certifying;
  WORKTOP_CHECK(certify(options, request, certifying));
  const std::unique_ptr<ThreadPool> pool = std::move(request.pool);  // outlives the search
  WORKTOP_TRY(const Planned planned, answer_of(options, std::move(request)));
  const advisor::PlanAnswer& answer = planned.answer;
  console.detail(std::to_string(answer.units_spent) + " units of effort");
  if (options.out && answer.best) WORKTOP_CHECK(write_plan(planned, *options.out, console));
  if (options.out && !answer.best)
    console.note("Nothing fits, so that nothing was written to " + *options.out);
  WORKTOP_CHECK(console.answer(console.json
                                   ? format::plan_answer_json(planned.subject, answer, planned.largest)
                                   : format::plan_answer_text(answer, planned.largest)));
  return answer.best && answer.best->fits ? kOk : kInfeasible;
}

}  // namespace

Action add_plan(CLI::App& app) {
  const auto options = std::make_shared<PlanOptions>();
  options->add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
