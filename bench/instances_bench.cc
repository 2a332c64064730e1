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
#include <fstream>
#include <optional>
#include <sstream>

#include "format/graph_file.h"
#include "format/json_cursor.h"
#include "plan/lower.h"
#include "solver/portfolio.h"

namespace {

using namespace worktop;
using base::Bytes;
using base::Nanoseconds;
namespace fs = std::filesystem;

constexpr std::int64_t kTick = 10'000;  // ns of a tensor-dag's unit of time
constexpr std::int64_t kMost = std::int64_t{1} << 53;

struct Reference {
  Bytes budget;
  std::optional<Nanoseconds> step_ns;
};

struct Instance {
  std::string name;
  format::GraphFile file;
  Nanoseconds stated_ns{0};
  std::optional<Bytes> stated_peak;
  std::vector<Reference> references;
};

base::Result<Instance> read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string content = text.str();
  WORKTOP_TRY(format::GraphFile file, format::read_graph_file(content));
  WORKTOP_TRY(const format::JsonDocument document, format::JsonDocument::parse(content));
  WORKTOP_TRY(const format::JsonObject root, document.root().object());
  Instance instance{.name = file.graph.name(), .file = std::move(file)};
  if (root.find("sum_time_ns")) {
    WORKTOP_TRY(instance.stated_ns, root.quantity<Nanoseconds>("sum_time_ns"));
    WORKTOP_TRY(instance.stated_peak, root.quantity<Bytes>("keep_all_peak_bytes"));
    return instance;
  }
  WORKTOP_TRY(const std::int64_t ticks, root.integer("sum_time", 0, kMost));
  instance.stated_ns = Nanoseconds{ticks * kTick};
  WORKTOP_TRY(const std::int64_t fixed, root.integer_or("fixed_kib", 0, 0, kMost));
  WORKTOP_TRY(const format::JsonArray references, root.array("references"));
  for (const format::JsonCursor item : references) {
    WORKTOP_TRY(const format::JsonObject reference, item.object());
    WORKTOP_TRY(const std::int64_t budget, reference.integer("budget_kib_after_fixed", 0, kMost));
    WORKTOP_TRY(const std::int64_t time, reference.integer("reference_time", 0, kMost));
    instance.references.push_back({Bytes{(fixed + budget) * 1024}, Nanoseconds{time * kTick}});
  }
  return instance;
}

struct Arguments {
  std::optional<fs::path> folder;
  std::vector<solver::Effort> efforts = {solver::Effort::quick, solver::Effort::normal};
  std::string links, only;
  std::uint64_t seeds = 1;
};

void add_links(machine::Machine& machine, machine::Tier upper, machine::Tier lower, double out, double back) {
  machine::Link link;
  link.from = upper, link.to = lower;
  link.bandwidth = {out}, link.both_ways = {out * 0.8};
  link.latency = Nanoseconds{20'000}, link.smallest = Bytes{1 << 20};
  machine.links.push_back(link);
  link.from = lower, link.to = upper;
  link.bandwidth = {back}, link.both_ways = {back * 0.8};
  machine.links.push_back(link);
  (lower == machine::Tier::host ? machine.host_bytes : machine.disk_bytes) = base::kGiB * 64;
}

// The files know no links.
machine::Machine machine_of(const std::string& links) {
  machine::Machine machine;
  machine.name = machine.title = links.empty() ? "device alone" : links;
  machine.usable_bytes = Bytes{kMost};
  if (links.empty()) return machine;
  // A link of 2 GB/s beside these slow graphs (published for cards of 2016) is what PCIe 4 is to today's.
  add_links(machine, machine::Tier::device, machine::Tier::host, 2e9, 2e9);
  if (links == "pcie-nvme") add_links(machine, machine::Tier::host, machine::Tier::disk, 0.3e9, 0.5e9);
  machine.compute_slowdown = 0.01;
  return machine;
}

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
  const cost::Durations& durations = *instance.file.durations;
  const solver::Problem unlimited{instance.file.graph, machine, durations, {}};
  const solver::Planned all = solver::predict(
      unlimited, *plan::lower(instance.file.graph, machine, plan::Policy{.name = "keep_all"}, durations.op));
  const bool as_stated = all.step_ns == instance.stated_ns &&
                         (!instance.stated_peak || all.device_peak() == *instance.stated_peak);
  fmt::print("\n{}: {} ops; keep all {:.3f} ms, {:.3f} GiB{}\n", instance.name,
             instance.file.graph.op_count(), all.step_ns.as_double() / 1e6,
             ratio(all.device_peak(), base::kGiB), as_stated ? ", as stated" : "");
  if (!as_stated)
    fmt::print("  STATED: {} ns, {} B; FOUND: {} ns, {} B\n", instance.stated_ns.count(),
               instance.stated_peak.value_or(Bytes{0}).count(), all.step_ns.count(),
               all.device_peak().count());
  std::vector<Reference> rows = instance.references;
  if (rows.empty())
    for (const int share : {70, 50, 40, 30}) rows.push_back({all.device_peak() * share / 100, std::nullopt});
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
  return as_stated;
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

std::optional<fs::path> folder_beside(const fs::path& repository) {
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::directory_iterator(repository.parent_path(), fs::directory_options::skip_permission_denied))
    if (fs::is_directory(entry.path() / "data" / "instances"))
      found.push_back(entry.path() / "data" / "instances");
  std::ranges::sort(found);
  return found.empty() ? std::nullopt : std::optional(found.front());
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
      arguments->folder ? arguments->folder : folder_beside(fs::path(WORKTOP_ROOT));
  if (!folder) {
    fmt::print("instances_bench: no folder data/instances beside the repository; nothing is measured\n");
    return 0;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(*folder))
    if (entry.path().extension() == ".json" &&
        entry.path().filename().string().find(arguments->only) != std::string::npos)
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  bool all_as_stated = true;
  for (const fs::path& path : paths) {
    const auto instance = read(path);
    if (!instance) {
      fmt::print("{}: {} at {}\n", path.filename().string(), instance.error().what, instance.error().where);
      all_as_stated = false;
      continue;
    }
    all_as_stated = report(*instance, *arguments) && all_as_stated;
  }
  return all_as_stated ? 0 : 1;
}
