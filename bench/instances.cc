#include "instances.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "format/json_cursor.h"
#include "plan/lower.h"

namespace worktop::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTick = 10'000;  // ns of a tensor-dag's unit of time
constexpr std::int64_t kMost = std::int64_t{1} << 53;

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

}  // namespace

base::Result<Instance> read_instance(const fs::path& path) {
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

std::vector<fs::path> instance_files(const fs::path& folder, const std::string& part) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json" &&
        entry.path().filename().string().find(part) != std::string::npos)
      paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::optional<fs::path> folder_beside_the_repository() {
  const fs::path repository(WORKTOP_ROOT);
  std::vector<fs::path> found;
  for (const auto& entry :
       fs::directory_iterator(repository.parent_path(), fs::directory_options::skip_permission_denied))
    if (fs::is_directory(entry.path() / "data" / "instances"))
      found.push_back(entry.path() / "data" / "instances");
  std::ranges::sort(found);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

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

solver::Planned keep_all_of(const Instance& instance, const machine::Machine& machine) {
  const plan::Policy policy{.name = "keep_all"};
  return solver::predict({instance.graph(), machine, instance.durations(), {}},
                         *plan::lower(instance.graph(), machine, policy, instance.durations().op));
}

std::vector<Reference> rows_of(const Instance& instance, Bytes keep_all_peak) {
  std::vector<Reference> rows = instance.references;
  if (rows.empty())
    for (const int share : {70, 50, 40, 30}) rows.push_back({keep_all_peak * share / 100, std::nullopt});
  return rows;
}

bool as_stated(const Instance& instance, const solver::Planned& keep_all) {
  return keep_all.step_ns == instance.stated_ns &&
         (!instance.stated_peak || keep_all.device_peak() == *instance.stated_peak);
}

}  // namespace worktop::bench
