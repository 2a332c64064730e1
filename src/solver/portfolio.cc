#include "solver/portfolio.h"

#include <algorithm>

#include "simulator/simulate.h"
#include "solver/best_within.h"
#include "solver/mincut.h"

namespace worktop::solver {

std::int64_t units_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return 100'000;
    case Effort::normal:
      return 1'000'000;
    case Effort::deep:
      return 15'000'000;
  }
  return 0;
}

bool fits(const Planned& planned, const plan::Budgets& budgets) {
  return within(planned.peak[0], budgets.device) && within(planned.peak[1], budgets.host) &&
         within(planned.peak[2], budgets.disk);
}

Planned predict(const Problem& problem, plan::Plan plan) {
  const simulator::Timeline timeline =
      simulator::simulate(problem.graph, problem.machine, problem.durations, plan);
  Bytes moved{0};
  for (const simulator::Copy& copy : timeline.copies) moved += problem.graph.value(copy.value).bytes;
  return {.plan = std::move(plan),
          .peak = timeline.peak,
          .step_ns = timeline.step_ns,
          .recompute_ns = timeline.recompute_ns,
          .link_busy_ns = timeline.link_busy_ns,
          .stalled_ns = timeline.stalled_ns,
          .moved = saturating_mul(moved, problem.graph.micro_steps())};
}

Answer fastest(const Problem& problem, const Options& options) {
  Meter meter(units_of(options.effort), options);
  const Starts starts(problem, options.without);
  Answer answer{.strategies = starts.strategies(), .keep_all = starts.keep_all()};
  answer.least_possible = least_peak_bound(problem);
  const std::vector<Way> ways = ways_of(problem, starts);
  Leanest lean = leanest_within(problem, starts, ways, answer.least_possible, options);
  Fastest found = fastest_within(problem, starts, ways, lean, options, meter);
  answer.leanest = std::move(lean.planned);
  answer.best = std::move(found.best);
  answer.bound_ns = found.bound_ns;
  const bool leanest_is_better =
      fits(answer.leanest, problem.budgets) && (!answer.best || better(answer.leanest, *answer.best));
  if (leanest_is_better) answer.best = answer.leanest;
  if (answer.best && answer.best->device_peak() < answer.leanest.device_peak()) answer.leanest = *answer.best;
  answer.units_spent = meter.spent() + lean.units;
  answer.stopped = meter.stopped();
  return answer;
}

Answer leanest(const Problem& problem, base::Limit<Nanoseconds> time_limit, const Options& options) {
  Options quick = options;
  quick.effort = Effort::quick;
  Answer answer = fastest(problem, options);
  const auto keeps = [&](const Planned& p) {
    return within(p.step_ns, time_limit) && fits(p, problem.budgets);
  };
  std::optional<Planned> best;
  const auto consider = [&](const Planned& p) {
    if (keeps(p) && (!best || p.device_peak() < best->device_peak())) best = p;
  };
  consider(answer.leanest);
  for (const Planned& p : answer.strategies) consider(p);
  if (answer.best) consider(*answer.best);
  if (!best) {
    answer.best.reset();
    return answer;
  }
  // Ever smaller budgets, as long as the plan is in time. Time falls with the budget, so halving finds the
  // edge.
  Bytes low = answer.leanest.device_peak(), high = best->device_peak();
  for (std::int32_t i = 0; i < 10 && low < high && !answer.stopped; ++i) {
    Problem target{problem.graph, problem.machine, problem.durations, problem.budgets};
    target.budgets.device = low + (high - low) / 2;
    const Answer at = fastest(target, quick);
    answer.units_spent += at.units_spent;
    answer.stopped = at.stopped;
    if (at.best && keeps(*at.best)) {
      consider(*at.best);
      high = std::min(at.best->device_peak(), *target.budgets.device);
    } else {
      low = *target.budgets.device + Bytes{1};
    }
  }
  answer.best = best;
  return answer;
}

}  // namespace worktop::solver
