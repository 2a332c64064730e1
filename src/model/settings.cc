#include "model/settings.h"

#include <array>

#include "base/names.h"

namespace worktop::model {
namespace {

constexpr std::array kPrecisions{
    Spelling{Precision::fp32, "fp32", "everything in single precision"},
    Spelling{Precision::bf16_mixed, "bf16-mixed", "fp32 weights, bf16 under torch.autocast"},
    Spelling{Precision::fp16_mixed, "fp16-mixed", "fp32 weights, fp16 under torch.autocast"},
    Spelling{Precision::bf16, "bf16", "weights, gradients and optimizer states in bf16"},
};
constexpr std::array kOptimizers{
    Spelling{Optimizer::none, "none", "forward and backward only"},
    Spelling{Optimizer::sgd, "sgd", "plain gradient descent, no states"},
    Spelling{Optimizer::momentum, "momentum", "gradient descent with momentum, one state a parameter"},
    Spelling{Optimizer::adamw, "adamw", "two states a parameter, in the parameter's precision"},
    Spelling{Optimizer::adamw8bit, "adamw8bit", "two states of one byte, a scale for every 256"},
    Spelling{Optimizer::adafactor, "adafactor", "one row and one column of statistics a matrix"},
};
constexpr std::array kAttentions{
    Spelling{Attention::fused, "fused", "one kernel that never writes the scores (flash attention)"},
    Spelling{Attention::materialised, "materialised", "scores and probabilities as tensors"},
};
constexpr std::array kCrossEntropies{
    Spelling{CrossEntropy::whole, "whole", "all logits at once, as the plain loss does"},
    Spelling{CrossEntropy::chunked, "chunked", "head and loss fused, 1024 tokens at a time"},
};

template <class E>
constexpr std::string_view kNoun = "";
template <>
constexpr std::string_view kNoun<Precision> = "precision";
template <>
constexpr std::string_view kNoun<Optimizer> = "optimizer";
template <>
constexpr std::string_view kNoun<Attention> = "attention";
template <>
constexpr std::string_view kNoun<CrossEntropy> = "cross-entropy";

}  // namespace

template <>
std::span<const Spelling<Precision>> spellings() {
  return kPrecisions;
}
template <>
std::span<const Spelling<Optimizer>> spellings() {
  return kOptimizers;
}
template <>
std::span<const Spelling<Attention>> spellings() {
  return kAttentions;
}
template <>
std::span<const Spelling<CrossEntropy>> spellings() {
  return kCrossEntropies;
}

template <class E>
std::string_view spelling_of(E value) {
  for (const Spelling<E>& spelling : spellings<E>())
    if (spelling.value == value) return spelling.text;
  return "?";
}

template <class E>
base::Result<E> parse(std::string_view text) {
  std::vector<std::string> known;
  for (const Spelling<E>& spelling : spellings<E>()) known.emplace_back(spelling.text);
  WORKTOP_TRY(const std::string name, base::resolve_name(kNoun<E>, text, known));
  for (const Spelling<E>& spelling : spellings<E>())
    if (spelling.text == name) return spelling.value;
  return base::fail(base::ErrorCode::usage, "no spelling '" + name + "'");
}

template std::string_view spelling_of(Precision);
template std::string_view spelling_of(Optimizer);
template std::string_view spelling_of(Attention);
template std::string_view spelling_of(CrossEntropy);
template base::Result<Precision> parse(std::string_view);
template base::Result<Optimizer> parse(std::string_view);
template base::Result<Attention> parse(std::string_view);
template base::Result<CrossEntropy> parse(std::string_view);

Decoder with_overrides(Decoder decoder, const Settings& settings) {
  if (settings.tied) decoder.tied = *settings.tied;
  if (settings.dropout) {
    for (std::optional<double>* site :
         {&decoder.dropout.embedding, &decoder.dropout.attention, &decoder.dropout.residual})
      if (*site) *site = settings.dropout;
  }
  return decoder;
}

}  // namespace worktop::model
