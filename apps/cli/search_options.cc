#include "search_options.h"

#include "format/sizes.h"
#include "values.h"

namespace worktop::cli {
namespace {

constexpr std::int64_t kMostThreads = 256;

Result<advisor::Lambda> read_lambda(const std::string& text) {
  WORKTOP_TRY(const std::vector<double> shares, numbers("--lambda", text, 0, 1));
  if (shares.size() == 1) return advisor::Lambda{shares[0], 1 - shares[0], 1 - shares[0]};
  if (shares.size() == 3) return advisor::Lambda{shares[0], shares[1], shares[2]};
  return base::fail(base::ErrorCode::usage, "lambda is one number or three", "--lambda",
                    "write M, which means M,1-M,1-M; or M,C,T");
}

}  // namespace

void SearchOptions::add(CLI::App& app, bool with_goal) {
  const std::string group = "Search";
  if (with_goal) {
    add_text(app, "--time-limit", time_limit, "TIME", "of a step, such as 900ms (none)")->group(group);
    add_text(app, "--minimize", minimize, "GOAL", "time, peak or cost (time)")->group(group);
    add_text(app, "--lambda", lambda, "M[,C,T]", "cost: a GB, a s of recompute, of copies (0.5)")
        ->group(group);
  }
  add_text(app, "--effort", effort, "LEVEL", "quick, normal or deep (normal)")->group(group);
  add_text(app, "--seed", seed, "N", "of the search; the same gives the same plan (0)")->group(group);
  add_text(app, "--threads", threads, "N", "never change the answer (all cores)")->group(group);
}

base::Result<advisor::Question> SearchOptions::question() const {
  advisor::Question question;
  if (time_limit) {
    WORKTOP_TRY(question.time_limit, at("--time-limit", format::parse_duration(*time_limit)));
  }
  if (minimize) {
    WORKTOP_TRY(const std::size_t goal, one_of("--minimize", *minimize, {"time", "peak", "cost"}));
    question.minimize = static_cast<advisor::Minimize>(goal);
  }
  if (lambda) {
    WORKTOP_TRY(question.lambda, read_lambda(*lambda));
    if (question.minimize != advisor::Minimize::cost)
      return base::fail(base::ErrorCode::usage, "lambda is for the least cost alone", "--lambda",
                        "add --minimize cost");
  }
  if (effort) {
    WORKTOP_TRY(const std::size_t level, one_of("--effort", *effort, {"quick", "normal", "deep"}));
    question.options.effort = static_cast<solver::Effort>(level);
  }
  if (seed) {
    WORKTOP_TRY(const std::int64_t number, whole("--seed", *seed, 0, INT64_MAX));
    question.options.seed = static_cast<std::uint64_t>(number);
  }
  return question;
}

base::Result<std::unique_ptr<ThreadPool>> SearchOptions::attach(advisor::Question& question,
                                                                Console& console) const {
  std::int64_t count = hardware_threads();
  if (threads) {
    WORKTOP_TRY(count, whole("--threads", *threads, 1, kMostThreads));
  }
  auto pool = std::make_unique<ThreadPool>(static_cast<std::int32_t>(count));
  question.options.executor = pool.get();
  question.options.on_progress = [&console](const solver::Progress& progress) {
    console.progress(progress);
    return !interrupted();
  };
  watch_interrupts();
  return pool;
}

}  // namespace worktop::cli
