#include "highs/highs.h"

#include <interfaces/highs_c_api.h>

namespace worktop::highs {
namespace {

using solver::LinearLimits;
using solver::LinearProgramme;
using solver::LinearSolution;

static_assert(sizeof(HighsInt) == sizeof(std::int32_t));

struct Handle {
  void* highs = Highs_create();
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { Highs_destroy(highs); }
};

void set_options(void* highs, const LinearLimits& limits) {
  Highs_setBoolOptionValue(highs, "output_flag", 0);
  Highs_setIntOptionValue(highs, "threads", 1);
  Highs_setDoubleOptionValue(highs, "time_limit", limits.seconds);
  Highs_setDoubleOptionValue(highs, "mip_rel_gap", 0);
  Highs_setDoubleOptionValue(highs, "mip_abs_gap", 1e-7);
  Highs_setDoubleOptionValue(highs, "mip_feasibility_tolerance", 1e-7);
  Highs_setDoubleOptionValue(highs, "objective_target", limits.target);
}

// Of a relaxed programme no column is whole.
HighsInt pass(void* highs, const LinearProgramme& programme, bool relaxed) {
  std::vector<double> cost, lower, upper, factor;
  std::vector<HighsInt> kind, column;
  for (const LinearProgramme::Column& c : programme.columns) {
    cost.push_back(c.cost), lower.push_back(c.lower), upper.push_back(c.upper);
    kind.push_back(c.integer && !relaxed ? kHighsVarTypeInteger : kHighsVarTypeContinuous);
  }
  for (const LinearProgramme::Term& term : programme.terms)
    column.push_back(term.column), factor.push_back(term.factor);
  const auto columns = static_cast<HighsInt>(cost.size()), terms = static_cast<HighsInt>(column.size());
  return Highs_passMip(highs, columns, programme.row_count(), terms, kHighsMatrixFormatRowwise,
                       kHighsObjSenseMinimize, 0, cost.data(), lower.data(), upper.data(),
                       programme.row_lower.data(), programme.row_upper.data(), programme.row_begin.data(),
                       column.data(), factor.data(), kind.data());
}

// HiGHS fills in the columns that are not whole.
void set_start(void* highs, const LinearProgramme& programme, std::span<const double> start) {
  std::vector<HighsInt> column;
  std::vector<double> value;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (!programme.columns[i].integer) continue;
    column.push_back(static_cast<HighsInt>(i));
    value.push_back(start[i]);
  }
  if (!column.empty())
    Highs_setSparseSolution(highs, static_cast<HighsInt>(column.size()), column.data(), value.data());
}

double info(void* highs, const char* name) {
  double value = 0;
  Highs_getDoubleInfoValue(highs, name, &value);
  return value;
}

class Solver final : public solver::LinearSolver {
 public:
  LinearSolution solve(const LinearProgramme& programme, std::span<const double> start,
                       const LinearLimits& limits) override {
    // Of no columns HiGHS says neither a solution nor a bound.
    if (programme.columns.empty()) return {.optimal = true, .values = std::vector<double>{}, .bound = 0};
    const Handle handle;
    void* highs = handle.highs;
    set_options(highs, limits);
    LinearSolution answer;
    if (pass(highs, programme, limits.relaxed) == kHighsStatusError) return answer;
    if (!limits.relaxed) set_start(highs, programme, start);
    if (Highs_run(highs) == kHighsStatusError) return answer;
    const HighsInt status = Highs_getModelStatus(highs);
    answer.optimal = status == kHighsModelStatusOptimal;
    answer.infeasible = status == kHighsModelStatusInfeasible;
    std::vector<double> values(programme.columns.size()), rows(programme.row_lower.size());
    HighsInt primal = 0;
    Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
    if (primal == kHighsSolutionStatusFeasible &&
        Highs_getSolution(highs, values.data(), nullptr, rows.data(), nullptr) != kHighsStatusError)
      answer.values = std::move(values);
    if (!limits.relaxed)
      answer.bound = info(highs, "mip_dual_bound");
    else if (answer.optimal)
      answer.bound = Highs_getObjectiveValue(highs);
    return answer;
  }
};

}  // namespace

std::unique_ptr<solver::LinearSolver> make_solver() {
  return std::make_unique<Solver>();
}

}  // namespace worktop::highs
