#include "advisor/plan_view.h"

#include <algorithm>
#include <utility>

#include "plan/lower.h"
#include "solver/strategies.h"

namespace worktop::advisor {

std::string family_of(const std::string& name) {
  return name.substr(0, name.find('('));
}

base::Result<solver::Planned> play_strategy(const Subject& subject, const std::string& name) {
  WORKTOP_TRY(const plan::Policy policy,
              solver::strategy_by_name(name, subject.graph, subject.machine, subject.durations));
  WORKTOP_TRY(plan::Plan plan, plan::lower(subject.graph, subject.machine, policy, subject.durations.op));
  return solver::predict({subject.graph, subject.machine, subject.durations, {}}, std::move(plan));
}

PlanView Viewer::view(const solver::Planned& planned, std::string name, Which which) const {
  const Subject& subject = asked_.subject;
  PlanView view;
  view.name = std::move(name);
  view.which = std::move(which);
  view.family = family_of(view.name);
  view.choice = shown_.choice(planned, view.name);
  view.fates = report::fate_shares(subject.graph, subject.durations, planned.plan, planned.recompute_ns,
                                   planned.stalled_ns);
  view.main_fate = report::main_fate(view.fates);
  view.over_keep_all_ns = planned.step_ns - keep_all_.step_ns;
  if (keep_all_.step_ns > Nanoseconds{0})
    view.over_keep_all = ratio(view.over_keep_all_ns, keep_all_.step_ns);
  if (bound_ns_ > Nanoseconds{0}) view.gap = ratio(planned.step_ns - bound_ns_, bound_ns_);
  view.over_bytes = std::max(Bytes{0}, planned.device_peak() - asked_.line.budget);
  if (asked_.question.time_limit)
    view.over_ns = std::max(Nanoseconds{0}, planned.step_ns - *asked_.question.time_limit);
  return view;
}

}  // namespace worktop::advisor
