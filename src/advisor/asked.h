// A question that makes sense, with what all answers need of it: budgets, the problem for the solvers, and
// plans as they are shown.
#pragma once

#include <string>
#include <vector>

#include "advisor/advisor.h"

namespace worktop::advisor {

// Device, host and disk as the question and the machine say; a tier that is absent has the limit 0.
struct Asked {
  const Subject& subject;
  const Question& question;
  BudgetLine line;
  plan::Budgets budgets;

  [[nodiscard]] solver::Problem problem() const {
    return {subject.graph, subject.machine, subject.durations, budgets};
  }
  [[nodiscard]] bool fits(const solver::Planned& planned) const {
    return solver::fits(planned, budgets) && within(planned.step_ns, question.time_limit);
  }
};
// Errors (code usage): a budget or time limit that is negative, a budget above what the device can use, a
// lambda that is negative or no number. The references must outlive the answer.
[[nodiscard]] base::Result<Asked> ask(const Subject& subject, const Question& question);

// None where the graph does not say how many tokens a step has.
[[nodiscard]] std::optional<double> tokens_per_s(const graph::Graph& graph, Nanoseconds step_ns);

[[nodiscard]] double cost_of(const Lambda& lambda, const solver::Planned& planned);

// The candidate of least cost among those that fit. Of equal costs the one of least peak, then recompute,
// then busy links: so that no candidate beats it in all three.
[[nodiscard]] std::optional<solver::Planned> cheapest(const Asked& asked,
                                                      const std::vector<solver::Planned>& candidates);

// Shows plans as Choices, each against the same keep-all.
class Shown {
 public:
  Shown(const Asked& asked, const solver::Planned& keep_all);
  // Named after the strategy that made it, or `otherwise` if search did.
  [[nodiscard]] Choice choice(const solver::Planned& planned, const std::string& otherwise) const;
  [[nodiscard]] std::vector<Choice> choices(const std::vector<solver::Planned>& strategies) const;

 private:
  [[nodiscard]] report::Sample sample(const solver::Planned& planned) const;
  const Asked& asked_;
  Nanoseconds forward_ns_;
  report::Sample keep_all_;
};

// The op that runs then, or the copy that was just issued.
[[nodiscard]] std::string name_of_moment(const graph::Graph& graph, plan::Moment moment);

// As a point of the trade-off; its price is left to report::non_dominated.
[[nodiscard]] report::FrontierPoint point_of(std::string name, const solver::Planned& planned);

}  // namespace worktop::advisor
