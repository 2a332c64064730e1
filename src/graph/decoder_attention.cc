// Attention: rotary positions, the fused kernel, and the same written out.
#include <algorithm>

#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {
namespace {

// How many (query, key) pairs of one head a causal kernel computes: half the square, or what the window sees.
std::int64_t causal_pairs(std::int64_t sequence, std::optional<std::int64_t> sliding_window) {
  const std::int64_t window = std::min(sequence, sliding_window.value_or(sequence));
  return sequence * window - window * window / 2;
}

TensorId fused(Context& c, const std::string& path, TensorId q, TensorId k, TensorId v) {
  const model::Decoder& d = c.decoder;
  const std::int64_t n = c.tokens() * d.query_width();
  const std::int64_t pairs = causal_pairs(c.settings.sequence, d.sliding_window);
  const Flops flops{4 * c.settings.batch * d.heads * pairs * d.head_dim};
  const Dtype dtype = c.types.compute;
  // Backward sums the gradient of q in fp32, that of k and v for each head where heads share them.
  const Bytes statistics = c.tokens() * d.heads * base::size_of(Dtype::fp32);
  const Bytes q_sum = n * base::size_of(Dtype::fp32);
  const Bytes expanded = d.kv_heads < d.heads ? 2 * n * base::size_of(dtype) : Bytes{0};
  const auto gradient = [&](TensorId of) {
    return TapeGradient{.of = of, .saved = {q, k, v}, .saved_outputs = {0, 1}};
  };
  TapeOp op{.name = path + "/attention",
            .kind = "attention",
            .engine = Engine::attention,
            .dtype = dtype,
            .flops = flops,
            .backward_flops = flops * 5 / 2,
            .backward_workspace = q_sum + expanded + statistics,
            .flags = {.random = d.dropout.attention.value_or(0.0) > 0.0},
            .reads = {q, k, v},
            .writes = {{n, dtype}, {c.tokens() * d.heads, Dtype::fp32, false}},
            .gradients = {gradient(q), gradient(k), gradient(v)}};
  return c.tape.run_one(std::move(op));
}

// Keys or values once for each head of queries.
TensorId repeated(Context& c, const std::string& name, TensorId x) {
  if (c.decoder.kv_heads == c.decoder.heads) return x;
  return c.tape.run_one({.name = name,
                         .kind = "repeat_kv",
                         .dtype = c.tape.dtype(x),
                         .reads = {x},
                         .writes = {{c.tokens() * c.decoder.query_width(), c.tape.dtype(x)}},
                         .gradients = {{.of = x}}});
}

TensorId materialised(Context& c, const std::string& path, TensorId q, TensorId k, TensorId v) {
  const model::Decoder& d = c.decoder;
  const Dtype dtype = c.types.compute;
  const std::int64_t square = c.tokens() * d.heads * c.settings.sequence;
  const Flops flops{2 * square * d.head_dim};
  const Bytes scaled = square * base::size_of(dtype);
  const TensorId keys = repeated(c, path + "/repeat_k", k);
  const TensorId values = repeated(c, path + "/repeat_v", v);
  const TensorId scores = c.tape.run_one({.name = path + "/scores",
                                          .kind = "attention.scores",
                                          .engine = Engine::matmul,
                                          .dtype = dtype,
                                          .flops = flops,
                                          .workspace = scaled,
                                          .backward_workspace = scaled,
                                          .reads = {q, keys},
                                          .writes = {{square, dtype}},
                                          .gradients = {{.of = q, .saved = {keys}, .flops = flops},
                                                        {.of = keys, .saved = {q}, .flops = flops}}});
  // Autocast computes a softmax in fp32, and so do all families but GPT-2 by themselves.
  const Dtype wide = d.family == model::Family::gpt2 ? c.types.stream : Dtype::fp32;
  const Bytes copy = wide == dtype ? Bytes{0} : square * base::size_of(wide);
  TensorId weights = c.tape.run_one({.name = path + "/softmax",
                                     .kind = "attention.softmax",
                                     .dtype = wide,
                                     .workspace = copy,
                                     .backward_workspace = copy,
                                     .reads = {scores},
                                     .writes = {{square, wide}},
                                     .gradients = {{.of = scores, .saved_outputs = {0}}}});
  weights = cast(c, path + "/softmax.cast", weights, dtype);
  weights = dropout(c, path + "/dropout", weights, d.dropout.attention);
  return c.tape.run_one({.name = path + "/values",
                         .kind = "attention.values",
                         .engine = Engine::matmul,
                         .dtype = dtype,
                         .flops = flops,
                         .reads = {weights, values},
                         .writes = {{c.tokens() * d.query_width(), dtype}},
                         .gradients = {{.of = weights, .saved = {values}, .flops = flops},
                                       {.of = values, .saved = {weights}, .flops = flops}}});
}

}  // namespace

// x * cos + rotate_half(x) * sin: two of the three products are alive while the third or the sum is made.
// Under autocast the tables are fp32, and so is the result.
TensorId rotary(Context& c, const std::string& name, TensorId x) {
  const std::int64_t n = c.tape.elements(x);
  const Dtype dtype = c.types.stream;
  const Bytes workspace = 2 * n * base::size_of(dtype);
  const TensorId rotated = c.tape.run_one({.name = name,
                                           .kind = "rotary",
                                           .dtype = dtype,
                                           .workspace = workspace,
                                           .backward_workspace = workspace,
                                           .reads = {x, c.cosines, c.sines},
                                           .writes = {{n, dtype}},
                                           .gradients = {{.of = x, .saved = {c.cosines, c.sines}}}});
  return rotated;
}

TensorId attention(Context& c, const std::string& path, TensorId q, TensorId k, TensorId v) {
  q = cast(c, path + "/q.cast", q, c.types.compute);
  k = cast(c, path + "/k.cast", k, c.types.compute);
  v = cast(c, path + "/v.cast", v, c.types.compute);
  const bool is_fused = c.settings.attention == model::Attention::fused;
  const TensorId mixed = is_fused ? fused(c, path, q, k, v) : materialised(c, path, q, k, v);
  // The product lies head by head, and so does the fused output where the queries do (Phi-3 concatenates
  // them after rotation): laying it token by token for the next projection is a copy.
  const bool by_head = !is_fused || c.decoder.family == model::Family::phi3;
  if (!by_head) return mixed;
  return c.tape.run_one({.name = path + "/merge_heads",
                         .kind = "contiguous",
                         .dtype = c.types.compute,
                         .reads = {mixed},
                         .writes = {{c.tape.elements(mixed), c.types.compute}},
                         .gradients = {{.of = mixed}}});
}

}  // namespace worktop::graph::decoder
