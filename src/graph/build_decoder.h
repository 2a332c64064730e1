// The step graph of a dense decoder on one device: op by op, as eager PyTorch runs the Hugging Face
// implementation, with what autograd saves.
//
// What is modelled, and how:
//   - Names: ops "layers.3.self_attn/q_proj", their backward with ".grad"; parameters
//     "layers.3.self_attn.q_proj.weight". Blocks "layers.3" of kind "decoder_layer"; embedding, final norm,
//     head and loss lie outside. Residual adds and views are no ops in backward, splits are only there.
//   - RMS norm in 16 bits works on an fp32 copy (upcast, rstd, scale, weight), in fp32 on its input. Saved:
//     the copy, a number a token, and the normalised tensor if the weight is trained. Layer norm is one op
//     that saves its input, mean and rstd.
//   - A linear saves its input if its weight is trained. The output of a fused projection (c_attn, qkv_proj,
//     gate_up_proj) is one value: its parts are views.
//   - Attention `fused`: one causal op that saves q, k, v, its output and a log-sum-exp; it shares heads of
//     keys and values natively and counts half the square of the sequence (less with a sliding window).
//     `materialised`: scores, softmax, dropout and product as ops, over the whole square, with keys and
//     values repeated for each head; the softmax is computed in fp32, but for GPT-2's, which has the model's
//     precision (fp32 under autocast). Phi-3's fused output, and all written-out ones, are copied so that
//     they lie token by token.
//   - `gelu_new` is five ops that save four tensors; `gelu`, `gelu_tanh` and `silu` save their input, `relu`
//     its output. Dropout of probability 0 is no op; else it saves a mask of one byte.
//   - Loss `whole`: logits (which the program holds through the backward, since the model hands them out), an
//     fp32 copy, log-softmax (saved), nll. `chunked`: head and loss fused, 1024 tokens at a time, as Liger
//     and torchtune do: the forward computes the gradient of the hidden states (saved) and of the head's
//     weight (straight into its gradient); workspace is one chunk's logits, and an fp32 copy of them.
//   - Precision. `fp32` and `bf16`: weights, gradients and optimizer states have the model's own. `*-mixed`
//     is torch.autocast: these are fp32, linears run on low-precision copies of their weight (made in
//     forward; a trained weight's copy is cached to the end of the forward) and of their input (one for each
//     linear); norms, residual stream and rotary output are fp32.
//   - LoRA: y = W x + (B A x) * scale, adapters in the precision of the base weights, no adapter dropout.
//     Frozen weights have no gradient, and nothing is saved or run for them alone.
//   - Gradients: one value a parameter. They are held to the end of the step. With accumulation they are
//     there from its start, and each contribution is workspace of the op that adds it.
//   - Optimizer: one op a layer, one for the embedding, one for final norm and head. Workspace of adamw is
//     one copy of what the op updates (the foreach implementation; it would take all parameters at once), of
//     adafactor three fp32 copies of the largest tensor. adamw8bit keeps a scale for every 256 elements, and
//     tensors below 4096 elements in fp32.
//   - flops: 2 * m * n * k a product, forward and for each needed gradient; fused attention 2.5 times its
//     forward. Vector ops count none: they are bound by traffic.
//
// Not modelled: padding masks, the allocator's rounding, the loss scaler of fp16, gradient clipping.
#pragma once

#include "base/error.h"
#include "graph/graph.h"
#include "model/decoder.h"
#include "model/settings.h"

namespace worktop::graph {

// Errors: those of model::check, and a model of too many layers for a graph.
[[nodiscard]] base::Result<Graph> build(const model::Decoder& decoder, const model::Settings& settings);

}  // namespace worktop::graph
