// Step graphs that others have published with their budgets and their best known times, as the benches read
// them, and the machines that they are planned for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "format/graph_file.h"
#include "machine/machine.h"
#include "solver/portfolio.h"

namespace worktop::bench {

using base::Bytes;
using base::Nanoseconds;

// A budget for the whole step, and the best time known within it; none: nobody says.
struct Reference {
  Bytes budget;
  std::optional<Nanoseconds> step_ns;
};

struct Instance {
  std::string name;
  format::GraphFile file;
  Nanoseconds stated_ns{0};          // of keeping everything
  std::optional<Bytes> stated_peak;  // of keeping everything
  std::vector<Reference> references;
  [[nodiscard]] const graph::Graph& graph() const { return file.graph; }
  [[nodiscard]] const cost::Durations& durations() const { return *file.durations; }
};
[[nodiscard]] base::Result<Instance> read_instance(const std::filesystem::path& path);

// The *.json of a folder whose names contain `part`, in order of their names.
[[nodiscard]] std::vector<std::filesystem::path> instance_files(const std::filesystem::path& folder,
                                                                const std::string& part);
// data/instances in a folder beside the repository; none: there is none.
[[nodiscard]] std::optional<std::filesystem::path> folder_beside_the_repository();

// The files know no machine: a device as large as anyone asks, and the links that are named: "" (none),
// "pcie", or "pcie-nvme".
[[nodiscard]] machine::Machine machine_of(const std::string& links);

// Keeping everything; and the budgets to plan for: the references', or shares of the peak of keeping all.
[[nodiscard]] solver::Planned keep_all_of(const Instance& instance, const machine::Machine& machine);
[[nodiscard]] std::vector<Reference> rows_of(const Instance& instance, Bytes keep_all_peak);
// Whether keeping everything is what the file says.
[[nodiscard]] bool as_stated(const Instance& instance, const solver::Planned& keep_all);

}  // namespace worktop::bench
