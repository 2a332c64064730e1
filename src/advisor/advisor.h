// The questions a user can ask, and their answers: the C++ API of Worktop. Plain structs in and out; no text,
// no JSON, no files. The command line, the page and the bindings ask the same questions here.
//
//   model::Decoder decoder = ...;            // format/model_config.h reads a config.json
//   machine::Machine machine = ...;          // format/machine_json.h; give it host_bytes to allow offloading
//   model::Settings settings{.batch = 2, .sequence = 4096, ...};
//   WORKTOP_TRY(Subject subject, advisor::subject(decoder, settings, machine));
//   WORKTOP_TRY(PlanAnswer answer, advisor::plan(subject, {.budget = Bytes{20} * kGiB}));
//   if (answer.best) ... answer.best->step_ns ...
//
// Every quantity that a user interface shows is a field of an answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cost/durations.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "model/decoder.h"
#include "model/settings.h"
#include "report/comparison.h"
#include "report/frontier.h"
#include "report/reasons.h"
#include "report/residents.h"
#include "solver/certificate.h"
#include "solver/portfolio.h"

namespace worktop::advisor {

using base::Bytes;
using base::Nanoseconds;

// What is asked about: a step graph with its durations on a machine. If it was built from a model, that is
// kept, so that changes of settings can be priced.
struct Subject {
  graph::Graph graph;
  cost::Durations durations;
  machine::Machine machine;
  std::optional<model::Decoder> decoder;
  std::optional<model::Settings> settings;
};
[[nodiscard]] base::Result<Subject> subject(const model::Decoder& decoder, const model::Settings& settings,
                                            const machine::Machine& machine);
// A graph from a file. Without durations they are estimated from the machine.
[[nodiscard]] Subject subject(graph::Graph graph, std::optional<cost::Durations> durations,
                              const machine::Machine& machine);

// λm per GB of peak, λc per second of recompute, λt per second of busy links. One number m means (m, 1-m,
// 1-m).
struct Lambda {
  double memory = 0.5, compute = 0.5, transfer = 0.5;
};
enum class Minimize : std::uint8_t { time, peak, cost };

struct Question {
  std::optional<Bytes> budget;          // of the device; none: usable less context and margin
  base::Limit<Nanoseconds> time_limit;  // of a step
  Minimize minimize = Minimize::time;
  Lambda lambda;
  solver::Options options;
  bool with_price = true;                  // of memory: takes a second, quick search
  solver::Certifier* certifier = nullptr;  // for the least time: is asked for a certificate
};

// Where the device budget comes from; `budget` = usable - context - margin where none was asked for.
struct BudgetLine {
  Bytes usable, context, margin, budget;
  bool asked = false;
};

// One plan as it is shown.
struct Choice {
  std::string name;  // a strategy's, or "plan"; "leanest" for the leanest that is no strategy
  solver::Planned planned;
  bool fits = false;  // the budgets and the time limit
  std::optional<double> tokens_per_s;
  double cost = 0;          // λm·M + λc·C + λt·T
  report::Against against;  // keep-all: what is saved, and what that costs
};

// What would make an infeasible request fit, priced by planning it.
struct PricedChange {
  std::string name;  // "batch 1", "chunked cross-entropy", "host memory"
  std::string how;   // the option to write: "--batch 1"
  bool fits = false;
  std::optional<Nanoseconds> step_ns;
  std::optional<double> tokens_per_s;
  Bytes least_feasible;  // found
};

// What a mixed-integer solver says of plans that copy nothing and run no op again more than once at one
// boundary.
struct Certified {
  bool optimal = false;     // none of them is faster than the best
  bool infeasible = false;  // none of them fits
  bool too_large = false;   // the graph has too many ops to ask
  Nanoseconds bound_ns;     // none of them is faster than this
};

struct PlanAnswer {
  std::string graph_name;
  std::string machine_name;
  BudgetLine budget;
  std::optional<Bytes> host, disk;  // budgets; none: the tier is absent
  base::Limit<Nanoseconds> time_limit;
  Minimize minimize = Minimize::time;
  std::optional<Choice> best;      // none: infeasible
  std::vector<Choice> strategies;  // in the order of solver/strategies.h
  Choice keep_all;
  Choice leanest;        // least_feasible_bytes is its peak
  Bytes least_possible;  // proven
  Nanoseconds bound_ns;
  std::optional<double> gap;           // of the best; none if infeasible
  std::optional<Certified> certified;  // none: not asked for
  // What one more GiB would save a step: the slope to the next faster plan with more memory, of the
  // strategies and of a quick plan with a sixteenth more of the range from the leanest peak to keep-all's.
  // None: nothing is faster, or infeasible.
  std::optional<Nanoseconds> price_per_gib;
  std::optional<report::Residents> residents;  // of the best, at its peak; of the leanest if infeasible
  std::string peak_op;                         // what runs then
  // Who they are, largest first: if infeasible, the values that bind.
  std::vector<report::ResidentGroup> at_peak;
  std::vector<report::Attack> attack;  // which residents to attack first, largest first
  report::Picks picks;                 // names of Choices, among the strategies and the best that fit
  std::vector<PricedChange> changes;   // if infeasible
  std::int64_t units_spent = 0;
  bool stopped = false;
};
// Infeasible is an answer (best is none); an Error is bad input, for example a budget that is negative or
// larger than what the device can use. Least cost is looked for among the strategies, the fastest and the
// leanest plan, and a frontier; of equal costs the plan that no other beats in peak, recompute and busy
// links.
[[nodiscard]] base::Result<PlanAnswer> plan(const Subject& subject, const Question& question);

// From the least peak to keep-all's, whatever the device can hold; what the question limits by a budget or a
// time limit of its own is left out.
struct FrontierAnswer {
  std::string graph_name, machine_name;
  // Ascending in peak, strictly falling in time; each with its price. Named after strategies, or "plan(k)".
  std::vector<report::FrontierPoint> points;
  std::vector<Choice> strategies;
  Choice keep_all;
  report::Picks picks;
  Bytes least_possible;
  Nanoseconds bound_ns;
  bool stopped = false;
};
[[nodiscard]] base::Result<FrontierAnswer> frontier(const Subject& subject, const Question& question,
                                                    std::int32_t points);

// Every strategy, simulated, beside the plan.
struct CompareAnswer {
  PlanAnswer plan;
};
[[nodiscard]] base::Result<CompareAnswer> compare(const Subject& subject, const Question& question);

// Why: what is resident at the peak, and for each activation (or kind of activation, over blocks) its fate
// and the reason.
struct ExplainAnswer {
  std::string graph_name, machine_name, made_by;
  Bytes peak;
  Nanoseconds step_ns;
  report::Residents residents;
  std::string peak_op;                         // what runs at the peak
  std::vector<report::ResidentGroup> at_peak;  // largest first
  std::vector<report::Reason> reasons;         // per group of alike activations, largest bytes first
};
[[nodiscard]] base::Result<ExplainAnswer> explain(const Subject& subject, const plan::Plan& plan);

// The largest batch or sequence length that fits, found by doubling and halving with quick plans, with its
// plan. Sequences from 128 on in multiples of 128. The setting that grows is taken from 1 on, whatever it is
// in `settings`.
enum class Grow : std::uint8_t { batch, sequence };
struct LargestAnswer {
  std::int64_t largest = 0;  // 0: not even 1 fits
  std::optional<PlanAnswer> plan;
};
[[nodiscard]] base::Result<LargestAnswer> largest(const model::Decoder& decoder,
                                                  const model::Settings& settings,
                                                  const machine::Machine& machine, const Question& question,
                                                  Grow grow);

}  // namespace worktop::advisor
