#include "model/families.h"

#include <array>
#include <string>
#include <vector>

#include "base/names.h"

namespace worktop::model {
namespace {

constexpr std::array kKnown{
    KnownArchitecture{Family::gpt2, "GPT2LMHeadModel", "gpt2"},
    KnownArchitecture{Family::llama, "LlamaForCausalLM", "llama"},
    KnownArchitecture{Family::mistral, "MistralForCausalLM", "mistral"},
    KnownArchitecture{Family::qwen2, "Qwen2ForCausalLM", "qwen2"},
    KnownArchitecture{Family::qwen3, "Qwen3ForCausalLM", "qwen3"},
    KnownArchitecture{Family::phi3, "Phi3ForCausalLM", "phi3"},
};

}  // namespace

std::span<const KnownArchitecture> known_architectures() {
  return kKnown;
}

base::Result<KnownArchitecture> find_architecture(std::string_view name) {
  std::vector<std::string> names;
  std::string all;
  for (const KnownArchitecture& known : kKnown) {
    if (name == known.architecture || name == known.model_type) return known;
    names.emplace_back(known.architecture);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  for (const KnownArchitecture& known : kKnown) names.emplace_back(known.model_type);
  const auto near = base::nearest(name, names);
  return base::fail(base::ErrorCode::input, "architecture '" + std::string(name) + "' is not known", {},
                    near ? "the nearest known one is '" + *near + "'" : "known: " + all);
}

}  // namespace worktop::model
