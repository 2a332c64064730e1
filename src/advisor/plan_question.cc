#include <algorithm>
#include <string>
#include <utility>

#include "advisor/asked.h"
#include "advisor/changes.h"

namespace worktop::advisor {
namespace {

using solver::Planned;

constexpr std::int32_t kCostPoints = 12;  // of the frontier that a least cost is looked for on

// The certificate, and the best of both.
std::optional<Certified> certify(const Asked& asked, solver::Answer& solved) {
  const Question& question = asked.question;
  if (question.certifier == nullptr || question.minimize != Minimize::time) return std::nullopt;
  solver::Certificate certificate =
      question.certifier->certify(asked.problem(), solved.best, solved.bound_ns);
  if (certificate.best && asked.fits(*certificate.best)) solved.best = std::move(certificate.best);
  return Certified{.optimal = certificate.optimal,
                   .infeasible = certificate.infeasible,
                   .too_large = certificate.too_large,
                   .bound_ns = certificate.bound_ns};
}

solver::Answer solve(const Asked& asked) {
  const solver::Problem problem = asked.problem();
  const Question& question = asked.question;
  if (question.minimize == Minimize::peak)
    return solver::leanest(problem, question.time_limit, question.options);
  solver::Answer answer = solver::fastest(problem, question.options);
  if (question.minimize == Minimize::time) {
    if (answer.best && !asked.fits(*answer.best)) answer.best.reset();
    return answer;
  }
  std::vector<Planned> candidates = answer.strategies;
  candidates.push_back(answer.keep_all);
  candidates.push_back(answer.leanest);
  if (answer.best) candidates.push_back(*answer.best);
  if (!answer.stopped) {
    solver::FrontierAnswer frontier = solver::frontier(problem, kCostPoints, question.options);
    for (Planned& point : frontier.points) candidates.push_back(std::move(point));
    answer.units_spent += frontier.units_spent;
    answer.stopped = frontier.stopped;
  }
  answer.best = cheapest(asked, candidates);
  return answer;
}

// The slope from the best plan to the next one with more memory that is faster: of the strategies, and of a
// quick plan with a sixteenth more of what lies between the leanest plan and keep-all.
std::optional<Nanoseconds> price_of_memory(const Asked& asked, const solver::Answer& answer) {
  const Planned& best = *answer.best;
  if (best.step_ns <= answer.keep_all.step_ns) return std::nullopt;
  std::vector<report::FrontierPoint> beyond;
  const auto consider = [&](const Planned& p) {
    plan::Budgets lower_tiers = asked.budgets;
    lower_tiers.device.reset();
    if (solver::fits(p, lower_tiers) && p.device_peak() > best.device_peak() && p.step_ns < best.step_ns)
      beyond.push_back(point_of(p.plan.made_by, p));
  };
  for (const Planned& strategy : answer.strategies) consider(strategy);
  if (!answer.stopped) {
    const Bytes range = answer.keep_all.device_peak() - answer.leanest.device_peak();
    solver::Problem neighbour = asked.problem();
    neighbour.budgets.device = best.device_peak() + std::max(Bytes{1}, range / 16);
    const solver::Answer found =
        solver::fastest(neighbour, {.effort = solver::Effort::quick, .seed = asked.question.options.seed});
    if (found.best) consider(*found.best);
  }
  const auto next = report::non_dominated(std::move(beyond));
  if (next.empty()) return std::nullopt;
  return report::price_per_gib(point_of("plan", best), next.front());
}

report::Picks picks_among(const PlanAnswer& answer) {
  std::vector<report::FrontierPoint> points;
  for (const Choice& choice : answer.strategies)
    if (choice.fits) points.push_back(point_of(choice.name, choice.planned));
  if (answer.best) points.push_back(point_of(answer.best->name, answer.best->planned));
  return report::pick(points);
}

void say_who_is_there(const Asked& asked, const Planned& planned, PlanAnswer& answer) {
  const Subject& subject = asked.subject;
  const plan::MemoryProfile memory = plan::measure_memory(subject.graph, subject.machine, planned.plan);
  answer.residents = memory.residents;
  answer.peak_op = name_of_moment(subject.graph, memory.peak_moment);
  answer.at_peak = report::residents_at_peak(subject.graph, planned.plan, memory);
  answer.attack = report::attacks(memory.residents, subject.settings);
}

}  // namespace

base::Result<PlanAnswer> plan(const Subject& subject, const Question& question) {
  WORKTOP_TRY(const Asked asked, ask(subject, question));
  solver::Answer solved = solve(asked);
  const std::optional<Certified> certified = certify(asked, solved);
  const Shown shown(asked, solved.keep_all);
  PlanAnswer answer{.graph_name = subject.graph.name(),
                    .machine_name = subject.machine.name,
                    .budget = asked.line,
                    .host = subject.machine.host_bytes,
                    .disk = subject.machine.disk_bytes,
                    .time_limit = question.time_limit,
                    .minimize = question.minimize,
                    .best = std::nullopt,
                    .strategies = shown.choices(solved.strategies),
                    .keep_all = shown.choice(solved.keep_all, "keep_all"),
                    .leanest = shown.choice(solved.leanest, "leanest"),
                    .least_possible = solved.least_possible,
                    .bound_ns = solved.bound_ns,
                    .gap = solved.gap(),
                    .certified = certified,
                    .units_spent = solved.units_spent,
                    .stopped = solved.stopped};
  if (solved.best) answer.best = shown.choice(*solved.best, "plan");
  say_who_is_there(asked, solved.best ? *solved.best : solved.leanest, answer);
  answer.picks = picks_among(answer);
  if (solved.best && question.with_price) answer.price_per_gib = price_of_memory(asked, solved);
  if (!solved.best && !solved.stopped) answer.changes = priced_changes(asked);
  return answer;
}

base::Result<CompareAnswer> compare(const Subject& subject, const Question& question) {
  WORKTOP_TRY(PlanAnswer answer, plan(subject, question));
  return CompareAnswer{.plan = std::move(answer)};
}

}  // namespace worktop::advisor
