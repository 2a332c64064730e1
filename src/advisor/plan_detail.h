// One plan, looked at closely: what it does with the activations and why, who is there at its peak, how good
// it is, and what would make it fit if it does not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/plan_view.h"

namespace worktop::advisor {

// The usual answer to "out of memory".
inline constexpr const char* kUsualStrategy = "checkpoint_every(1)";

struct Usual {
  std::string name;
  Nanoseconds step_ns{0};
  Nanoseconds slower_ns{0};  // than the plan; negative: faster
  bool fits = false;
};

struct PlanDetail {
  std::string graph_name, machine_name;
  BudgetLine budget;
  std::optional<Bytes> host, disk;
  base::Limit<Nanoseconds> time_limit;
  bool found = true;  // false: nothing fits, and this is the leanest there is
  PlanView plan;
  Nanoseconds bound_ns{0};
  Bytes least_possible;
  Bytes least_feasible;  // found
  Bytes keep_all_peak;
  Nanoseconds keep_all_step{0};
  bool keep_all_fits = false;
  std::int32_t activations = 0;
  Bytes activation_bytes;
  std::optional<Usual> usual;
  report::Residents residents;
  std::string peak_op;
  std::vector<report::ResidentGroup> at_peak;
  std::vector<report::Attack> attack;
  std::vector<report::Reason> reasons;
  std::vector<PricedChange> changes;
  bool stopped = false;
};

// Of the best plan within the question's limits. `answer` is plan()'s of the same subject and question.
[[nodiscard]] base::Result<PlanDetail> detail_of_best(const Subject& subject, const Question& question,
                                                      const PlanAnswer& answer);
// Of any other plan.
[[nodiscard]] base::Result<PlanDetail> detail_of(const Subject& subject, const Question& question,
                                                 const solver::Planned& planned, std::string name,
                                                 Which which);

}  // namespace worktop::advisor
