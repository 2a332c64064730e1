// A mixed-integer linear programme as data, and the door to whoever solves it.
//
// The rooms that are pure own no solver of such programmes: what solves them reads a clock, and its floating
// point is not ours. So it is handed in, as threads are (base/executor.h): src/highs has one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace worktop::solver {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Minimise sum of cost * x, where lower <= x <= upper (whole numbers only, if `integer`), and each row's
// sum of factor * x lies between its lower and upper.
struct LinearProgramme {
  struct Column {
    double cost = 0, lower = 0, upper = 1;
    bool integer = false;
  };
  struct Term {
    std::int32_t column = 0;
    double factor = 1;
  };
  std::vector<Column> columns;
  std::vector<double> row_lower, row_upper;
  std::vector<std::int32_t> row_begin = {0};  // rows + 1 places in `terms`
  std::vector<Term> terms;                    // a column at most once a row

  [[nodiscard]] std::int32_t row_count() const { return static_cast<std::int32_t>(row_lower.size()); }
  std::int32_t add_column(Column column) {
    columns.push_back(column);
    return static_cast<std::int32_t>(columns.size()) - 1;
  }
  void add_row(double lower, double upper, std::span<const Term> row) {
    row_lower.push_back(lower), row_upper.push_back(upper);
    terms.insert(terms.end(), row.begin(), row.end());
    row_begin.push_back(static_cast<std::int32_t>(terms.size()));
  }
};

struct LinearLimits {
  double seconds = 60;         // of the wall clock: what comes out depends on the machine and its load
  double target = -kInfinite;  // a solution as good as this is good enough
  bool relaxed = false;        // columns need not be whole
};

struct LinearSolution {
  bool optimal = false;                       // solved to the end, within the tolerances of floating point
  bool infeasible = false;                    // proven likewise: there is no solution
  std::optional<std::vector<double>> values;  // the best found, by column
  double bound = -kInfinite;                  // no solution costs less
};

class LinearSolver {
 public:
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;
  virtual ~LinearSolver() = default;
  // `start`: a solution to begin with, given by its integer columns (others are ignored); empty: none.
  [[nodiscard]] virtual LinearSolution solve(const LinearProgramme& programme, std::span<const double> start,
                                             const LinearLimits& limits) = 0;
};

}  // namespace worktop::solver
