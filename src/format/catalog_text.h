// The known machines and models for people, at most 80 columns.
#pragma once

#include <span>
#include <string>

#include "format/model_index.h"
#include "machine/machine.h"

namespace worktop::format {

[[nodiscard]] std::string machines_text(std::span<const machine::Machine> machines);
// One machine in full, with the sources of its numbers.
[[nodiscard]] std::string machine_text(const machine::Machine& machine);
// Those that can be planned first.
[[nodiscard]] std::string models_text(std::span<const KnownModel> models);

}  // namespace worktop::format
