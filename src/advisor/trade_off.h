// The whole trade-off as the page draws it: plans, strategies with parameters of one's own, limits, and the
// plane they lie in for three meanings of its upright axis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/plan_view.h"
#include "report/plane.h"

namespace worktop::advisor {

struct Parameters {
  std::optional<std::int64_t> segments;  // of checkpoint and hybrid; none: as usual
  double beta = 0.5;
  double threshold = 2;
};

struct TradeOffQuestion {
  Question question;  // its limits are drawn and judged by; they leave nothing out
  std::int32_t points = 20;
  Parameters parameters;
  std::optional<std::vector<std::string>> compete;  // families; none: all
};

struct TradeOff {
  std::string graph_name, machine_name;
  BudgetLine budget;
  base::Limit<Nanoseconds> time_limit;
  std::vector<PlanView> points;      // ascending in peak, strictly falling in time
  std::vector<PlanView> strategies;  // the standard ones and those of one's own parameters, each once
  PlanView keep_all;
  report::Picks picks;
  std::optional<std::string> chosen;  // fastest within the limits
  Bytes least_possible;
  Nanoseconds bound_ns{0};
  report::Axis step_time, extra_compute, extra_transfer;
  bool stopped = false;
};

// What takes long, and does not depend on the limits of device and time, on weights or parameters.
[[nodiscard]] base::Result<solver::FrontierAnswer> solve_frontier(const Subject& subject,
                                                                  const solver::Options& options,
                                                                  std::int32_t points);
// `solved` is solve_frontier's of the same subject, effort and number of points.
[[nodiscard]] base::Result<TradeOff> trade_off(const Subject& subject, const TradeOffQuestion& question,
                                               const solver::FrontierAnswer& solved);

// The names of the strategies that the parameters mean: checkpoint, hybrid (with a lower tier), ratio.
[[nodiscard]] std::vector<std::string> own_strategies(const Subject& subject, const Parameters& parameters);

// A point of the frontier by the name that trade_off gives it; null: there is none.
[[nodiscard]] const solver::Planned* point_named(const solver::FrontierAnswer& solved,
                                                 const std::string& name);
[[nodiscard]] std::string name_of_point(const solver::FrontierAnswer& solved, std::size_t index);

}  // namespace worktop::advisor
