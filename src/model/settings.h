// How a model is trained: everything a user chooses beside the model and the machine.
//
// Each enum has one table of spellings, from which help, documentation and the parsers are made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/decoder.h"

namespace worktop::model {

enum class Precision : std::uint8_t { fp32, bf16_mixed, fp16_mixed, bf16 };
enum class Optimizer : std::uint8_t { none, sgd, momentum, adamw, adamw8bit, adafactor };
enum class Attention : std::uint8_t { fused, materialised };
enum class CrossEntropy : std::uint8_t { whole, chunked };

// Low-rank adapters on a frozen base (Hu et al. 2021). Modules are the last part of a linear module's name
// ("q_proj", "c_attn") or "all-linear" (every one in the layers); none named: `default_lora_modules`.
struct Lora {
  std::int64_t rank = 16;
  std::vector<std::string> modules = {};
  friend bool operator==(const Lora&, const Lora&) = default;
};

struct Settings {
  std::int64_t batch = 1;         // sequences in one micro-step
  std::int64_t sequence = 2048;   // tokens in a sequence
  std::int64_t accumulation = 1;  // micro-steps in a step
  Precision precision = Precision::bf16;
  Optimizer optimizer = Optimizer::adamw;
  Attention attention = Attention::fused;
  CrossEntropy cross_entropy = CrossEntropy::whole;
  std::optional<double> dropout = {};  // instead of the model's own, wherever the architecture has one
  std::optional<bool> tied = {};       // instead of the model's own
  std::optional<Lora> lora = {};       // nullopt: every parameter is trained

  [[nodiscard]] std::int64_t tokens() const { return batch * sequence; }  // of a micro-step
  friend bool operator==(const Settings&, const Settings&) = default;
};

// --- spellings

template <class E>
struct Spelling {
  E value;
  std::string_view text;
  std::string_view meaning;  // one line, without a full stop
};

// For Precision, Optimizer, Attention and CrossEntropy, in the order of the enum.
template <class E>
[[nodiscard]] std::span<const Spelling<E>> spellings();
template <class E>
[[nodiscard]] std::string_view spelling_of(E value);
// Exactly, or an unambiguous prefix. The error (code usage) offers the nearest spelling.
template <class E>
[[nodiscard]] base::Result<E> parse(std::string_view text);

// --- what a model and settings mean together

// The decoder with the overrides of the settings (dropout, tied) in place.
[[nodiscard]] Decoder with_overrides(Decoder decoder, const Settings& settings);

// The largest number that any field may have; tensors are at most base::Bytes::largest().
inline constexpr std::int64_t kLargestCount = (std::int64_t{1} << 31) - 1;

// Whether a graph can be built: counts positive and in range, heads divisible by kv_heads, a sequence no
// longer than a learned table of positions, probabilities in [0, 1), known LoRA modules, no tensor above
// Bytes::largest() and no more than 2^53 parameters. Errors (code usage or input) name the field in `where`.
[[nodiscard]] base::Status check(const Decoder& decoder, const Settings& settings);

}  // namespace worktop::model
