// Plan quality on step graphs that others have published with their budgets and their best known times.
//
//   instances_bench [FOLDER] [--efforts quick,normal,deep] [--links NAME] [--only PART] [--seeds N]
//
// Reads every *.json of FOLDER (PART: only names that contain it); without one, of data/instances in the
// folders beside the repository, if there is any. First each file is checked: keeping everything takes the
// stated time and, where it is stated, the stated peak. Then a table: per budget, how much slower than
// keeping everything the reference, the plans of each effort (with several seeds: the worst) and the bound
// are, in percent of the keep-all time; how far the last effort is from the reference; the gap to the bound;
// user seconds. Traces come without references: they are planned at shares of their keep-all peak.
//
// With --links (pcie, or pcie-nvme) the machine has a host as in a PCIe 4 server, and a disk: beside each
// other the best plan that only recomputes, the best that only offloads (offload_all without needless trips),
// the best strategy, and the plan.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>

#include "instances.h"

namespace {

using namespace worktop;
using namespace worktop::bench;
namespace fs = std::filesystem;

struct Arguments {
  std::optional<fs::path> folder;
  std::vector<solver::Effort> efforts = {solver::Effort::quick, solver::Effort::normal};
  std::string links, only;
  std::uint64_t seeds = 1;
};

std::string percent(std::optional<Nanoseconds> more, Nanoseconds of) {
  return more ? fmt::format("{:8.2f} %", 100 * ratio(*more, of)) : fmt::format("{:>10}", "-");
}

struct Solved {
  std::optional<Nanoseconds>
      extra;             // over keeping everything: the worst of the seeds; none if a seed has none
  Nanoseconds bound{0};  // the best
  double gap = -1;       // of the worst plan to the best bound
  double seconds = 0;    // of one seed, on average
  Bytes moved{0};
};
Solved solve(const solver::Problem& problem, solver::Effort effort, Nanoseconds keep_all,
             std::uint64_t seeds) {
  const std::clock_t start = std::clock();
  Solved solved;
  bool all_found = true;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const solver::Answer answer = solver::fastest(problem, {.effort = effort, .seed = seed});
    all_found = all_found && answer.best;
    solved.bound = std::max(solved.bound, answer.bound_ns);
    if (!answer.best) continue;
    solved.extra = std::max(solved.extra.value_or(Nanoseconds{INT64_MIN}), answer.best->step_ns - keep_all);
    solved.moved = answer.best->moved;
  }
  if (!all_found) solved.extra.reset();
  if (solved.extra) solved.gap = ratio(keep_all + *solved.extra - solved.bound, solved.bound);
  solved.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(seeds);
  return solved;
}

const char* name_of(solver::Effort effort) {
  return effort == solver::Effort::quick ? "quick" : effort == solver::Effort::normal ? "normal" : "deep";
}

void report_alone(const Instance& instance, const machine::Machine& machine, const Reference& row,
                  Nanoseconds keep_all, const Arguments& arguments) {
  const solver::Problem problem{instance.file.graph,
                                machine,
                                *instance.file.durations,
                                {.device = row.budget, .host = Bytes{0}, .disk = Bytes{0}}};
  const auto reference = row.step_ns ? std::optional(*row.step_ns - keep_all) : std::nullopt;
  std::string line =
      fmt::format("  {:7.3f} GiB {}", ratio(row.budget, base::kGiB), percent(reference, keep_all));
  std::string seconds;
  Solved last;
  for (const solver::Effort effort : arguments.efforts) {
    last = solve(problem, effort, keep_all, arguments.seeds);
    line += " " + percent(last.extra, keep_all);
    seconds += fmt::format(" {:7.2f}", last.seconds);
  }
  const auto beyond = reference && last.extra ? std::optional(*last.extra - *reference) : std::nullopt;
  const std::string gap =
      last.gap < 0 ? fmt::format("{:>10}", "-") : fmt::format("{:8.2f} %", 100 * last.gap);
  fmt::print("{} {} {} {} {}\n", line, percent(beyond, keep_all),
             percent(std::optional(last.bound - keep_all), keep_all), last.gap == 0 ? "   optimal" : gap,
             seconds);
}

void report_links(const Instance& instance, const machine::Machine& machine, const Reference& row,
                  Nanoseconds keep_all, const Arguments& arguments) {
  const graph::Graph& graph = instance.file.graph;
  const cost::Durations& durations = *instance.file.durations;
  const solver::Effort effort = arguments.efforts.back();
  const machine::Machine alone = machine_of("");
  const plan::Budgets budgets{.device = row.budget, .host = machine.host_bytes, .disk = machine.disk_bytes};
  const Solved recompute = solve({graph, alone, durations, {.device = row.budget}}, effort, keep_all, 1);
  const solver::Problem problem{graph, machine, durations, budgets};
  const Solved mixed = solve(problem, effort, keep_all, arguments.seeds);
  std::optional<Nanoseconds> offload, strategy;
  for (const solver::Planned& p : solver::fastest(problem, {.effort = solver::Effort::quick}).strategies) {
    if (!solver::fits(p, budgets)) continue;
    const bool offloads = p.plan.made_by.starts_with("offload");
    if (offloads) offload = std::min(offload.value_or(Nanoseconds::largest()), p.step_ns - keep_all);
    strategy = std::min(strategy.value_or(Nanoseconds::largest()), p.step_ns - keep_all);
  }
  fmt::print("  {:7.3f} GiB {} {} {} {} {:8.2f} % {:6.2f} GiB {:7.2f}\n", ratio(row.budget, base::kGiB),
             percent(recompute.extra, keep_all), percent(offload, keep_all), percent(strategy, keep_all),
             percent(mixed.extra, keep_all), 100 * mixed.gap, ratio(mixed.moved, base::kGiB), mixed.seconds);
}

// False if keeping everything is not what the file says.
bool report(const Instance& instance, const Arguments& arguments) {
  const machine::Machine machine = machine_of(arguments.links);
  const solver::Planned all = keep_all_of(instance, machine);
  const bool is_as_stated = as_stated(instance, all);
  fmt::print("\n{}: {} ops; keep all {:.3f} ms, {:.3f} GiB{}\n", instance.name,
             instance.file.graph.op_count(), all.step_ns.as_double() / 1e6,
             ratio(all.device_peak(), base::kGiB), is_as_stated ? ", as stated" : "");
  if (!is_as_stated)
    fmt::print("  STATED: {} ns, {} B; FOUND: {} ns, {} B\n", instance.stated_ns.count(),
               instance.stated_peak.value_or(Bytes{0}).count(), all.step_ns.count(),
               all.device_peak().count());
  const std::vector<Reference> rows = rows_of(instance, all.device_peak());
  if (arguments.links.empty()) {
    fmt::print("  {:>11} {:>10}", "budget", "reference");
    for (const solver::Effort effort : arguments.efforts) fmt::print(" {:>10}", name_of(effort));
    fmt::print(" {:>10} {:>10} {:>10}  seconds\n", "beyond ref", "bound", "gap");
  } else {
    fmt::print("  {:>11} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}  seconds\n", "budget", "recompute",
               "offload", "strategy", "plan", "gap", "moved");
  }
  for (const Reference& row : rows) {
    if (arguments.links.empty())
      report_alone(instance, machine, row, all.step_ns, arguments);
    else
      report_links(instance, machine, row, all.step_ns, arguments);
    std::fflush(stdout);
  }
  return is_as_stated;
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
    if (word == "--links")
      arguments.links = given;
    else if (word == "--only")
      arguments.only = given;
    else if (word == "--seeds")
      arguments.seeds = std::stoul(given);
    else if (word == "--efforts") {
      arguments.efforts.clear();
      for (const solver::Effort effort :
           {solver::Effort::quick, solver::Effort::normal, solver::Effort::deep})
        if (given.find(name_of(effort)) != std::string::npos) arguments.efforts.push_back(effort);
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
        "usage: instances_bench [FOLDER] [--efforts quick,normal,deep] [--links pcie|pcie-nvme] "
        "[--only PART] [--seeds N]\n");
    return 2;
  }
  const std::optional<fs::path> folder =
      arguments->folder ? arguments->folder : folder_beside_the_repository();
  if (!folder) {
    fmt::print("instances_bench: no folder data/instances beside the repository; nothing is measured\n");
    return 0;
  }
  bool all_as_stated = true;
  for (const fs::path& path : instance_files(*folder, arguments->only)) {
    const auto instance = read_instance(path);
    if (!instance) {
      fmt::print("{}: {} at {}\n", path.filename().string(), instance.error().what, instance.error().where);
      all_as_stated = false;
      continue;
    }
    all_as_stated = report(*instance, *arguments) && all_as_stated;
  }
  return all_as_stated ? 0 : 1;
}
