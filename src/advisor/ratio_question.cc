#include "advisor/ratio_question.h"

#include <algorithm>
#include <utility>

#include "cost/benefit_ratio.h"
#include "plan/lower.h"
#include "report/alike.h"
#include "solver/bounds.h"
#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using graph::Graph;
using graph::OpId;
using graph::Phase;
using graph::ValueId;
using plan::Fate;
using solver::Planned;

constexpr std::size_t kMostThresholds = 48;
constexpr double kUsualThreshold = cost::kDefaultThreshold;

// A forward op with something to decide.
struct Candidate {
  OpId op;
  ValueId value;  // its first decidable output
  Bytes bytes;
  Nanoseconds ns{0};
  double ratio = 0;
};

struct Candidates {
  std::vector<Candidate> list;
  double average = 0;
};

base::Result<Candidates> candidates_of(const Subject& subject) {
  const Graph& graph = subject.graph;
  Candidates all;
  std::vector<cost::LayerBenefit> benefits;
  double bytes = 0, ns = 0;
  for (const OpId op : base::ids<OpId>(graph.op_count())) {
    if (graph.op(op).phase != Phase::forward) break;
    Candidate candidate{.op = op, .value = {}, .ns = std::max(Nanoseconds{1}, subject.durations[op])};
    for (const graph::Output& out : graph.writes(op)) {
      if (!graph.decidable(out.value)) continue;
      if (!candidate.value.exists()) candidate.value = out.value;
      candidate.bytes += graph.value(out.value).bytes;
    }
    if (candidate.bytes <= Bytes{0}) continue;
    benefits.push_back({candidate.bytes, candidate.ns});
    bytes += candidate.bytes.as_double();
    ns += candidate.ns.as_double();
    all.list.push_back(candidate);
  }
  WORKTOP_TRY(const std::vector<double> ratios, cost::benefit_ratios(benefits));
  for (std::size_t i = 0; i < ratios.size(); ++i) all.list[i].ratio = ratios[i];
  all.average = ns > 0 ? bytes / ns : 0;
  return all;
}

std::int32_t permille_above(double ratio) {
  const double permille = ratio * 1000;
  const auto whole = static_cast<std::int64_t>(std::min(permille, 1e9));
  return static_cast<std::int32_t>(static_cast<double>(whole) < permille ? whole + 1 : whole);
}

base::Result<Planned> play_rule(const Subject& subject, std::int32_t permille) {
  const plan::Policy policy = solver::ratio(subject.graph, subject.durations, permille);
  WORKTOP_TRY(plan::Plan plan, plan::lower(subject.graph, subject.machine, policy, subject.durations.op));
  return solver::predict({subject.graph, subject.machine, subject.durations, {}}, std::move(plan));
}

RatioRow single_row(const Subject& subject, const Candidate& candidate, double threshold,
                    const plan::Plan* solver) {
  const Graph& graph = subject.graph;
  const graph::Op& op = graph.op(candidate.op);
  RatioRow row{.label = op.name,
               .op_kind = op.kind,
               .block = op.block.exists() ? graph.block(op.block).name : std::string(),
               .bytes = candidate.bytes,
               .recompute_ns = candidate.ns,
               .ratio = candidate.ratio,
               .rule_recomputes = cost::worth_recomputing(candidate.ratio, threshold),
               .solver_fate = std::nullopt,
               .members = {}};
  row.rule_recomputed = row.rule_recomputes ? 1 : 0;
  if (solver) {
    row.solver_fate = solver->fates[candidate.value];
    row.solver_recomputed = row.solver_fate == Fate::recompute ? 1 : 0;
    row.differs = row.rule_recomputed != row.solver_recomputed;
  }
  return row;
}

void add_member(RatioRow& group, RatioRow member) {
  const bool first = group.members.empty();
  group.count = first ? 1 : group.count + 1;
  group.bytes += member.bytes;
  group.recompute_ns += member.recompute_ns;
  group.rule_recomputed += member.rule_recomputed;
  group.solver_recomputed += member.solver_recomputed;
  if (first)
    group.solver_fate = member.solver_fate;
  else if (group.solver_fate != member.solver_fate)
    group.solver_fate.reset();
  group.differs = group.differs || member.differs;
  group.members.push_back(std::move(member));
}

std::vector<RatioRow> grouped(const Subject& subject, const Candidates& candidates, double threshold,
                              const plan::Plan* solver) {
  std::vector<RatioRow> groups;
  for (const Candidate& candidate : candidates.list) {
    const std::string label = report::alike_name(subject.graph, candidate.value);
    RatioRow member = single_row(subject, candidate, threshold, solver);
    auto group = std::ranges::find_if(
        groups, [&](const RatioRow& row) { return row.label == label && row.op_kind == member.op_kind; });
    if (group == groups.end()) {
      groups.push_back(
          {.label = label, .op_kind = member.op_kind, .block = {}, .solver_fate = {}, .members = {}});
      group = groups.end() - 1;
    }
    add_member(*group, std::move(member));
  }
  for (RatioRow& group : groups) {
    group.ratio = group.bytes.as_double() / group.recompute_ns.as_double() / candidates.average;
    group.rule_recomputes = group.rule_recomputed * 2 > group.count;
    if (group.members.size() > 1) continue;
    group.block = group.members[0].block;
    group.members.clear();
  }
  return groups;
}

// What dishes are called, where a label is one op of its block: "cook" tells nobody anything.
void name_dishes(std::vector<RatioRow>& rows) {
  if (rows.size() != 1 || rows[0].members.size() < 2 || rows[0].op_kind != "cook") return;
  const auto& members = rows[0].members;
  const bool all_equal =
      std::ranges::all_of(members, [&](const RatioRow& row) { return row.ratio == members[0].ratio; });
  if (all_equal) return;
  std::vector<RatioRow> dishes = std::move(rows[0].members);
  for (RatioRow& dish : dishes) dish.label = dish.block;
  rows = std::move(dishes);
}

bool better(const RatioCurvePoint& a, const RatioCurvePoint& b) {
  return a.step_ns != b.step_ns ? a.step_ns < b.step_ns : a.peak < b.peak;
}

double distance(double from, std::optional<double> to) {
  if (kUsualThreshold < from) return from - kUsualThreshold;
  return to && *to <= kUsualThreshold ? kUsualThreshold - *to : 0;
}

// Fastest of those that fit, then leanest; of equals the one nearest to 2.
std::optional<BestThreshold> best_of(const std::vector<RatioCurvePoint>& curve) {
  std::optional<BestThreshold> best;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (!curve[i].fits) continue;
    BestThreshold here{.threshold = kUsualThreshold, .from = curve[i].threshold, .to = {}, .at = curve[i]};
    if (i + 1 < curve.size()) here.to = curve[i + 1].threshold;
    if (here.from > kUsualThreshold || (here.to && *here.to <= kUsualThreshold)) here.threshold = here.from;
    const bool equal = best && !better(curve[i], best->at) && !better(best->at, curve[i]);
    if (!best || better(curve[i], best->at) ||
        (equal && distance(here.from, here.to) < distance(best->from, best->to)))
      best = here;
  }
  return best;
}

}  // namespace

base::Result<std::vector<Planned>> plans_over_threshold(const Subject& subject,
                                                        std::vector<double>& thresholds) {
  WORKTOP_TRY(const Candidates candidates, candidates_of(subject));
  std::vector<std::int32_t> places = {0};
  for (const Candidate& candidate : candidates.list) places.push_back(permille_above(candidate.ratio));
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<Planned> plans;
  thresholds.clear();
  const std::size_t count = std::min(places.size(), kMostThresholds);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count < 2 ? 0 : i * (places.size() - 1) / (count - 1);
    WORKTOP_TRY(Planned planned, play_rule(subject, places[at]));
    plans.push_back(std::move(planned));
    thresholds.push_back(places[at] / 1000.0);
  }
  return plans;
}

base::Result<RatioAnswer> ratio_question(const Subject& subject, const Question& question, double threshold,
                                         const PlanAnswer& best, const std::vector<double>& thresholds,
                                         const std::vector<Planned>& plans) {
  if (!(threshold >= 0 && threshold <= 1e5))
    return base::fail(base::ErrorCode::usage, "the threshold is no number from 0 to 100000", "threshold",
                      "give a number such as 2");
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  WORKTOP_TRY(const Candidates candidates, candidates_of(subject));
  const Viewer viewer(asked, best.keep_all.planned, best.bound_ns);
  WORKTOP_TRY(const Planned rule, play_rule(subject, permille_above(threshold)));
  RatioAnswer answer{
      .graph_name = subject.graph.name(),
      .machine_name = subject.machine.name,
      .average_bytes_per_ns = candidates.average,
      .threshold = threshold,
      .rows = grouped(subject, candidates, threshold, best.best ? &best.best->planned.plan : nullptr),
      .rule = viewer.view(rule, rule.plan.made_by, {WhichKind::strategy, rule.plan.made_by}),
      .keep_all_peak = best.keep_all.planned.device_peak(),
      .keep_all_step = best.keep_all.planned.step_ns,
      .budget = asked.line};
  name_dishes(answer.rows);
  for (const Candidate& candidate : candidates.list) {
    if (!cost::worth_recomputing(candidate.ratio, threshold)) continue;
    ++answer.recomputed_values;
    answer.recomputed_bytes += candidate.bytes;
  }
  for (const RatioRow& row : answer.rows) answer.recomputed_rows += row.rule_recomputes ? 1 : 0;
  for (std::size_t i = 0; i < plans.size(); ++i)
    answer.curve.push_back({.threshold = thresholds[i],
                            .peak = plans[i].device_peak(),
                            .step_ns = plans[i].step_ns,
                            .recompute_ns = plans[i].recompute_ns,
                            .fits = asked.fits(plans[i])});
  answer.best = best_of(answer.curve);
  answer.is_best = answer.best && asked.fits(rule) && rule.step_ns == answer.best->at.step_ns &&
                   rule.device_peak() == answer.best->at.peak;
  if (best.best)
    answer.solver = viewer.view(best.best->planned, best.best->name,
                                {.kind = WhichKind::best, .effort = question.options.effort});
  return answer;
}

}  // namespace worktop::advisor
