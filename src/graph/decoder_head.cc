// Final norm, head and loss: all logits at once, or head and loss fused over chunks of tokens.
#include <algorithm>

#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {
namespace {

constexpr std::int64_t kChunkTokens = 1024;

TensorId whole_loss(Context& c, TensorId hidden, TensorId weight, TensorId labels) {
  const model::Decoder& d = c.decoder;
  const TensorId logits =
      product(c, {.name = "lm_head", .weight = weight, .in = d.hidden, .out = d.vocab}, hidden);
  c.tape.hold_through_backward(logits);
  const TensorId wide = cast(c, "loss/upcast", logits, Dtype::fp32);
  const std::int64_t n = c.tape.elements(wide);
  const TensorId log_softmax = c.tape.run_one({.name = "loss/log_softmax",
                                               .kind = "log_softmax",
                                               .reads = {wide},
                                               .writes = {{n, Dtype::fp32}},
                                               .gradients = {{.of = wide, .saved_outputs = {0}}}});
  // Forward gathers one number a token; backward writes zeros everywhere else.
  const Bytes gathered = c.tokens() * (base::size_of(Dtype::fp32) + base::size_of(Dtype::int64));
  const TensorId loss = c.tape.run_one({.name = "loss/nll",
                                        .kind = "nll_loss",
                                        .traffic = gathered,
                                        .backward_traffic = c.tape.bytes(log_softmax) + gathered,
                                        .reads = {log_softmax, labels},
                                        .writes = {{1, Dtype::fp32}},
                                        .gradients = {{.of = log_softmax, .saved = {log_softmax, labels}}}});
  if (wide != logits) c.tape.hold_until_last_op(wide);  // a local variable of the loss function
  return loss;
}

TensorId chunked_loss(Context& c, TensorId hidden, TensorId weight, TensorId labels) {
  const model::Decoder& d = c.decoder;
  const Dtype compute = c.types.compute;
  const TensorId input = cast(c, "loss/cast", hidden, compute);
  const TensorId low = low_precision(c, "loss/cast_weight", weight);
  const std::int64_t chunk = std::min(c.tokens(), kChunkTokens) * d.vocab;
  const Bytes logits = chunk * base::size_of(compute);
  const Bytes wide = compute == Dtype::fp32 ? Bytes{0} : chunk * base::size_of(Dtype::fp32);
  const Flops product{2 * c.tokens() * d.hidden * d.vocab};
  const std::int64_t products =
      1 + (c.tape.requires_grad(input) ? 1 : 0) + (c.tape.requires_grad(weight) ? 1 : 0);
  TapeOp op{.name = "loss/fused_linear_cross_entropy",
            .kind = "fused_linear_cross_entropy",
            .engine = Engine::matmul,
            .dtype = compute,
            .flops = product * products,
            .workspace = logits + wide,
            .reads = {input, low, labels},
            .writes = {{1, Dtype::fp32}},
            .gradients_now = {weight}};
  // Every chunk's logits are written and read; the fp32 copy too.
  const std::int64_t chunks = (c.tokens() + kChunkTokens - 1) / kChunkTokens;
  op.traffic = 2 * chunks * op.workspace + chunks * c.tape.bytes(low) + 2 * c.tape.bytes(input);
  if (c.tape.requires_grad(input)) {
    op.writes.push_back({c.tape.elements(input), compute, false});
    op.gradients.push_back({.of = input, .saved_outputs = {1}});
  }
  return c.tape.run_one(std::move(op));
}

}  // namespace

TensorId head_and_loss(Context& c, TensorId x, TensorId tied_weight, TensorId labels) {
  const model::Decoder& d = c.decoder;
  const TensorId hidden = norm(c, d.family == model::Family::gpt2 ? "ln_f" : "norm", x);
  TensorId weight = tied_weight;
  if (!weight.exists())
    weight =
        c.tape.parameter({"lm_head.weight", d.vocab * d.hidden, c.types.weight, d.hidden}, c.base_trained());
  return c.settings.cross_entropy == model::CrossEntropy::whole ? whole_loss(c, hidden, weight, labels)
                                                                : chunked_loss(c, hidden, weight, labels);
}

}  // namespace worktop::graph::decoder
