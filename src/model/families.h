// Which architectures are known, by the strings that a config.json uses.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "model/decoder.h"

namespace worktop::model {

struct KnownArchitecture {
  Family family;
  std::string_view architecture;  // "architectures"[0]: "LlamaForCausalLM"
  std::string_view model_type;    // "model_type": "llama"
};

[[nodiscard]] std::span<const KnownArchitecture> known_architectures();

// By architecture or by model type. The error (code input) names what was asked for, and the nearest known
// one or, if none is near, all of them.
[[nodiscard]] base::Result<KnownArchitecture> find_architecture(std::string_view name);

}  // namespace worktop::model
