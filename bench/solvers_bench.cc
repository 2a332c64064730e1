// Solvers side by side, on the same step graphs and machine: the portfolio at each effort, every strategy, an
// online policy and a plain annealer.
//
//   solvers_bench [FOLDER] [--only PART] [--efforts quick,normal,deep] [--ladder N] [--milp SECONDS]
//
// FOLDER as in instances_bench. A table for each step graph: its budgets are the columns; a cell is how much
// slower than keeping everything the step is, in percent, "-" where nothing that fits was found; last the CPU
// seconds of one budget, on average. Whoever made a plan, it is judged by plan/legal and plan/memory and
// timed by the simulator.
//
// With --milp SECONDS also HiGHS (if the build has it): the relaxation of the stages' programme, which is a
// bound; the programme itself, from nothing; and the certificate, from the portfolio's plan and bound at
// normal effort, with the bound that it ends with. Each has so many seconds for a budget; "-" where they were
// not enough.
//
// Below each table: the portfolio is asked anew for each of N budgets (16) between the leanest plan and
// keeping everything, and a step that is more than 0.1 % slower than one within a smaller budget is a
// violation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <functional>

#include "base/ensure.h"
#include "baselines/annealer.h"
#include "baselines/dtr.h"
#include "highs/highs.h"
#include "instances.h"
#include "plan/legal.h"
#include "solver/milp.h"

namespace {

using namespace worktop;
using namespace worktop::bench;
namespace fs = std::filesystem;
using solver::Effort;
using solver::Planned;
using solver::Problem;

constexpr std::array kEfforts = {Effort::quick, Effort::normal, Effort::deep};
constexpr std::array kEffortNames = {"quick", "normal", "deep"};

struct Arguments {
  std::optional<fs::path> folder;
  std::string only;
  std::vector<Effort> efforts = {Effort::quick, Effort::normal};
  std::int32_t ladder = 16;
  double milp_seconds = 0;
};

const char* name_of(Effort effort) {
  return kEffortNames[static_cast<std::size_t>(effort)];
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// One line of a table: what one solver, or one bound, is at each budget.
struct Line {
  std::string name;
  std::vector<std::optional<Nanoseconds>> step_ns;  // by budget
  double seconds = -1;                              // of all budgets; negative: part of another line's
};

class Table {
 public:
  Table(const Instance& instance, const machine::Machine& machine, const Planned& keep_all)
      : keep_all_(keep_all) {
    for (const Reference& row : rows_of(instance, keep_all.device_peak())) {
      references_.push_back(row.step_ns);
      problems_.push_back({instance.graph(),
                           machine,
                           instance.durations(),
                           {.device = row.budget, .host = Bytes{0}, .disk = Bytes{0}}});
    }
    fmt::print("  {:<19}", "budget, GiB");
    for (const Problem& problem : problems_)
      fmt::print("{:8.3f}", ratio(*problem.budgets.device, base::kGiB));
    fmt::print("{:>9}\n", "CPU s");
    if (std::ranges::any_of(references_, [](const auto& r) { return r.has_value(); }))
      print({"reference", references_});
  }

  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

  // A line of plans. One that is not legal or does not fit ends the program: it would be a lie in the table.
  void add(const std::string& name, const std::function<std::optional<plan::Plan>(const Problem&)>& solve) {
    Line line{name};
    line.seconds = 0;
    for (const Problem& problem : problems_) {
      const double start = cpu_seconds();
      std::optional<plan::Plan> plan = solve(problem);
      line.seconds += cpu_seconds() - start;
      line.step_ns.push_back(plan ? std::optional(judged(problem, *std::move(plan))) : std::nullopt);
    }
    print(line);
  }
  void print(const Line& line) const {
    fmt::print("  {:<19}", line.name);
    for (const std::optional<Nanoseconds>& ns : line.step_ns) {
      const double more = ns ? 100 * ratio(*ns - keep_all_.step_ns, keep_all_.step_ns) : 0;
      fmt::print("{:>8}", ns ? fmt::format("{:.{}f}", more, more < 1000 ? 2 : 0) : "-");
    }
    if (line.seconds >= 0) fmt::print("{:9.2f}", line.seconds / static_cast<double>(problems_.size()));
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  static Nanoseconds judged(const Problem& problem, plan::Plan plan) {
    const auto legal = plan::legal(problem.graph, problem.machine, plan);
    if (!legal)
      fmt::print("ILLEGAL plan of {}: {} at {}\n", plan.made_by, legal.error().what, legal.error().where);
    ensure(legal.has_value());
    const Planned planned = solver::predict(problem, std::move(plan));
    ensure(solver::fits(planned, problem.budgets));
    return planned.step_ns;
  }

  const Planned& keep_all_;
  std::vector<Problem> problems_;
  std::vector<std::optional<Nanoseconds>> references_;
};

void add_portfolio(Table& table, const Arguments& arguments) {
  for (const Effort effort : arguments.efforts) {
    Line bound{fmt::format("  bound, {}", name_of(effort))};
    table.add(fmt::format("worktop, {}", name_of(effort)), [&](const Problem& problem) {
      const solver::Answer answer = solver::fastest(problem, {.effort = effort});
      bound.step_ns.emplace_back(answer.bound_ns);
      return answer.best ? std::optional(answer.best->plan) : std::nullopt;
    });
    table.print(bound);
  }
}

void add_strategies(Table& table) {
  std::vector<Line> lines;
  for (const Problem& problem : table.problems()) {
    std::size_t i = 0;
    for (const Planned& p : solver::fastest(problem, {.effort = Effort::quick}).strategies) {
      if (i == lines.size()) lines.push_back({p.plan.made_by});
      lines[i++].step_ns.push_back(solver::fits(p, problem.budgets) ? std::optional(p.step_ns)
                                                                    : std::nullopt);
    }
  }
  std::string nowhere;
  for (const Line& line : lines) {
    const auto fits = [](const auto& ns) { return ns.has_value(); };
    if (std::ranges::any_of(line.step_ns, fits))
      table.print(line);
    else
      nowhere += (nowhere.empty() ? "" : " ") + line.name;
  }
  if (!nowhere.empty()) fmt::print("  fit nowhere: {}\n", nowhere);
}

void add_baselines(Table& table, const Arguments& arguments) {
  table.add("DTR, eager", [](const Problem& problem) {
    return dtr(problem.graph, problem.durations, *problem.budgets.device);
  });
  for (const Effort effort : arguments.efforts)
    table.add(fmt::format("annealer, {}", name_of(effort)), [&](const Problem& problem) {
      return anneal_gaps(problem.graph, problem.machine, problem.durations, *problem.budgets.device,
                         solver::units_of(effort), 0);
    });
}

void add_milp(Table& table, double seconds) {
  const auto highs = highs::make_solver();
  if (!highs || table.problems().front().graph.op_count() > solver::kMostOpsOfMilp) return;
  Line relaxation{"HiGHS, LP bound"};
  relaxation.seconds = -cpu_seconds();
  for (const Problem& problem : table.problems())
    relaxation.step_ns.push_back(solver::relaxed_bound(problem, *highs, seconds));
  relaxation.seconds += cpu_seconds();
  table.print(relaxation);
  Line bound{"  bound, certified"};
  for (const bool helped : {false, true}) {
    table.add(helped ? "HiGHS, certifying" : "HiGHS, MILP", [&](const Problem& problem) {
      solver::Answer known;
      if (helped) known = solver::fastest(problem, {.effort = Effort::normal});
      const auto found = solver::certify(problem, known.best, known.bound_ns, *highs, seconds);
      if (helped) bound.step_ns.emplace_back(found.bound_ns);
      return found.best ? std::optional(found.best->plan) : std::nullopt;
    });
  }
  table.print(bound);
}

// Separate calls, ever more budget.
void count_violations(const Instance& instance, const machine::Machine& machine, const Planned& keep_all,
                      Effort effort, std::int32_t count) {
  Problem problem{instance.graph(), machine, instance.durations(), {}};
  problem.budgets.host = problem.budgets.disk = Bytes{0};
  problem.budgets.device = Bytes{0};
  const Bytes least = solver::fastest(problem, {.effort = Effort::quick}).leanest.device_peak();
  std::optional<Nanoseconds> best;
  std::int32_t violations = 0, slower = 0, nothing = 0;
  double worst = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    problem.budgets.device = least + (keep_all.device_peak() - least) * i / count;
    const solver::Answer answer = solver::fastest(problem, {.effort = effort});
    if (!answer.best) {
      ++nothing;
      continue;
    }
    const Nanoseconds now = answer.best->step_ns;
    if (best && now > *best) {
      const double by = ratio(now - *best, *best);
      worst = std::max(worst, by);
      ++slower;
      violations += by > 0.001;
    }
    best = best ? std::min(*best, now) : now;
  }
  fmt::print("  {} budgets at {:<6}: {} violations; {} slower, at worst by {:.3f} %; {} without a plan\n",
             count, name_of(effort), violations, slower, 100 * worst, nothing);
  std::fflush(stdout);
}

void report(const Instance& instance, const Arguments& arguments) {
  const machine::Machine machine = machine_of("");
  const Planned keep_all = keep_all_of(instance, machine);
  fmt::print("\n{}: {} ops; keep all {:.3f} ms, {:.3f} GiB; more than that, %\n", instance.name,
             instance.graph().op_count(), keep_all.step_ns.as_double() / 1e6,
             ratio(keep_all.device_peak(), base::kGiB));
  if (!as_stated(instance, keep_all)) fmt::print("  NOT as the file states\n");
  Table table(instance, machine, keep_all);
  add_portfolio(table, arguments);
  add_baselines(table, arguments);
  add_strategies(table);
  if (arguments.milp_seconds > 0) add_milp(table, arguments.milp_seconds);
  if (arguments.ladder == 0) return;
  for (const Effort effort : arguments.efforts)
    if (effort != Effort::deep) count_violations(instance, machine, keep_all, effort, arguments.ladder);
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      arguments.folder = word;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string given = argv[++i];
    if (word == "--only")
      arguments.only = given;
    else if (word == "--ladder")
      arguments.ladder = std::stoi(given);
    else if (word == "--milp")
      arguments.milp_seconds = std::stod(given);
    else if (word == "--efforts") {
      arguments.efforts.assign(kEfforts.begin(), kEfforts.end());
      std::erase_if(arguments.efforts, [&](Effort e) { return given.find(name_of(e)) == std::string::npos; });
      if (arguments.efforts.empty()) return std::nullopt;
    } else
      return std::nullopt;
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    fmt::print(
        "usage: solvers_bench [FOLDER] [--only PART] [--efforts quick,normal,deep] [--ladder N] "
        "[--milp SECONDS]\n");
    return 2;
  }
  const std::optional<fs::path> folder =
      arguments->folder ? arguments->folder : folder_beside_the_repository();
  if (!folder) {
    fmt::print("solvers_bench: no folder data/instances beside the repository; nothing is measured\n");
    return 0;
  }
  for (const fs::path& path : instance_files(*folder, arguments->only)) {
    const auto instance = read_instance(path);
    if (!instance) {
      fmt::print("{}: {} at {}\n", path.filename().string(), instance.error().what, instance.error().where);
      return 1;
    }
    report(*instance, *arguments);
  }
  return 0;
}
