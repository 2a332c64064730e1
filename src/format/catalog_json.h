// The lists of known machines and models as JSON: formats "worktop-machines" and "worktop-models-list",
// version 1.
#pragma once

#include <span>
#include <string>

#include "format/model_index.h"
#include "machine/machine.h"

namespace worktop::format {

// {"format", "version", "machines": [machine files]}
[[nodiscard]] std::string machines_json(std::span<const machine::Machine> machines);
// {"format", "version", "models": [{"name", "title", "aliases", "can_be_planned", ...}]}
[[nodiscard]] std::string models_json(std::span<const KnownModel> models);

}  // namespace worktop::format
