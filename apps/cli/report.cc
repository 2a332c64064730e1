// worktop report: the page with a plan inside, its timeline, and what was measured of it.
#include "chosen_plan.h"
#include "files.h"
#include "format/plan_json.h"
#include "format/report_json.h"
#include "page_text.h"
#include "values.h"

namespace worktop::cli {
namespace {

constexpr const char* kOut = "report.html";

struct ReportOptions {
  ChosenPlanOptions plan;
  Text out, measured;
};

// Checked here, so that a page that cannot show it is never written.
base::Result<format::NamedText> read_measured(const std::string& path) {
  WORKTOP_TRY(std::string text, read_file(path));
  WORKTOP_TRY(const format::OpenedFile file, in_file(path, format::open_file(path, text)));
  if (file.kind != format::FileKind::measurements)
    return base::fail(base::ErrorCode::input, "this is not what 'worktop check --json' writes", path,
                      "give a file that it has written");
  return format::NamedText{"measured.json", std::move(text)};
}

base::Result<format::Report> make_report(const ReportOptions& options, Console& console) {
  std::optional<format::NamedText> measured;
  if (options.measured) {
    WORKTOP_TRY(measured, read_measured(*options.measured));
  }
  WORKTOP_TRY(const ReadPlan chosen, choose_plan(options.plan, console));
  const advisor::Subject& subject = chosen.subject;
  format::Report report{.title = subject.graph.name(), .memory_limit = {}, .time_limit = {}, .files = {}};
  WORKTOP_TRY(report.memory_limit, options.plan.request.machine.device_budget(subject.machine));
  WORKTOP_TRY(const advisor::Question question, options.plan.request.search.question());
  report.time_limit = question.time_limit;
  report.files.push_back({"plan.json", format::write_plan_file(chosen.plan, subject.graph, subject.machine,
                                                               {.durations = &subject.durations})});
  if (measured) report.files.push_back(*std::move(measured));
  return report;
}

base::Result<int> run(const ReportOptions& options, Console& console) {
  options.plan.request.output.apply(console);
  WORKTOP_TRY([[maybe_unused]] const std::string_view page_is_there, page_text());
  WORKTOP_TRY(const format::Report report, make_report(options, console));
  WORKTOP_TRY(const std::string page, page_with(format::report_json(report)));
  const std::string path = options.out.value_or(kOut);
  WORKTOP_CHECK(write_file(path, page));
  WORKTOP_CHECK(console.answer(console.json ? format::written_json(path, page.size())
                                            : "Written: " + path + ", to be opened in a browser.\n"));
  return kOk;
}

}  // namespace

Action add_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  options->plan.add(app);
  add_text(app, "--measured", options->measured, "FILE", "what worktop check --json wrote, shown beside it")
      ->group("Output");
  add_text(app, "--out", options->out, "FILE", "write the page there (report.html)")->group("Output");
  options->plan.request.output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
