#include "advisor/trade_off.h"

#include <algorithm>
#include <array>
#include <utility>

#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using solver::Planned;

constexpr std::int32_t kMostPoints = 100;

// "0.5", "2", "0.125": thousandths, as strategies are called.
std::string thousandths(double amount) {
  const auto permille = static_cast<std::int64_t>(std::clamp(amount, 0.0, 1e5) * 1000 + 0.5);
  std::string text = std::to_string(permille / 1000);
  if (permille % 1000 == 0) return text;
  std::string digits = std::to_string(1000 + permille % 1000).substr(1);
  while (digits.back() == '0') digits.pop_back();
  return text + "." + digits;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Standard strategies and one's own, each once; names as their policies are called.
base::Result<std::vector<Planned>> all_strategies(const Subject& subject, const Parameters& parameters,
                                                  const solver::FrontierAnswer& solved) {
  std::vector<Planned> all = solved.strategies;
  for (const std::string& name : own_strategies(subject, parameters)) {
    WORKTOP_TRY(Planned planned, play_strategy(subject, name));
    const bool known = std::ranges::any_of(
        all, [&](const Planned& other) { return other.plan.made_by == planned.plan.made_by; });
    if (!known) all.push_back(std::move(planned));
  }
  return all;
}

std::vector<const PlanView*> everyone(const TradeOff& answer) {
  std::vector<const PlanView*> all;
  for (const PlanView& view : answer.points) all.push_back(&view);
  for (const PlanView& view : answer.strategies)
    if (!view.on_frontier) all.push_back(&view);
  return all;
}

report::Axis axis(const TradeOff& answer, const TradeOffQuestion& question, double time_weight,
                  Nanoseconds bound, bool limited, Nanoseconds (*ns)(const Planned&)) {
  std::vector<report::Spot> spots;
  for (const PlanView* view : everyone(answer))
    spots.push_back({.name = view->name,
                     .at = {view->choice.planned.device_peak(), ns(view->choice.planned)},
                     .competes = view->competes,
                     .fits = view->choice.fits,
                     .essential = view->on_frontier});
  return report::axis_of(spots, {.memory_weight = question.question.lambda.memory,
                                 .time_weight = time_weight,
                                 .least_possible = answer.least_possible,
                                 .bound_ns = bound,
                                 .memory_limit = answer.budget.budget,
                                 .time_limit = limited ? answer.time_limit : std::nullopt});
}

void draw_axes(TradeOff& answer, const TradeOffQuestion& question) {
  const Lambda& lambda = question.question.lambda;
  answer.step_time = axis(answer, question, std::max(0.0, 1 - lambda.memory), answer.bound_ns, true,
                          [](const Planned& p) { return p.step_ns; });
  answer.extra_compute = axis(answer, question, lambda.compute, Nanoseconds{0}, false,
                              [](const Planned& p) { return p.recompute_ns; });
  answer.extra_transfer = axis(answer, question, lambda.transfer, Nanoseconds{0}, false,
                               [](const Planned& p) { return p.link_busy_ns; });
}

std::optional<std::string> fastest_that_fits(const TradeOff& answer) {
  const PlanView* best = nullptr;
  for (const PlanView* view : everyone(answer))
    if (view->choice.fits && (!best || view->choice.planned.step_ns < best->choice.planned.step_ns))
      best = view;
  return best ? std::optional(best->name) : std::nullopt;
}

}  // namespace

base::Result<solver::FrontierAnswer> solve_frontier(const Subject& subject, const solver::Options& options,
                                                    std::int32_t points) {
  if (points < 2 || points > kMostPoints)
    return base::fail(base::ErrorCode::usage, "a frontier of " + std::to_string(points) + " points", "points",
                      "give a number from 2 to " + std::to_string(kMostPoints));
  const Question question{.options = options};
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  return solver::frontier(asked.problem(), points, options);
}

std::vector<std::string> own_strategies(const Subject& subject, const Parameters& parameters) {
  const std::string segments = std::to_string(
      std::clamp<std::int64_t>(parameters.segments.value_or(solver::usual_segments(subject.graph)), 1,
                               solver::layer_count(subject.graph)));
  std::vector<std::string> names = {"checkpoint(" + segments + ")"};
  const bool lower =
      subject.machine.has_tier(machine::Tier::host) || subject.machine.has_tier(machine::Tier::disk);
  if (lower) names.push_back("hybrid(" + thousandths(std::min(1.0, parameters.beta)) + "," + segments + ")");
  names.push_back("ratio(" + thousandths(parameters.threshold) + ")");
  return names;
}

std::string name_of_point(const solver::FrontierAnswer& solved, std::size_t index) {
  const std::string& made_by = solved.points[index].plan.made_by;
  return made_by == "search" ? "plan(" + std::to_string(index + 1) + ")" : made_by;
}

const Planned* point_named(const solver::FrontierAnswer& solved, const std::string& name) {
  for (std::size_t i = 0; i < solved.points.size(); ++i)
    if (name_of_point(solved, i) == name) return &solved.points[i];
  return nullptr;
}

base::Result<TradeOff> trade_off(const Subject& subject, const TradeOffQuestion& question,
                                 const solver::FrontierAnswer& solved) {
  WORKTOP_TRY(const Asked asked, ask(subject, question.question));
  WORKTOP_TRY(const std::vector<Planned> strategies, all_strategies(subject, question.parameters, solved));
  const Viewer viewer(asked, solved.keep_all, solved.bound_ns);
  const auto competes = [&](const std::string& family) {
    return !question.compete || family == "plan" || has(*question.compete, family);
  };
  TradeOff answer{.graph_name = subject.graph.name(),
                  .machine_name = subject.machine.name,
                  .budget = asked.line,
                  .time_limit = question.question.time_limit,
                  .keep_all = viewer.view(solved.keep_all, "keep_all", {WhichKind::strategy, "keep_all"}),
                  .least_possible = solved.least_possible,
                  .bound_ns = solved.bound_ns,
                  .stopped = solved.stopped};
  std::vector<std::string> names;
  std::vector<report::FrontierPoint> seen;
  for (std::size_t i = 0; i < solved.points.size(); ++i) {
    const std::string name = name_of_point(solved, i);
    const Planned& planned = solved.points[i];
    const bool search = planned.plan.made_by == "search";
    answer.points.push_back(
        viewer.view(planned, name,
                    search ? Which{WhichKind::point, name, question.points, question.question.options.effort}
                           : Which{WhichKind::strategy, name}));
    names.push_back(name);
    seen.push_back(point_of(name, planned));
  }
  answer.picks = report::pick(seen);
  const auto priced = report::non_dominated(std::move(seen));
  for (PlanView& view : answer.points) {
    view.on_frontier = true;
    view.competes = competes(view.family);
    const auto point = std::ranges::find(priced, view.name, &report::FrontierPoint::name);
    if (point != priced.end()) view.price_per_gib = point->price_per_gib;
  }
  for (const Planned& planned : strategies) {
    const std::string& name = planned.plan.made_by;
    PlanView view = viewer.view(planned, name, {WhichKind::strategy, name});
    view.on_frontier = has(names, name);
    view.competes = competes(view.family);
    answer.strategies.push_back(std::move(view));
  }
  answer.keep_all.competes = competes("keep_all");
  answer.keep_all.on_frontier = has(names, "keep_all");
  answer.chosen = fastest_that_fits(answer);
  draw_axes(answer, question);
  return answer;
}

}  // namespace worktop::advisor
