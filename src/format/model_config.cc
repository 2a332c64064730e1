#include "format/model_config.h"

#include <fmt/format.h>

#include <cstdint>

#include "format/json_cursor.h"
#include "format/json_names.h"
#include "model/families.h"
#include "model/settings.h"

namespace worktop::format {
namespace {

using base::Result;
using base::Status;
using model::Activation;
using model::Decoder;
using model::Family;

constexpr NamedValue<Activation> kActivations[] = {{"silu", Activation::silu},
                                                   {"swish", Activation::silu},
                                                   {"gelu", Activation::gelu},
                                                   {"gelu_new", Activation::gelu_new},
                                                   {"gelu_pytorch_tanh", Activation::gelu_tanh},
                                                   {"relu", Activation::relu}};

// What a config.json of this family means where it says nothing. 0 kv heads: as many as heads; 0 head_dim:
// width over heads.
struct Defaults {
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_positions = 0;
};

constexpr Defaults defaults_of(Family family) {
  switch (family) {
    case Family::gpt2:
      return {0, 0, 1024};
    case Family::llama:
      return {0, 0, 2048};
    case Family::mistral:
      return {8, 0, 131'072};
    case Family::qwen2:
      return {32, 0, 32'768};
    case Family::qwen3:
      return {32, 128, 32'768};
    case Family::phi3:
      return {0, 0, 4096};
  }
  return {};
}

Result<std::int64_t> size(const JsonObject& config, std::string_view key) {
  return config.integer(key, 1, model::kLargestCount);
}

Result<std::int64_t> size_or(const JsonObject& config, std::string_view key, std::int64_t otherwise) {
  return config.integer_or(key, otherwise, 1, model::kLargestCount);
}

Result<double> probability(const JsonObject& config, std::string_view key, double otherwise) {
  return config.number_or(key, otherwise, 0.0, 1.0);
}

Result<model::KnownArchitecture> read_architecture(const JsonObject& config) {
  auto at = config.find_set("architectures");
  if (at) {
    WORKTOP_TRY(const JsonArray list, at->array());
    if (list.begin() == list.end())
      at = std::nullopt;
    else
      at = *list.begin();
  }
  if (!at) at = config.find_set("model_type");
  if (!at)
    return config.cursor().fail("has neither 'architectures' nor 'model_type'",
                                "give the config.json of a model on the Hugging Face hub");
  WORKTOP_TRY(const std::string_view name, at->string());
  const auto known = model::find_architecture(name);
  if (!known) return at->fail(known.error().what, known.error().hint);
  return *known;
}

Result<std::int64_t> width_over_heads(const JsonObject& config, const Decoder& d) {
  if (d.hidden % d.heads != 0)
    return config.cursor().fail(fmt::format("a width of {} is not divisible by {} heads", d.hidden, d.heads));
  return d.hidden / d.heads;
}

Status read_gpt2(const JsonObject& config, Decoder& d) {
  WORKTOP_TRY(d.layers, size(config, "n_layer"));
  WORKTOP_TRY(d.hidden, size(config, "n_embd"));
  WORKTOP_TRY(d.heads, size(config, "n_head"));
  d.kv_heads = d.heads;
  WORKTOP_TRY(d.head_dim, width_over_heads(config, d));
  WORKTOP_TRY(d.intermediate, size_or(config, "n_inner", 4 * d.hidden));
  WORKTOP_TRY(d.max_positions, size_or(config, "n_positions", defaults_of(Family::gpt2).max_positions));
  d.norm = model::Norm::layer_norm;
  d.mlp = model::Mlp::plain;
  d.position = model::Position::learned;
  d.qkv_bias = d.attention_output_bias = d.mlp_bias = true;
  d.fused_qkv = true;
  WORKTOP_TRY(d.activation, value_or(kActivations, config, "activation_function", Activation::gelu_new));
  WORKTOP_TRY(d.dropout.embedding, probability(config, "embd_pdrop", 0.1));
  WORKTOP_TRY(d.dropout.attention, probability(config, "attn_pdrop", 0.1));
  WORKTOP_TRY(d.dropout.residual, probability(config, "resid_pdrop", 0.1));
  return {};
}

Status read_biases(const JsonObject& config, Decoder& d) {
  if (d.family == Family::qwen2) d.qkv_bias = true;
  if (d.family == Family::llama || d.family == Family::qwen3) {
    WORKTOP_TRY(d.qkv_bias, config.boolean_or("attention_bias", false));
    d.attention_output_bias = d.qkv_bias;
  }
  if (d.family == Family::llama) {
    WORKTOP_TRY(d.mlp_bias, config.boolean_or("mlp_bias", false));
  }
  return {};
}

Status read_window(const JsonObject& config, Decoder& d) {
  const auto at = config.find("sliding_window");
  if (d.family == Family::llama || (at && at->is_null())) return {};
  if (d.family == Family::qwen2 || d.family == Family::qwen3) {
    WORKTOP_TRY(const bool used, config.boolean_or("use_sliding_window", false));
    WORKTOP_TRY(const std::int64_t first,
                config.integer_or("max_window_layers", 28, 0, model::kLargestCount));
    if (!used || first > 0) return {};
  }
  if (!at && d.family == Family::phi3) return {};
  WORKTOP_TRY(d.sliding_window, size_or(config, "sliding_window", 4096));
  return {};
}

// Llama and those that came after it.
Status read_llama_like(const JsonObject& config, Decoder& d) {
  const Defaults defaults = defaults_of(d.family);
  WORKTOP_TRY(d.layers, size(config, "num_hidden_layers"));
  WORKTOP_TRY(d.hidden, size(config, "hidden_size"));
  WORKTOP_TRY(d.heads, size(config, "num_attention_heads"));
  // An explicit null is "as many as heads" in every family.
  const bool stated_null = config.find("num_key_value_heads") && !config.find_set("num_key_value_heads");
  const std::int64_t kv_heads = defaults.kv_heads == 0 || stated_null ? d.heads : defaults.kv_heads;
  WORKTOP_TRY(d.kv_heads, size_or(config, "num_key_value_heads", kv_heads));
  if (defaults.head_dim != 0 || config.find_set("head_dim")) {
    WORKTOP_TRY(d.head_dim, size_or(config, "head_dim", defaults.head_dim));
  } else {
    WORKTOP_TRY(d.head_dim, width_over_heads(config, d));
  }
  WORKTOP_TRY(d.intermediate, size(config, "intermediate_size"));
  WORKTOP_TRY(d.max_positions, size_or(config, "max_position_embeddings", defaults.max_positions));
  WORKTOP_TRY(d.activation, value_or(kActivations, config, "hidden_act", Activation::silu));
  WORKTOP_TRY(d.dropout.attention, probability(config, "attention_dropout", 0.0));
  d.qk_norm = d.family == Family::qwen3;
  d.fused_qkv = d.fused_gate_up = d.family == Family::phi3;
  if (d.family == Family::phi3) {
    WORKTOP_TRY(d.dropout.residual, probability(config, "resid_pdrop", 0.0));
  }
  WORKTOP_CHECK(read_biases(config, d));
  return read_window(config, d);
}

}  // namespace

Result<Decoder> read_model_config(std::string_view text, std::string name) {
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject config, document.root().object());
  WORKTOP_TRY(const model::KnownArchitecture known, read_architecture(config));
  Decoder d;
  d.name = std::move(name);
  d.architecture = known.architecture;
  d.family = known.family;
  WORKTOP_TRY(d.vocab, size(config, "vocab_size"));
  WORKTOP_TRY(d.tied, config.boolean_or("tie_word_embeddings", d.family == Family::gpt2));
  WORKTOP_CHECK(d.family == Family::gpt2 ? read_gpt2(config, d) : read_llama_like(config, d));
  return d;
}

}  // namespace worktop::format
