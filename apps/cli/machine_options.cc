#include "machine_options.h"

#include "format/sizes.h"
#include "sources.h"
#include "values.h"

namespace worktop::cli {

void MachineOptions::add(CLI::App& app, bool with_budget) {
  const std::string group = "Machine";
  add_text(app, "--machine", machine, "NAME|FILE", "a name of 'worktop machines', or a machine file")
      ->group(group);
  if (with_budget)
    add_text(app, "--budget", budget, "SIZE", "of the device: 20GiB, 20GB, 80% (what is usable)")
        ->group(group);
  add_text(app, "--host", host, "SIZE", "host memory to offload to (none)")->group(group);
  add_text(app, "--disk", disk, "SIZE", "disk space to offload to (none)")->group(group);
}

base::Result<machine::Machine> MachineOptions::load() const {
  if (!machine)
    return base::fail(base::ErrorCode::usage, "there is no machine", "--machine",
                      "give a name of 'worktop machines', such as --machine rtx-4090");
  WORKTOP_TRY(machine::Machine loaded, load_machine(*machine));
  if (host) {
    WORKTOP_TRY(loaded.host_bytes, at("--host", format::parse_bytes(*host)));
  }
  if (disk) {
    WORKTOP_TRY(loaded.disk_bytes, at("--disk", format::parse_bytes(*disk)));
  }
  return loaded;
}

base::Result<std::optional<base::Bytes>> MachineOptions::device_budget(const machine::Machine& on) const {
  if (!budget) return std::nullopt;
  WORKTOP_TRY(const base::Bytes bytes,
              at("--budget", format::parse_bytes(*budget, on.usable_bytes, on.name)));
  return bytes;
}

}  // namespace worktop::cli
