// A certificate on request: the stages as a mixed-integer linear programme (solver/stage_programme.h), given
// to a solver from outside (solver/linear_programme.h), with a plan that is known as its start and a bound
// that is known as its cut-off.
//
// It covers plans that copy nothing and run no op again more than once at one boundary. What it says is
// exact for those within floating point: the solver's tolerances are about a millionth of the budget and a
// thousand-millionth of the step. It is therefore no part of Answer::bound_ns, which holds for every legal
// plan and is exact in integers.
//
// Good for graphs of about a hundred ops to the end; beyond that it improves the bound at best. A limit in
// seconds is the solver's, by its own clock: what comes out when it is reached depends on the machine.
#pragma once

#include "solver/certificate.h"
#include "solver/linear_programme.h"
#include "solver/portfolio.h"

namespace worktop::solver {

// Beyond so many ops the programme would have millions of columns.
inline constexpr std::int32_t kMostOpsOfMilp = 1000;

// `known` fits and copies nothing; `known_bound_ns` holds for every legal plan.
[[nodiscard]] Certificate certify(const Problem& problem, const std::optional<Planned>& known,
                                  Nanoseconds known_bound_ns, LinearSolver& solver, double seconds);

class MilpCertifier final : public Certifier {
 public:
  // The solver must outlive it.
  MilpCertifier(LinearSolver& solver, double seconds) : solver_(solver), seconds_(seconds) {}
  [[nodiscard]] Certificate certify(const Problem& problem, const std::optional<Planned>& known,
                                    Nanoseconds known_bound_ns) override {
    return solver::certify(problem, known, known_bound_ns, solver_, seconds_);
  }

 private:
  LinearSolver& solver_;
  double seconds_;
};

// The programme's relaxation: a bound of covered plans. none: not solved in time, or too large.
[[nodiscard]] std::optional<Nanoseconds> relaxed_bound(const Problem& problem, LinearSolver& solver,
                                                       double seconds);

}  // namespace worktop::solver
