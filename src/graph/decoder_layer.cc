// One layer: norm, attention, residual add, norm, feed-forward, residual add.
#include <algorithm>

#include "base/ensure.h"
#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {
namespace {

using model::LinearModule;
using model::LinearRole;
using Linears = std::vector<LinearModule>;

const LinearModule& with_role(const Linears& linears, LinearRole role) {
  const auto found = std::ranges::find(linears, role, &LinearModule::role);
  ensure(found != linears.end());
  return *found;
}

struct Heads {
  TensorId q, k, v;
};

Heads projected(Context& c, const std::string& path, const Linears& linears, TensorId x) {
  const model::Decoder& d = c.decoder;
  if (d.fused_qkv) {
    const LinearModule& module = with_role(linears, LinearRole::query_key_value);
    const TensorId qkv = linear(c, path, module, x);
    const std::int64_t q = c.tokens() * d.query_width();
    const std::int64_t kv = c.tokens() * d.kv_width();
    const auto parts = c.tape.split(path + "." + std::string(module.parent) + "/split", qkv, {q, kv, kv});
    return {parts[0], parts[1], parts[2]};
  }
  const TensorId q = linear(c, path, with_role(linears, LinearRole::query), x);
  const TensorId k = linear(c, path, with_role(linears, LinearRole::key), x);
  const TensorId v = linear(c, path, with_role(linears, LinearRole::value), x);
  return {q, k, v};
}

TensorId attention_branch(Context& c, const std::string& path, const Linears& linears, TensorId x) {
  const model::Decoder& d = c.decoder;
  const LinearModule& output = with_role(linears, LinearRole::output);
  const std::string module = path + "." + std::string(output.parent);
  Heads heads = projected(c, path, linears, x);
  if (d.qk_norm) {
    heads.q = rms_norm(c, module + ".q_norm", heads.q, d.head_dim);
    heads.k = rms_norm(c, module + ".k_norm", heads.k, d.head_dim);
  }
  if (d.position == model::Position::rotary) {
    heads.q = rotary(c, module + "/rotary_q", heads.q);
    heads.k = rotary(c, module + "/rotary_k", heads.k);
  }
  const TensorId mixed = attention(c, module, heads.q, heads.k, heads.v);
  return dropout(c, module + "/residual_dropout", linear(c, path, output, mixed), d.dropout.residual);
}

// What goes into the last projection of the feed-forward.
TensorId inner(Context& c, const std::string& path, const Linears& linears, TensorId x) {
  const model::Decoder& d = c.decoder;
  const std::string mlp = path + ".mlp";
  if (d.mlp == model::Mlp::plain)
    return activation(c, mlp, linear(c, path, with_role(linears, LinearRole::up), x));
  if (d.fused_gate_up) {
    const std::int64_t n = c.tokens() * d.intermediate;
    const TensorId both = linear(c, path, with_role(linears, LinearRole::gate_up), x);
    const auto parts = c.tape.split(mlp + "/split", both, {n, n});
    return multiply(c, mlp + "/mul", parts[1], activation(c, mlp, parts[0]));
  }
  const TensorId gate = activation(c, mlp, linear(c, path, with_role(linears, LinearRole::gate), x));
  return multiply(c, mlp + "/mul", gate, linear(c, path, with_role(linears, LinearRole::up), x));
}

}  // namespace

TensorId layer(Context& c, const std::string& path, const Linears& linears, TensorId x) {
  const bool as_gpt2 = c.decoder.family == model::Family::gpt2;
  const TensorId first = norm(c, path + (as_gpt2 ? ".ln_1" : ".input_layernorm"), x);
  x = add(c, path + "/add_attention", x, attention_branch(c, path, linears, first));
  const TensorId second = norm(c, path + (as_gpt2 ? ".ln_2" : ".post_attention_layernorm"), x);
  const TensorId down =
      linear(c, path, with_role(linears, LinearRole::down), inner(c, path, linears, second));
  return add(c, path + "/add_mlp", x,
             dropout(c, path + ".mlp/residual_dropout", down, c.decoder.dropout.residual));
}

}  // namespace worktop::graph::decoder
