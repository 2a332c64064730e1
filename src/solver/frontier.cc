// The whole trade-off: one plan for each of many budgets, and what of them nothing beats.
#include <algorithm>

#include "solver/best_within.h"
#include "solver/bounds.h"
#include "solver/mincut.h"

namespace worktop::solver {
namespace {

constexpr std::int64_t kPointShare = 10;    // a point gets this part of the effort of one plan
constexpr std::int64_t kLeastUnits = 8000;  // and at least this
constexpr std::int32_t kBatch = 4;          // points between two reports of progress

// Ascending in peak, strictly falling in time.
std::vector<Planned> unbeaten(std::vector<Planned> all, plan::Budgets lower_tiers) {
  lower_tiers.device.reset();
  std::erase_if(all, [&](const Planned& p) { return !fits(p, lower_tiers); });
  std::stable_sort(all.begin(), all.end(), [](const Planned& a, const Planned& b) {
    return a.device_peak() != b.device_peak() ? a.device_peak() < b.device_peak() : a.step_ns < b.step_ns;
  });
  std::vector<Planned> points;
  for (Planned& p : all)
    if (points.empty() || p.step_ns < points.back().step_ns) points.push_back(std::move(p));
  return points;
}

}  // namespace

FrontierAnswer frontier(const Problem& problem, std::int32_t points, const Options& options) {
  Options quiet = options;
  quiet.on_progress = nullptr;
  const Starts starts(problem, options.without);
  FrontierAnswer answer{.points = {}, .strategies = starts.strategies(), .keep_all = starts.keep_all()};
  answer.bound_ns = first_runs_ns(problem);
  answer.least_possible = least_peak_bound(problem);
  const std::vector<Way> ways = ways_of(problem, starts);
  const Leanest lean = leanest_within(problem, starts, ways, answer.least_possible, quiet);
  answer.units_spent = lean.units;

  const std::int32_t n = std::max(points, 2);
  const Bytes low = lean.planned.device_peak(), high = answer.keep_all.device_peak();
  std::vector<std::optional<Planned>> found(static_cast<std::size_t>(n));
  std::vector<std::int64_t> spent(found.size(), 0);
  base::SerialExecutor serial;
  base::Executor& executor = options.executor ? *options.executor : serial;
  for (std::int32_t first = 0; first < n && !answer.stopped; first += kBatch) {
    executor.for_each(std::min(kBatch, n - first), [&](std::int32_t j) {
      const std::int32_t i = first + j;
      const auto at = static_cast<std::size_t>(i);
      Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
      const double share = static_cast<double>(i) / static_cast<double>(n - 1);
      target.budgets.device = low + Bytes{static_cast<std::int64_t>((high - low).as_double() * share)};
      Meter meter(std::max(units_of(options.effort) / kPointShare, kLeastUnits), quiet);
      found[at] = fastest_within(target, starts, ways, lean, quiet, meter).best;
      spent[at] = meter.spent();
    });
    if (options.on_progress &&
        !options.on_progress({"frontier", std::min(first + kBatch, n), n, std::nullopt}))
      answer.stopped = true;
  }

  std::vector<Planned> all = answer.strategies;
  all.push_back(lean.planned);
  for (std::size_t i = 0; i < found.size(); ++i) {
    answer.units_spent += spent[i];
    if (found[i]) all.push_back(*std::move(found[i]));
  }
  answer.points = unbeaten(std::move(all), problem.budgets);
  return answer;
}

}  // namespace worktop::solver
