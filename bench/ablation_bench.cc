// What each technique earns: the portfolio without it, on the published step graphs.
//
//   ablation_bench [FOLDER] [--effort quick|normal|deep] [--links NAME] [--only PART] [--seeds N]
//
// FOLDER and NAME as in instances_bench. A column for each graph, a line for the whole portfolio and for each
// technique left out ("- mixes"): how far its plans lie above the best that any line (or the reference) has
// for the same budget and seed, in percent of the keep-all time, on average over budgets and seeds; "gap" the
// same of the bounds below the best plans; "none" how many budgets of all graphs have no plan with any seed;
// CPU seconds of one budget. Budgets at which no line has a plan are left out.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "instances.h"

namespace {

using namespace worktop;
using namespace worktop::bench;
namespace fs = std::filesystem;
using solver::Effort;

struct Arguments {
  std::optional<fs::path> folder;
  Effort effort = Effort::quick;
  std::string links, only;
  std::uint64_t seeds = 1;
};

struct Line {
  std::string name;
  solver::Techniques without;
  std::vector<double> above;  // by graph: the average
  double gap = 0, seconds = 0;
  std::int32_t none = 0, budgets = 0;
};

std::vector<Line> lines() {
  std::vector<Line> all{{.name = "all of them"}};
  solver::Techniques everything;
  for (const solver::Technique t : solver::kTechniques) {
    all.push_back({.name = fmt::format("- {}", name_of(t)), .without = t});
    everything = everything | t;
  }
  all.push_back({.name = "- all of these", .without = everything});
  return all;
}

struct Outcome {
  std::vector<Nanoseconds> step_ns;  // of the seeds that have a plan
  Nanoseconds bound_ns{0};
};

Outcome solve(const solver::Problem& problem, const Arguments& arguments, Line& line) {
  Outcome outcome;
  const std::clock_t start = std::clock();
  for (std::uint64_t seed = 0; seed < arguments.seeds; ++seed) {
    const solver::Answer answer =
        solver::fastest(problem, {.effort = arguments.effort, .seed = seed, .without = line.without});
    outcome.bound_ns = std::max(outcome.bound_ns, answer.bound_ns);
    if (answer.best) outcome.step_ns.push_back(answer.best->step_ns);
  }
  line.seconds +=
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(arguments.seeds);
  return outcome;
}

// Adds a graph's column to every line.
void add(const Instance& instance, const Arguments& arguments, std::vector<Line>& all) {
  const machine::Machine machine = machine_of(arguments.links);
  const solver::Planned keep_all = keep_all_of(instance, machine);
  std::vector<double> sums(all.size(), 0);
  std::vector<std::int64_t> counts(all.size(), 0);
  for (const Reference& row : rows_of(instance, keep_all.device_peak())) {
    const solver::Problem problem{instance.graph(),
                                  machine,
                                  instance.durations(),
                                  {.device = row.budget,
                                   .host = machine.host_bytes.value_or(Bytes{0}),
                                   .disk = machine.disk_bytes.value_or(Bytes{0})}};
    std::vector<Outcome> outcomes;
    std::optional<Nanoseconds> best = arguments.links.empty() ? row.step_ns : std::nullopt;
    for (Line& line : all) {
      outcomes.push_back(solve(problem, arguments, line));
      for (const Nanoseconds ns : outcomes.back().step_ns) best = best ? std::min(*best, ns) : ns;
    }
    if (!best) continue;
    for (std::size_t i = 0; i < all.size(); ++i) {
      ++all[i].budgets;
      all[i].none += outcomes[i].step_ns.empty();
      all[i].gap += 100 * ratio(*best - outcomes[i].bound_ns, keep_all.step_ns);
      for (const Nanoseconds ns : outcomes[i].step_ns)
        sums[i] += 100 * ratio(ns - *best, keep_all.step_ns), ++counts[i];
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].above.push_back(counts[i] == 0 ? -1 : sums[i] / static_cast<double>(counts[i]));
}

void print(const std::vector<std::string>& names, const std::vector<Line>& all) {
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("  {}: {}\n", i + 1, names[i]);
  fmt::print("{:<20}", "");
  for (std::size_t i = 0; i < names.size(); ++i) fmt::print("{:>6}", i + 1);
  fmt::print("{:>6}{:>5}{:>6}\n", "gap", "none", "s");
  for (const Line& line : all) {
    fmt::print("{:<20}", line.name);
    for (const double above : line.above)
      fmt::print("{}", above < 0 ? fmt::format("{:>6}", "-") : fmt::format("{:6.2f}", above));
    const double n = std::max(1, line.budgets);
    fmt::print("{:6.2f}{:5}{:6.2f}\n", line.gap / n, line.none, line.seconds / n);
  }
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
    else if (word == "--effort" && (given == "quick" || given == "normal" || given == "deep"))
      arguments.effort = given == "quick" ? Effort::quick : given == "normal" ? Effort::normal : Effort::deep;
    else
      return std::nullopt;
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    fmt::print(
        "usage: ablation_bench [FOLDER] [--effort quick|normal|deep] [--links pcie|pcie-nvme] [--only PART] "
        "[--seeds N]\n");
    return 2;
  }
  const std::optional<fs::path> folder =
      arguments->folder ? arguments->folder : folder_beside_the_repository();
  if (!folder) {
    fmt::print("ablation_bench: no folder data/instances beside the repository; nothing is measured\n");
    return 0;
  }
  std::vector<Line> all = lines();
  std::vector<std::string> names;
  for (const fs::path& path : instance_files(*folder, arguments->only)) {
    const auto instance = read_instance(path);
    if (!instance) {
      fmt::print("{}: {} at {}\n", path.filename().string(), instance.error().what, instance.error().where);
      return 1;
    }
    add(*instance, *arguments, all);
    names.push_back(instance->name);
  }
  print(names, all);
  return 0;
}
