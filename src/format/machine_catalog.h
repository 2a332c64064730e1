// The machines that are known by name: data/machines, built into the program.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.h"
#include "machine/machine.h"

namespace worktop::format {

// In the order of their names. An error is a fault of the data, which a test would have found.
[[nodiscard]] base::Result<std::vector<machine::Machine>> known_machines();

// By name or unambiguous prefix: "rtx-4090". The error (code usage) offers the nearest.
[[nodiscard]] base::Result<machine::Machine> find_machine(std::string_view typed);

}  // namespace worktop::format
