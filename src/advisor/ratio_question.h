// The benefit ratio of each kind of activation, the rule "recompute what is above a threshold" at every
// threshold, and the solver's plan beside it, which needs none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/plan_view.h"

namespace worktop::advisor {

// One op whose outputs are activations that a plan decides about; or alike ones, one in each of several
// blocks, with their amounts summed.
struct RatioRow {
  std::string label;
  std::string op_kind;
  std::string block;  // of a single op; empty: none, or several
  std::int32_t count = 1;
  Bytes bytes;
  Nanoseconds recompute_ns{0};
  double ratio = 0;
  bool rule_recomputes = false;      // of alike ones: most of them
  std::int32_t rule_recomputed = 0;  // so many of `count`
  std::int32_t solver_recomputed = 0;
  std::optional<plan::Fate> solver_fate;  // none: no plan, or not the same for all
  bool differs = false;                   // solver and rule don't recompute the same number
  std::vector<RatioRow> members;          // of alike ones, in program order; empty of a single op
};

struct RatioCurvePoint {
  double threshold = 0;  // the rule is the same from here to the next point's
  Bytes peak;
  Nanoseconds step_ns{0}, recompute_ns{0};
  bool fits = false;
};

struct BestThreshold {
  double threshold = 0;      // 2 if it is among the best, else the nearest to it
  double from = 0;           // as good from here ...
  std::optional<double> to;  // ... to below here; none: without end
  RatioCurvePoint at;
};

struct RatioAnswer {
  std::string graph_name, machine_name;
  double average_bytes_per_ns = 0;  // ratio 1
  double threshold = 2;
  std::vector<RatioRow> rows;  // in program order of their first member
  std::int32_t recomputed_rows = 0, recomputed_values = 0;
  Bytes recomputed_bytes;
  PlanView rule;
  std::vector<RatioCurvePoint> curve;  // ascending in threshold, from 0
  std::optional<BestThreshold> best;   // fastest of those that fit; none: no threshold fits
  bool is_best = false;
  std::optional<PlanView> solver;
  Bytes keep_all_peak;
  Nanoseconds keep_all_step{0};
  BudgetLine budget;
};

// What depends on the subject alone and takes longest: the rule at every threshold where it changes, at most
// 48 of them.
[[nodiscard]] base::Result<std::vector<solver::Planned>> plans_over_threshold(
    const Subject& subject, std::vector<double>& thresholds);

// `best` is plan()'s answer to the question.
[[nodiscard]] base::Result<RatioAnswer> ratio_question(const Subject& subject, const Question& question,
                                                       double threshold, const PlanAnswer& best,
                                                       const std::vector<double>& thresholds,
                                                       const std::vector<solver::Planned>& plans);

}  // namespace worktop::advisor
