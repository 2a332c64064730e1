// Decoders for tests: the fields in which a family's models differ, the rest as the family has it.
#pragma once

#include <string>
#include <utility>

#include "model/decoder.h"

namespace worktop::model::testing {

struct Shape {
  std::int64_t layers, hidden, heads, kv_heads, head_dim, intermediate, vocab, max_positions;
  bool tied = false;
};

inline Decoder with_shape(Decoder d, std::string name, const Shape& shape) {
  d.name = std::move(name);
  d.layers = shape.layers;
  d.hidden = shape.hidden;
  d.heads = shape.heads;
  d.kv_heads = shape.kv_heads;
  d.head_dim = shape.head_dim;
  d.intermediate = shape.intermediate;
  d.vocab = shape.vocab;
  d.max_positions = shape.max_positions;
  d.tied = shape.tied;
  return d;
}

inline Decoder llama(std::string name, const Shape& shape) {
  Decoder d;
  d.architecture = "LlamaForCausalLM";
  d.family = Family::llama;
  d.dropout.attention = 0.0;
  return with_shape(d, std::move(name), shape);
}

inline Decoder mistral(std::string name, const Shape& shape) {
  Decoder d = llama(std::move(name), shape);
  d.architecture = "MistralForCausalLM";
  d.family = Family::mistral;
  return d;
}

inline Decoder qwen2(std::string name, const Shape& shape) {
  Decoder d = llama(std::move(name), shape);
  d.architecture = "Qwen2ForCausalLM";
  d.family = Family::qwen2;
  d.qkv_bias = true;
  return d;
}

inline Decoder qwen3(std::string name, const Shape& shape) {
  Decoder d = llama(std::move(name), shape);
  d.architecture = "Qwen3ForCausalLM";
  d.family = Family::qwen3;
  d.qk_norm = true;
  return d;
}

inline Decoder phi3(std::string name, const Shape& shape) {
  Decoder d = llama(std::move(name), shape);
  d.architecture = "Phi3ForCausalLM";
  d.family = Family::phi3;
  d.fused_qkv = d.fused_gate_up = true;
  d.dropout.residual = 0.0;
  return d;
}

inline Decoder gpt2(std::string name, const Shape& shape) {
  Decoder d;
  d.architecture = "GPT2LMHeadModel";
  d.family = Family::gpt2;
  d.norm = Norm::layer_norm;
  d.mlp = Mlp::plain;
  d.activation = Activation::gelu_new;
  d.position = Position::learned;
  d.qkv_bias = d.attention_output_bias = d.mlp_bias = true;
  d.fused_qkv = true;
  d.dropout = {.embedding = 0.1, .attention = 0.1, .residual = 0.1};
  return with_shape(d, std::move(name), shape);
}

}  // namespace worktop::model::testing
