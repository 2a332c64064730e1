#include <string>
#include <utility>

#include "advisor/asked.h"

namespace worktop::advisor {
namespace {

constexpr std::int32_t kMostPoints = 1000;

}  // namespace

base::Result<FrontierAnswer> frontier(const Subject& subject, const Question& question, std::int32_t points) {
  if (points < 2 || points > kMostPoints)
    return base::fail(base::ErrorCode::usage, "a frontier of " + std::to_string(points) + " points",
                      "--points", "give a number from 2 to " + std::to_string(kMostPoints));
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  const solver::FrontierAnswer solved = solver::frontier(asked.problem(), points, question.options);
  const Shown shown(asked, solved.keep_all);
  FrontierAnswer answer{.graph_name = subject.graph.name(),
                        .machine_name = subject.machine.name,
                        .points = {},
                        .strategies = shown.choices(solved.strategies),
                        .keep_all = shown.choice(solved.keep_all, "keep_all"),
                        .picks = {},
                        .least_possible = solved.least_possible,
                        .bound_ns = solved.bound_ns,
                        .stopped = solved.stopped};
  std::vector<report::FrontierPoint> found;
  for (const solver::Planned& planned : solved.points) {
    const bool within_budget = !question.budget || planned.device_peak() <= *question.budget;
    if (!within_budget || !within(planned.step_ns, question.time_limit)) continue;
    const std::string& made_by = planned.plan.made_by;
    const std::string number = std::to_string(found.size() + 1);
    found.push_back(point_of(made_by == "search" ? "plan(" + number + ")" : made_by, planned));
  }
  answer.points = report::non_dominated(std::move(found));
  answer.picks = report::pick(answer.points);
  return answer;
}

}  // namespace worktop::advisor
