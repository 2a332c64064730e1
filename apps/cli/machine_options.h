// What the step runs on and what it may use there.
#pragma once

#include "base/units.h"
#include "command.h"
#include "machine/machine.h"

namespace worktop::cli {

struct MachineOptions {
  Text machine, budget, host, disk;

  void add(CLI::App& app, bool with_budget = true);
  // With the budgets of host and disk that were asked for; otherwise those of its file, and else the tier is
  // absent.
  [[nodiscard]] base::Result<machine::Machine> load() const;
  [[nodiscard]] base::Result<std::optional<base::Bytes>> device_budget(const machine::Machine& machine) const;
};

}  // namespace worktop::cli
