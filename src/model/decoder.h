// The architecture of a dense decoder: the one family of models whose step graph this program builds itself.
//
// GPT-2, Llama, Mistral, Qwen2, Qwen3 and Phi-3 differ in the fields below and in nothing else that costs
// bytes or flops. Whoever reads a config.json fills one of these (model/families.h says which architectures
// are known); `check` in model/settings.h says whether the numbers make sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace worktop::model {

// Decides the names of modules ("self_attn.q_proj" or "attn.c_attn") and what a family does differently.
enum class Family : std::uint8_t { gpt2, llama, mistral, qwen2, qwen3, phi3 };

enum class Norm : std::uint8_t {
  layer_norm,  // weight and bias
  rms_norm,    // weight only; computed in fp32 whatever the model's precision
};

enum class Mlp : std::uint8_t {
  plain,  // up, activation, down
  gated,  // down(activation(gate) * up)
};

// As the names in a config.json; they differ in what autograd saves.
enum class Activation : std::uint8_t {
  silu,
  gelu,       // erf, one fused op
  gelu_new,   // tanh, written out as eight elementwise ops (GPT-2's NewGELUActivation)
  gelu_tanh,  // tanh, one fused op ("gelu_pytorch_tanh")
  relu,
};

enum class Position : std::uint8_t {
  rotary,   // queries and keys are rotated in every layer
  learned,  // a table of max_positions rows is added to the embedding
};

// Probabilities; nullopt where the architecture has no such dropout, so that an override leaves it alone.
struct Dropout {
  std::optional<double> embedding;  // after the embedding
  std::optional<double> attention;  // on the attention probabilities
  std::optional<double> residual;   // on what is added to the residual stream, twice in a layer
  friend bool operator==(const Dropout&, const Dropout&) = default;
};

struct Decoder {
  std::string name;          // of the model: "Llama-3-8B"; the graph is named after it
  std::string architecture;  // as in config.json: "LlamaForCausalLM"
  Family family = Family::llama;

  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;     // of queries
  std::int64_t kv_heads = 0;  // of keys and values; divides `heads`
  std::int64_t head_dim = 0;  // heads * head_dim need not be `hidden` (Qwen3)
  std::int64_t intermediate = 0;
  std::int64_t vocab = 0;  // rows of the embedding, padding included
  std::int64_t max_positions = 0;

  Norm norm = Norm::rms_norm;
  Mlp mlp = Mlp::gated;
  Activation activation = Activation::silu;
  Position position = Position::rotary;

  bool qkv_bias = false;               // of the projections of queries, keys and values
  bool attention_output_bias = false;  // of the projection after attention
  bool mlp_bias = false;
  bool qk_norm = false;        // an RMS norm over each head of queries and keys (Qwen3)
  bool fused_qkv = false;      // one projection (GPT-2's c_attn, Phi-3's qkv_proj)
  bool fused_gate_up = false;  // one projection (Phi-3's gate_up_proj)
  bool tied = false;           // the head is the embedding
  Dropout dropout;
  std::optional<std::int64_t> sliding_window;  // each token sees this many before it; nullopt: all

  [[nodiscard]] std::int64_t query_width() const { return heads * head_dim; }
  [[nodiscard]] std::int64_t kv_width() const { return kv_heads * head_dim; }

  friend bool operator==(const Decoder&, const Decoder&) = default;
};

}  // namespace worktop::model
