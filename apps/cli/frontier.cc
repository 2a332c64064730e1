// worktop frontier: the plans that no other plan beats in both memory and time.
#include "format/frontier_json.h"
#include "format/frontier_text.h"
#include "request.h"
#include "values.h"

namespace worktop::cli {
namespace {

constexpr std::int32_t kPoints = 20;
constexpr std::int64_t kMostPoints = 1000;

struct FrontierOptions {
  RequestOptions request;
  Text points;
};

Result<int> run(const FrontierOptions& options, Console& console) {
  options.request.output.apply(console);
  std::int64_t points = kPoints;
  if (options.points) {
    WORKTOP_TRY(points, whole("--points", *options.points, 2, kMostPoints));
  }
  WORKTOP_TRY(const Request request, read_request(options.request, console));
  WORKTOP_TRY(const advisor::FrontierAnswer answer,
              advisor::frontier(request.subject, request.question, static_cast<std::int32_t>(points)));
  WORKTOP_CHECK(console.answer(console.json ? format::frontier_json(answer) : format::frontier_text(answer)));
  return kOk;
}

}  // namespace

Action add_frontier(CLI::App& app) {
  const auto options = std::make_shared<FrontierOptions>();
  options->request.add(app, false);
  add_text(app, "--points", options->points, "N", "budgets that are planned (20)")->group("Search");
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
