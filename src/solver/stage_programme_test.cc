#include "solver/stage_programme.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "solver/milp.h"
#include "solver/testing.h"

namespace worktop::solver {
namespace {

using graph::GraphBuilder;
using graph::Origin;
using graph::Phase;
using graph::ProgramHold;
using graph::ValueId;
using test::CaseOptions;
using test::Flavour;
using testing::budget_between;
using testing::fault_of;
using testing::problem_of;

// Y and M are not filled in: rows with them say nothing here.
bool of_flags_alone(const LinearProgramme& programme, std::int32_t row) {
  for (std::int32_t i = programme.row_begin[static_cast<std::size_t>(row)];
       i < programme.row_begin[static_cast<std::size_t>(row) + 1]; ++i)
    if (!programme.columns[static_cast<std::size_t>(programme.terms[static_cast<std::size_t>(i)].column)]
             .integer)
      return false;
  return true;
}

std::int32_t rows_broken(const LinearProgramme& programme, std::span<const double> columns) {
  std::int32_t broken = 0;
  for (std::int32_t row = 0; row < programme.row_count(); ++row) {
    if (!of_flags_alone(programme, row)) continue;
    double sum = 0;
    for (std::int32_t i = programme.row_begin[static_cast<std::size_t>(row)];
         i < programme.row_begin[static_cast<std::size_t>(row) + 1]; ++i) {
      const LinearProgramme::Term& term = programme.terms[static_cast<std::size_t>(i)];
      sum += term.factor * columns[static_cast<std::size_t>(term.column)];
    }
    broken += sum < programme.row_lower[static_cast<std::size_t>(row)] - 1e-6 ||
              sum > programme.row_upper[static_cast<std::size_t>(row)] + 1e-6;
  }
  return broken;
}

double cost_of(const LinearProgramme& programme, std::span<const double> columns) {
  double cost = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) cost += programme.columns[i].cost * columns[i];
  return cost;
}

// What the search finds is a solution, and comes back as a plan as good.
void expect_round_trip(const test::Case& c, std::int32_t permille) {
  const Bytes least = least_possible_peak(c.graph);
  const Problem problem = problem_of(c, budget_between(c, least, permille));
  const Answer answer = fastest(problem, {.effort = Effort::quick});
  if (!answer.best) return;
  const StageProgramme stages(problem);
  EXPECT_FALSE(stages.impossible());
  const std::vector<double> columns = stages.columns_of(answer.best->plan);
  EXPECT_EQ(rows_broken(stages.programme(), columns), 0);
  const double step_ns = stages.step_ns(cost_of(stages.programme(), columns));
  EXPECT_LE(step_ns, answer.best->step_ns.as_double() + 1e-3);
  const Planned back = predict(problem, stages.plan_of(columns));
  EXPECT_EQ(fault_of(problem, back, true), "");
  EXPECT_NEAR(back.step_ns.as_double(), step_ns, 1e-3);
}

void expect_round_trips(const CaseOptions& options) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const test::Case c =
        test::random_case({.seed = seed, .size = 2 + static_cast<std::int32_t>(seed % 7)}, options);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + test::describe(c.graph));
    for (const std::int32_t permille : {0, 300, 700}) expect_round_trip(c, permille);
  }
}

TEST(StageProgramme, RoundTripsOnEagerSteps) {
  expect_round_trips({.flavour = Flavour::eager});
}
TEST(StageProgramme, RoundTripsOnEveryBoundary) {
  expect_round_trips({.flavour = Flavour::every_boundary, .needed_at_end = 20});
}
TEST(StageProgramme, RoundTripsOnTensorDags) {
  expect_round_trips({.flavour = Flavour::tensor_dag});
}

// The chain of exhaustive_test.cc: x 2 B, a and b 4 B, c 6 B; f 5 ns, g 7 ns, all others 1.
//
//   op     0 f         1 g         2 h           3 g.grad    4 f.grad
//   reads  x           a           b             b           a
//   makes  a (4 B)     b (4 B)     c (6 B)       -           -
struct Chain {
  graph::Graph graph;
  machine::Machine machine = test::toy_machine();
  cost::Durations durations;
  static Chain make() {
    GraphBuilder build("chain", Origin::profile);
    const ValueId x = build.add_value({.name = "x", .bytes = Bytes{2}});
    const ValueId a = build.add_value({.name = "a", .bytes = Bytes{4}, .holdable = true},
                                      ProgramHold::to_last_forward_reader);
    const ValueId b = build.add_value({.name = "b", .bytes = Bytes{4}, .holdable = true},
                                      ProgramHold::to_last_forward_reader);
    const ValueId c = build.add_value({.name = "c", .bytes = Bytes{6}});
    build.add_op({.name = "f"}, {x}, {{a}});
    build.add_op({.name = "g"}, {a}, {{b}});
    build.add_op({.name = "h"}, {b}, {{c}});
    build.add_op({.name = "g.grad", .phase = Phase::backward}, {b}, {});
    build.add_op({.name = "f.grad", .phase = Phase::backward}, {a}, {});
    Chain chain{*std::move(build).build()};
    for (const std::int64_t ns : {5, 7, 1, 1, 1}) chain.durations.op.push_back(Nanoseconds{ns});
    return chain;
  }
  [[nodiscard]] Problem problem(std::int64_t budget) const {
    return {graph, machine, durations, {.device = Bytes{budget}}};
  }
};

// At h x, b and c have to be there: 12 bytes.
TEST(StageProgramme, SaysWhereAFirstRunCannotFit) {
  const Chain chain = Chain::make();
  EXPECT_TRUE(StageProgramme(chain.problem(11)).impossible());
  EXPECT_FALSE(StageProgramme(chain.problem(12)).impossible());
}

// The first runs take 15 ns, which are 1000 units of cost.
TEST(StageProgramme, CountsInThousandthsOfTheFirstRuns) {
  const Chain chain = Chain::make();
  const StageProgramme stages(chain.problem(12));
  EXPECT_DOUBLE_EQ(stages.step_ns(0), 15);
  EXPECT_DOUBLE_EQ(stages.step_ns(1000), 30);
  EXPECT_DOUBLE_EQ(stages.cost_of(Nanoseconds{18}), 200);
}

// A solver that says what it was told to.
class Puppet final : public LinearSolver {
 public:
  LinearSolution says;
  LinearLimits asked;
  std::int32_t calls = 0;
  LinearSolution solve(const LinearProgramme& programme, std::span<const double> start,
                       const LinearLimits& limits) override {
    (void)programme, (void)start;
    ++calls, asked = limits;
    return says;
  }
};

TEST(Certify, AsksNobodyWhereThePlanMeetsTheBound) {
  const Chain chain = Chain::make();
  const Problem problem = chain.problem(16);
  const Answer answer = fastest(problem, {.effort = Effort::quick});
  Puppet puppet;
  const Certificate certificate = certify(problem, answer.best, answer.bound_ns, puppet, 5);
  EXPECT_TRUE(certificate.optimal);
  EXPECT_EQ(puppet.calls, 0);
}

// Keep-all does not fit into 12 bytes; f has to run again: 20 ns. The bound that is known is given as 17.
TEST(Certify, KeepsWhatWasKnownWhereTheSolverIsCutShort) {
  const Chain chain = Chain::make();
  const Problem problem = chain.problem(12);
  const Answer answer = fastest(problem, {.effort = Effort::quick});
  ASSERT_TRUE(answer.best && answer.best->step_ns == Nanoseconds{20});
  Puppet puppet;
  puppet.says.bound = 200;  // 18 ns
  Certificate certificate = certify(problem, answer.best, Nanoseconds{17}, puppet, 5);
  EXPECT_FALSE(certificate.optimal);
  EXPECT_EQ(certificate.best->step_ns, Nanoseconds{20});
  EXPECT_EQ(certificate.bound_ns, Nanoseconds{17});  // 18 less the tolerance, in whole nanoseconds
  EXPECT_EQ(puppet.asked.seconds, 5);
  EXPECT_NEAR(puppet.asked.target, 1000.0 * 2 / 15, 1e-3);

  puppet.says.bound = 1000.0 / 3;  // 20 ns
  puppet.says.optimal = true;
  certificate = certify(problem, answer.best, Nanoseconds{17}, puppet, 5);
  EXPECT_TRUE(certificate.optimal);
  EXPECT_EQ(certificate.bound_ns, Nanoseconds{20});
}

}  // namespace
}  // namespace worktop::solver
