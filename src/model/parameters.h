// The parameters of a decoder, tensor by tensor: what is counted, what LoRA may adapt, what is trained.
//
// Exact: embedding + layers * layer + final norm + head. A tied head has no parameters of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/decoder.h"
#include "model/settings.h"

namespace worktop::model {

// What a linear module of a layer does.
enum class LinearRole : std::uint8_t { query, key, value, query_key_value, output, gate, up, gate_up, down };

struct LinearModule {
  LinearRole role;
  std::string_view parent;  // "self_attn", "mlp", "attn"
  std::string_view name;    // "q_proj", "c_attn"
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool bias = false;
  std::int64_t lora_rank = 0;  // 0: no adapter

  [[nodiscard]] std::int64_t parameters() const { return in * out + (bias ? out : 0); }
  [[nodiscard]] std::int64_t lora_parameters() const { return lora_rank * (in + out); }
};

// The linear modules of one layer, in the order in which they run. Every layer has the same.
[[nodiscard]] std::vector<LinearModule> layer_linears(const Decoder& decoder, const Settings& settings);

// "q_proj" and "v_proj", or the fused projection ("c_attn", "qkv_proj").
[[nodiscard]] std::vector<std::string> default_lora_modules(const Decoder& decoder);
// The names that LoRA modules can have, without "all-linear".
[[nodiscard]] std::vector<std::string> linear_module_names(const Decoder& decoder);

struct ParameterCount {
  std::int64_t embedding = 0;  // tokens and, where learned, positions
  std::int64_t attention = 0;  // of one layer: projections and norms over heads
  std::int64_t mlp = 0;        // of one layer
  std::int64_t norms = 0;      // of one layer
  std::int64_t final_norm = 0;
  std::int64_t head = 0;      // 0 when tied
  std::int64_t adapters = 0;  // of one layer, LoRA
  std::int64_t layers = 0;

  [[nodiscard]] std::int64_t layer() const { return attention + mlp + norms; }
  // Of the base model, without adapters: the number that is published.
  [[nodiscard]] std::int64_t base() const { return embedding + layers * layer() + final_norm + head; }
  [[nodiscard]] std::int64_t total() const { return base() + layers * adapters; }
  [[nodiscard]] std::int64_t trainable() const { return adapters > 0 ? layers * adapters : base(); }
};

// Of what `check` accepts.
[[nodiscard]] ParameterCount count_parameters(const Decoder& decoder, const Settings& settings);

}  // namespace worktop::model
