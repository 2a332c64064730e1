// The one door to the solvers: the best legal plan that fits, how good it is at least, and what else there
// is.
//
// The techniques run in a fixed order within the effort given (strategies, search, the cut that bounds both).
// Effort is counted in units (one unit is one evaluation of a small change, about a microsecond; large
// changes cost more), in three presets; less effort is a prefix of more. Without copies more effort therefore
// never gives a worse plan; with copies it can, since the search sees compute time only and a turn that the
// end of the effort cuts short is simulated where it stands. Same problem, seed and effort: same answer, with
// any number of threads. If nothing beats the best strategy, that is the answer. Of plans as fast the one
// that moves the fewest bytes is taken (solver/fewer_trips.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "cost/durations.h"
#include "plan/memory.h"
#include "plan/plan.h"
#include "simulator/simulate.h"
#include "solver/techniques.h"

namespace worktop::solver {

using base::Bytes;
using base::Nanoseconds;
using graph::Graph;

enum class Effort : std::uint8_t { quick, normal, deep };  // about a tenth of a second, one, ten
[[nodiscard]] std::int64_t units_of(Effort effort);

// What is planned. The references must outlive the call.
struct Problem {
  const Graph& graph;
  const machine::Machine& machine;
  const cost::Durations& durations;
  plan::Budgets budgets;  // a tier that the machine does not have has the limit 0
};

struct Progress {
  std::string doing;  // "search"
  std::int64_t units_done = 0;
  std::int64_t units_total = 0;
  std::optional<Nanoseconds> best_step_ns;
};

struct Options {
  Effort effort = Effort::normal;
  std::uint64_t seed = 0;
  base::Executor* executor = nullptr;                // none: on the calling thread
  std::function<bool(const Progress&)> on_progress;  // false: stop now with the best so far
  Techniques without;                                // for measuring what each of them earns
};

// A legal plan with what the simulator says of it.
struct Planned {
  plan::Plan plan;
  std::array<Bytes, machine::kTierCount> peak{};
  Nanoseconds step_ns{0};
  Nanoseconds recompute_ns{0};  // of a whole step
  Nanoseconds link_busy_ns{0};
  Nanoseconds stalled_ns{0};
  Bytes moved{0};  // by all copies of a whole step, over every link
  [[nodiscard]] Bytes device_peak() const { return peak[0]; }
};
[[nodiscard]] bool fits(const Planned& planned, const plan::Budgets& budgets);
// The rule for ties: the faster plan, of equals the one that moves fewer bytes. (Of equals in both, the one
// that was there first stays.)
[[nodiscard]] inline bool better(const Planned& a, const Planned& b) {
  return a.step_ns != b.step_ns ? a.step_ns < b.step_ns : a.moved < b.moved;
}
// Simulates a legal plan.
[[nodiscard]] Planned predict(const Problem& problem, plan::Plan plan);

struct Answer {
  std::optional<Planned> best;  // legal and within the budgets; none: nothing found that fits
  // Every standard strategy that can be lowered, whether it fits or not; beyond 10,000 ops without
  // recompute_all.
  std::vector<Planned> strategies;
  Planned keep_all;         // without budgets
  Planned leanest;          // the plan of the least device peak that was found (host and disk budgets hold)
  Bytes least_possible{0};  // proven: no legal plan has a smaller device peak
  Nanoseconds bound_ns{0};  // proven: no legal plan within the budgets is faster (solver/mincut.h)
  std::int64_t units_spent = 0;
  bool stopped = false;  // by on_progress
  // (plan - bound) / bound; 0 means optimal.
  [[nodiscard]] std::optional<double> gap() const {
    if (!best || bound_ns.count() == 0) return std::nullopt;
    return ratio(best->step_ns - bound_ns, bound_ns);
  }
};

// Least step time within the budgets.
[[nodiscard]] Answer fastest(const Problem& problem, const Options& options);

// Least device peak whose step takes at most `time_limit` (none: no limit). `best` is that plan.
[[nodiscard]] Answer leanest(const Problem& problem, base::Limit<Nanoseconds> time_limit,
                             const Options& options);

// One plan for each of `points` device budgets from the leanest plan's peak to keep-all's, host and disk
// budgets as in the problem (its device budget is ignored). More budget never gives a slower plan.
struct FrontierAnswer {
  std::vector<Planned> points;      // ascending in peak, strictly falling in time: the non-dominated ones
  std::vector<Planned> strategies;  // all of them, dominated or not
  Planned keep_all;
  Bytes least_possible{0};
  Nanoseconds bound_ns{0};
  std::int64_t units_spent = 0;
  bool stopped = false;
};
[[nodiscard]] FrontierAnswer frontier(const Problem& problem, std::int32_t points, const Options& options);

// No legal plan has a smaller device peak: at some op, what the program holds, what the op reads, writes and
// works in are resident together.
[[nodiscard]] Bytes least_possible_peak(const Graph& graph);

}  // namespace worktop::solver
