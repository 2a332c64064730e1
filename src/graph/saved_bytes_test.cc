// What autograd saves in a decoder's layer, by the published closed form, by hand, and as measured.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "graph/build_decoder.h"
#include "graph/testing.h"
#include "model/testing.h"

namespace worktop::graph {
namespace {

using namespace graph::testing;
using model::Decoder;
using model::Lora;
using model::Settings;

// Korthikanti et al. 2022, equation 2: s*b*h*(34 + 5*a*s/h) a layer. They neglect the mean and the reciprocal
// deviation of the two layer norms: two fp32 numbers a token each.
TEST(SavedBytes, of_a_gpt_layer_are_the_published_closed_form) {
  const Built g(tiny_gpt2(), materialised());
  const std::int64_t s = kSequence, b = kBatch, a = 4;
  EXPECT_EQ(g.saved_in(1), 34 * s * b * h + 5 * a * s * s * b + 2 * 2 * 4 * kTokens);
}

// Fused attention drops the 5*a*s/h (softmax 2, dropout mask 1, dropped 2) for a log-sum-exp a head and
// token.
TEST(SavedBytes, of_fused_attention_have_no_square) {
  const Built g(tiny_gpt2(), settings());
  EXPECT_EQ(g.saved_in(1), 34 * kTokens * h + 4 * heads * kTokens + 2 * 2 * 4 * kTokens);
  EXPECT_FALSE(g.op("layers.1.attn/attention").flags.replayable());  // it draws dropout
}

// Without dropout: no masks (2h + a*s), and the softmax itself is what the product reads (2*a*s less).
TEST(SavedBytes, without_dropout_have_no_masks) {
  Settings s = materialised();
  s.dropout = 0.0;
  const Built g(tiny_gpt2(), s);
  EXPECT_EQ(g.saved_in(1), 32 * kTokens * h + 2 * heads * kSequence * kTokens + 2 * 2 * 4 * kTokens);
  EXPECT_FALSE(g.has("layers.1.attn/dropout"));
  EXPECT_FALSE(g.has("embedding_dropout"));
}

// gelu_new saves its input, half of it, the tanh and one plus it: three tensors of 4h in 16 bits more.
TEST(SavedBytes, of_gelu_written_out_are_four_tensors) {
  Decoder d = tiny_gpt2();
  const std::int64_t fused = Built(d, settings()).saved_in(1);
  d.activation = model::Activation::gelu_new;
  EXPECT_EQ(Built(d, settings()).saved_in(1), fused + 3 * 2 * 4 * kTokens * h);
  // relu saves its output, which the last projection saves too: one tensor of 4h less.
  d.activation = model::Activation::relu;
  EXPECT_EQ(Built(d, settings()).saved_in(1), fused - 2 * 4 * kTokens * h);
}

// A token of a Llama layer in bf16:
//   two norms: fp32 copy 4h, reciprocal root 4, normed 2h, output 2h (once, for three or two projections)
//   attention: rotated q 2Q, rotated k 2K, v 2K, output 2Q, log-sum-exp 4 a head
//   feed-forward: gate, silu(gate), up, their product: 2f each
TEST(SavedBytes, of_a_llama_layer_in_bf16) {
  const Built g(tiny_llama(), settings());
  const std::int64_t norms = 2 * (4 * h + 4 + 2 * h + 2 * h);
  const std::int64_t attention = 2 * Q + 2 * K + 2 * K + 2 * Q + 4 * heads;
  EXPECT_EQ(g.saved_in(1), kTokens * (norms + attention + 4 * 2 * f));
}

// In fp32 the norm works on the residual stream itself.
TEST(SavedBytes, of_a_llama_layer_in_fp32) {
  const Built g(tiny_llama(), settings(model::Precision::fp32));
  const std::int64_t norms = 2 * (4 * h + 4 + 4 * h + 4 * h);
  const std::int64_t attention = 4 * Q + 4 * K + 4 * K + 4 * Q + 4 * heads;
  EXPECT_EQ(g.saved_in(1), kTokens * (norms + attention + 4 * 4 * f));
  EXPECT_FALSE(g.has("layers.1.input_layernorm/upcast"));
  EXPECT_TRUE(g.saved("layers.0/add_mlp/out#0"));
}

// Under autocast: the stream and the normed tensor in fp32, a bf16 copy of the norm's output for each of five
// projections; bf16 copies of all weights of the layer's linears.
TEST(SavedBytes, of_a_llama_layer_under_autocast) {
  for (const auto precision : {model::Precision::bf16_mixed, model::Precision::fp16_mixed}) {
    const Built g(tiny_llama(), settings(precision));
    const std::int64_t norms = 2 * (4 * h + 4 + 4 * h) + 5 * 2 * h;
    const std::int64_t attention = 2 * Q + 2 * K + 2 * K + 2 * Q + 4 * heads;
    EXPECT_EQ(g.saved_in(1), kTokens * (norms + attention + 4 * 2 * f));
    EXPECT_EQ(g.saved_in(1, ValueKind::weight), 2 * (2 * h * Q + 2 * h * K + 3 * h * f));
    EXPECT_FALSE(g.saved("layers.1.input_layernorm/weight/out#0"));
    // Cached until the forward ends.
    EXPECT_EQ(g.value("layers.0.mlp/up_proj.cast_weight/out#0").held_until, g.ops.at("loss/nll"));
  }
}

// Rank 2 on q_proj and v_proj, base frozen. A token of a middle layer keeps: norms without their normed
// tensor; the first norm's output for the adapters; two adapter products of rank 2; no input of any frozen
// projection (the product gate * up, the second norm's output).
TEST(SavedBytes, of_a_llama_layer_with_lora) {
  Settings s = settings();
  s.lora = Lora{.rank = 2};
  const Built g(tiny_llama(), s);
  const std::int64_t norms = 2 * (4 * h + 4) + 2 * h;
  const std::int64_t adapters = 2 * (2 * 2);
  const std::int64_t attention = 2 * Q + 2 * K + 2 * K + 2 * Q + 4 * heads;
  EXPECT_EQ(g.saved_in(1), kTokens * (norms + adapters + attention + 3 * 2 * f));
  EXPECT_FALSE(g.saved("layers.1.mlp/mul/out#0"));
  EXPECT_FALSE(g.saved("layers.1.post_attention_layernorm/weight/out#0"));
  // Nothing below the first adapters asks for a gradient: the first norm keeps its output alone.
  EXPECT_EQ(g.saved_in(0), g.saved_in(1) - kTokens * (4 * h + 4));
}

// Qwen3 norms each head of q and k: fp32 copy 4, normed 2 an element, and 4 a head. (The outputs are
// rotated.)
TEST(SavedBytes, of_norms_over_heads) {
  const std::int64_t plain = Built(tiny_llama(), settings()).saved_in(1);
  const Built g(model::testing::qwen3("tiny-qwen3", kTinyLlama), settings());
  EXPECT_EQ(g.saved_in(1), plain + kTokens * (6 * (Q + K) + 4 * (4 + 2)));
}

// Phi-3 keeps v as a view of the fused projection, so that all of it stays: q and k before rotation too. The
// attention's output is copied for the next projection: both stay. Gate and up are views of one value.
TEST(SavedBytes, of_fused_projections_are_of_whole_storages) {
  const std::int64_t plain = Built(tiny_llama(), settings()).saved_in(1);
  const Built g(model::testing::phi3("tiny-phi3", kTinyLlama), settings());
  EXPECT_EQ(g.saved_in(1), plain + kTokens * (2 * (Q + K) + 2 * Q));
  EXPECT_EQ(g.value("layers.1.mlp/gate_up_proj/out#0").bytes.count(), kTokens * 2 * 2 * f);
}

// Written out, each query head has keys and values of its own: 2K + 2K become 2Q + 2Q; the log-sum-exp goes
// and the probabilities come, in fp32 from the softmax and in bf16 for the product (6 * a * s).
TEST(SavedBytes, of_shared_heads_written_out) {
  const std::int64_t fused = Built(tiny_llama(), settings()).saved_in(1);
  const Built g(tiny_llama(), materialised());
  EXPECT_EQ(g.saved_in(1), fused + kTokens * (4 * (Q - K) - 4 * heads + 6 * heads * kSequence));
  EXPECT_FALSE(g.saved("layers.1.self_attn/v_proj/out#0"));
}

// All that transformers 5.24 on torch 2.14 (CPU) packs for backward in these models, as storages, parameters
// and inputs apart: counted with torch.autograd.graph.saved_tensors_hooks. Taken off: the rotary tables (2 *
// s * d elements), which are buffers here; the shifted labels (8 a token) and the loss's weight (4); GPT-2's
// positions (8 * s).
TEST(SavedBytes, equal_what_was_measured) {
  using model::Precision;
  const std::int64_t loss = 8 * kTokens + 4;
  const auto saved = [](const Decoder& d, Precision precision, model::Attention attention,
                        std::optional<Lora> lora = {}) {
    Settings s = settings(precision);
    s.attention = attention;
    s.lora = lora;
    s.dropout = 0.0;
    const Built g(d, s);
    return g.sum([&](ValueId id, const Value&) { return g.saved(id); });
  };
  const auto fused = model::Attention::fused;
  const auto written = model::Attention::materialised;
  const std::int64_t narrow = 2 * kSequence * 16 * 2 + loss;
  const std::int64_t wide = 2 * kSequence * 16 * 4 + loss;
  EXPECT_EQ(saved(tiny_llama(), Precision::bf16, fused), 245380 - narrow);
  EXPECT_EQ(saved(tiny_llama(), Precision::fp32, fused), 414340 - wide);
  EXPECT_EQ(saved(tiny_llama(), Precision::bf16_mixed, fused), 512644 - wide);
  EXPECT_EQ(saved(tiny_llama(), Precision::bf16, written), 292996 - narrow);
  EXPECT_EQ(saved(tiny_llama(), Precision::bf16, fused, Lora{.rank = 2}), 174340 - narrow);
  EXPECT_EQ(saved(model::testing::qwen3("q", kTinyLlama), Precision::bf16, fused), 302980 - narrow);
  EXPECT_EQ(saved(model::testing::phi3("p", kTinyLlama), Precision::bf16, fused), 276100 - narrow);
  Decoder gpt2 = tiny_gpt2();
  gpt2.activation = model::Activation::gelu_new;
  EXPECT_EQ(saved(gpt2, Precision::fp32, fused), 724612 - loss - 8 * kSequence);
  // On a CPU the statistics of the seven layer norms are bf16, two bytes less each.
  EXPECT_EQ(saved(gpt2, Precision::bf16, written), 382212 - loss - 8 * kSequence + 7 * 2 * 2 * kTokens);
}

TEST(SavedBytes, count_a_shared_storage_once) {
  const Built g(tiny_llama(), settings());
  const ValueId normed = g.values.at("layers.1.input_layernorm/weight/out#0");
  std::set<std::string> readers;
  for (OpId reader : g.graph().readers(normed)) readers.insert(g.graph().op(reader).name);
  const std::string at = "layers.1.self_attn/";
  EXPECT_EQ(readers, (std::set<std::string>{at + "q_proj", at + "k_proj", at + "v_proj", at + "q_proj.grad",
                                            at + "k_proj.grad", at + "v_proj.grad"}));
  // Every value has a storage of its own, but for gradients that are updated in place.
  std::int32_t in_place = 0;
  for (ValueId id : base::ids<ValueId>(g.graph().value_count()))
    if (g.graph().overwritten_by(id).exists()) ++in_place;
  EXPECT_EQ(g.graph().storage_count(), g.graph().value_count() - in_place);
}

}  // namespace
}  // namespace worktop::graph
