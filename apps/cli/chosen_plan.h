// The plan that explain and simulate are about: a plan.json, a strategy, or the one that `plan` would find.
#pragma once

#include "request.h"

namespace worktop::cli {

struct ChosenPlanOptions {
  RequestOptions request;
  Text graph, as;

  void add(CLI::App& app);
};

// Errors (code infeasible): nothing fits, so that there is no plan.
[[nodiscard]] base::Result<ReadPlan> choose_plan(const ChosenPlanOptions& options, Console& console);

}  // namespace worktop::cli
