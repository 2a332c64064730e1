// Plan quality on step graphs that others have published with their budgets and their best known times.
//
//   instances_bench [FOLDER]
//
// Reads every *.json of FOLDER; without one, of data/instances in the folders beside the repository, if there
// is any. First each file is checked: keeping everything takes the stated time and, where it is stated, the
// stated peak. Then a table: per budget, how much slower than keeping everything the reference is and the
// plans of quick and normal effort are, in percent of the keep-all time, and the gap between normal and the
// reference. Traces come without references: they are planned at shares of their keep-all peak.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
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

machine::Machine machine_of() {
  machine::Machine machine;  // no links: the files know none
  machine.name = machine.title = "device alone";
  machine.usable_bytes = Bytes{kMost};
  return machine;
}

std::string percent(std::optional<Nanoseconds> more, Nanoseconds of) {
  return more ? fmt::format("{:8.2f} %", 100 * ratio(*more, of)) : fmt::format("{:>10}", "-");
}

struct Solved {
  std::optional<Nanoseconds> extra;  // over keeping everything
  double seconds = 0;
};
Solved solve(const solver::Problem& problem, solver::Effort effort, Nanoseconds keep_all) {
  const auto start = std::chrono::steady_clock::now();
  const solver::Answer answer = solver::fastest(problem, {.effort = effort});
  Solved solved;
  solved.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer.best) solved.extra = answer.best->step_ns - keep_all;
  return solved;
}

// False if keeping everything is not what the file says.
bool report(const Instance& instance) {
  const machine::Machine machine = machine_of();
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
    for (const int share : {80, 60, 40}) rows.push_back({all.device_peak() * share / 100, std::nullopt});
  fmt::print("  {:>11} {:>10} {:>10} {:>10} {:>10} {:>8}\n", "budget", "reference", "quick", "normal", "gap",
             "seconds");
  for (const Reference& row : rows) {
    const solver::Problem problem{instance.file.graph, machine, durations, {.device = row.budget}};
    const Solved quick = solve(problem, solver::Effort::quick, all.step_ns);
    const Solved normal = solve(problem, solver::Effort::normal, all.step_ns);
    const auto reference = row.step_ns ? std::optional(*row.step_ns - all.step_ns) : std::nullopt;
    const auto gap = reference && normal.extra ? std::optional(*normal.extra - *reference) : std::nullopt;
    fmt::print("  {:7.3f} GiB {} {} {} {} {:8.2f}\n", ratio(row.budget, base::kGiB),
               percent(reference, all.step_ns), percent(quick.extra, all.step_ns),
               percent(normal.extra, all.step_ns), percent(gap, all.step_ns), normal.seconds);
  }
  std::fflush(stdout);
  return as_stated;
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
  const std::optional<fs::path> folder =
      argc > 1 ? std::optional<fs::path>(argv[1]) : folder_beside(fs::path(WORKTOP_ROOT));
  if (!folder) {
    fmt::print("instances_bench: no folder data/instances beside the repository; nothing is measured\n");
    return 0;
  }
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(*folder))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  bool all_as_stated = true;
  for (const fs::path& path : paths) {
    const auto instance = read(path);
    if (!instance) {
      fmt::print("{}: {} at {}\n", path.filename().string(), instance.error().what, instance.error().where);
      all_as_stated = false;
      continue;
    }
    all_as_stated = report(*instance) && all_as_stated;
  }
  return all_as_stated ? 0 : 1;
}
