// The step as a mixed-integer linear programme over stages: Checkmate's (Jain et al. 2020), extended to this
// project's memory rule (program's holds, workspaces, in-place values, ops with several outputs, triggers).
//
// Written from graph/graph.h and plan/plan.h, apart from the searches: it shares no code with
// solver/evaluation, plan/lower or solver/tiny_step.
//
// Stage t is the actions of boundary t and op t (stage n: of the end of the step). Columns:
//
//   H t,v   the executor holds v into stage t, but what it lets go of first (0 or 1)
//   R t,i   stage t runs op i again (0 or 1); the objective is the time of these
//   Y t,v,j v is there while the replays of stage t between its reader number j - 1 and reader j run
//   M t,k   bytes there before stage t gets to the replay of op k, beyond what the program holds
//
// Rows: an op, first run or replay, finds what it reads held or made in its stage; what is held on was held
// or made; Y is there up to each reader that runs and as long as v is held on; M follows from H and Y, and
// with what a replay (or op t) writes and works in it is within the budget. Where the executor cannot act,
// what it holds stays. Values that no later op can want have no columns.
//
// Covered is every plan that copies nothing and runs no op again more than once at one boundary, there in
// program order: among those it is exact. A plan outside can be better only where so little fits that the
// same op has to be run twice before the same op of the program.
//
// Units: costs are in thousandths of the first runs' time, bytes in thousandths of the budget, so that the
// tolerances of floating point (about 1e-6) mean the same on every graph.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/linear_programme.h"
#include "solver/portfolio.h"

namespace worktop::solver {

class StageProgramme {
 public:
  // The problem must outlive it. Its device budget counts, those of lower tiers do not.
  explicit StageProgramme(const Problem& problem);

  [[nodiscard]] const LinearProgramme& programme() const { return programme_; }
  // An op's first run does not fit, whatever is held.
  [[nodiscard]] bool impossible() const { return impossible_; }

  // The integer columns as in a plan of the covered kind; Y and M are left 0.
  [[nodiscard]] std::vector<double> columns_of(const plan::Plan& plan) const;
  // The plan that a solution means. It is what the columns say: judge it.
  [[nodiscard]] plan::Plan plan_of(std::span<const double> columns) const;
  // The step time that a cost means (the first runs and this), and back.
  [[nodiscard]] double step_ns(double cost) const { return first_runs_ns_ + cost * ns_per_cost_; }
  [[nodiscard]] double cost_of(Nanoseconds step) const {
    return (step.as_double() - first_runs_ns_) / ns_per_cost_;
  }

 private:
  friend class StageProgrammeBuilder;  // stage_programme.cc
  // A 0-1 quantity: the number of its column, or always 0 or 1.
  using Code = std::int32_t;
  static constexpr Code kZero = -1, kOne = -2;
  struct Replay {
    graph::OpId op;
    Code column;
  };

  [[nodiscard]] Code held(graph::ValueId v, std::int32_t t) const;  // into stage t
  [[nodiscard]] std::span<const graph::ValueId> reads(std::int32_t t) const;
  [[nodiscard]] bool is_read(graph::ValueId v, std::int32_t t) const;
  [[nodiscard]] bool program_holds(graph::ValueId v, std::int32_t t) const;
  [[nodiscard]] std::int32_t program_until(graph::ValueId v) const;
  [[nodiscard]] bool keeps_on(graph::ValueId v, std::int32_t t, std::span<const double> columns) const;

  const graph::Graph& graph_;
  const std::int32_t end_;  // the last boundary
  LinearProgramme programme_;
  bool impossible_ = false;
  double first_runs_ns_ = 0, ns_per_cost_ = 1;
  std::vector<graph::ValueId> wanted_at_end_;
  base::IdVector<graph::ValueId, std::vector<Code>> held_;  // from the boundary after its producer on
  std::vector<std::vector<Replay>> replays_;                // by boundary, in program order
};

}  // namespace worktop::solver
