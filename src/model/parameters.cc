#include "model/parameters.h"

#include <algorithm>

namespace worktop::model {
namespace {

std::vector<LinearModule> gpt2_linears(const Decoder& d) {
  return {
      {LinearRole::query_key_value, "attn", "c_attn", d.hidden, d.query_width() + 2 * d.kv_width(),
       d.qkv_bias},
      {LinearRole::output, "attn", "c_proj", d.query_width(), d.hidden, d.attention_output_bias},
      {LinearRole::up, "mlp", "c_fc", d.hidden, d.intermediate, d.mlp_bias},
      {LinearRole::down, "mlp", "c_proj", d.intermediate, d.hidden, d.mlp_bias},
  };
}

std::vector<LinearModule> llama_like_linears(const Decoder& d) {
  std::vector<LinearModule> linears;
  const auto add = [&](LinearRole role, std::string_view parent, std::string_view name, std::int64_t in,
                       std::int64_t out, bool bias) {
    linears.push_back({.role = role, .parent = parent, .name = name, .in = in, .out = out, .bias = bias});
  };
  if (d.fused_qkv) {
    add(LinearRole::query_key_value, "self_attn", "qkv_proj", d.hidden, d.query_width() + 2 * d.kv_width(),
        d.qkv_bias);
  } else {
    add(LinearRole::query, "self_attn", "q_proj", d.hidden, d.query_width(), d.qkv_bias);
    add(LinearRole::key, "self_attn", "k_proj", d.hidden, d.kv_width(), d.qkv_bias);
    add(LinearRole::value, "self_attn", "v_proj", d.hidden, d.kv_width(), d.qkv_bias);
  }
  add(LinearRole::output, "self_attn", "o_proj", d.query_width(), d.hidden, d.attention_output_bias);
  if (d.mlp == Mlp::gated && d.fused_gate_up) {
    add(LinearRole::gate_up, "mlp", "gate_up_proj", d.hidden, 2 * d.intermediate, d.mlp_bias);
  } else {
    if (d.mlp == Mlp::gated) add(LinearRole::gate, "mlp", "gate_proj", d.hidden, d.intermediate, d.mlp_bias);
    add(LinearRole::up, "mlp", "up_proj", d.hidden, d.intermediate, d.mlp_bias);
  }
  add(LinearRole::down, "mlp", "down_proj", d.intermediate, d.hidden, d.mlp_bias);
  return linears;
}

// GPT-2's modules have names of their own as long as they are built as GPT-2's are.
std::vector<LinearModule> base_linears(const Decoder& d) {
  const bool as_gpt2 = d.family == Family::gpt2 && d.fused_qkv && d.mlp == Mlp::plain;
  return as_gpt2 ? gpt2_linears(d) : llama_like_linears(d);
}

}  // namespace

std::vector<std::string> default_lora_modules(const Decoder& decoder) {
  if (!decoder.fused_qkv) return {"q_proj", "v_proj"};
  return {std::string(base_linears(decoder).front().name)};
}

std::vector<std::string> linear_module_names(const Decoder& decoder) {
  std::vector<std::string> names;
  for (const LinearModule& linear : base_linears(decoder))
    if (std::ranges::find(names, linear.name) == names.end()) names.emplace_back(linear.name);
  return names;
}

std::vector<LinearModule> layer_linears(const Decoder& decoder, const Settings& settings) {
  std::vector<LinearModule> linears = base_linears(decoder);
  if (!settings.lora) return linears;
  const std::vector<std::string> wanted =
      settings.lora->modules.empty() ? default_lora_modules(decoder) : settings.lora->modules;
  const bool all = std::ranges::find(wanted, "all-linear") != wanted.end();
  for (LinearModule& linear : linears)
    if (all || std::ranges::find(wanted, linear.name) != wanted.end()) linear.lora_rank = settings.lora->rank;
  return linears;
}

ParameterCount count_parameters(const Decoder& decoder, const Settings& settings) {
  const Decoder d = with_overrides(decoder, settings);
  const std::int64_t norm = d.hidden * (d.norm == Norm::layer_norm ? 2 : 1);
  ParameterCount count;
  count.layers = d.layers;
  count.embedding = d.vocab * d.hidden + (d.position == Position::learned ? d.max_positions * d.hidden : 0);
  for (const LinearModule& linear : layer_linears(d, settings)) {
    const bool of_mlp = linear.parent == "mlp";
    (of_mlp ? count.mlp : count.attention) += linear.parameters();
    count.adapters += linear.lora_parameters();
  }
  if (d.qk_norm) count.attention += 2 * d.head_dim;
  count.norms = 2 * norm;
  count.final_norm = norm;
  count.head = d.tied ? 0 : d.vocab * d.hidden;
  return count;
}

}  // namespace worktop::model
