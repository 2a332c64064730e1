#include "graph/build_decoder.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "model/parameters.h"
#include "model/testing.h"

namespace worktop::graph {
namespace {

using model::Decoder;
using model::Lora;
using model::Settings;
using model::testing::Shape;

// A graph with its ops by name.
struct Built {
  Built(const Decoder& decoder, const Settings& settings) : result(build(decoder, settings)) {
    EXPECT_TRUE(result) << result.error().what << " at " << result.error().where;
    for (OpId id : base::ids<OpId>(graph().op_count())) ops[graph().op(id).name] = id;
    for (ValueId id : base::ids<ValueId>(graph().value_count())) values[graph().value(id).name] = id;
  }
  [[nodiscard]] const Graph& graph() const { return *result; }
  [[nodiscard]] bool has(const std::string& op) const { return ops.contains(op); }
  [[nodiscard]] const Op& op(const std::string& name) const { return graph().op(ops.at(name)); }
  [[nodiscard]] const Value& value(const std::string& name) const { return graph().value(values.at(name)); }

  [[nodiscard]] bool saved(ValueId id) const {
    const auto readers = graph().readers(id);
    return graph().decidable(id) && !readers.empty() && graph().op(readers.back()).phase == Phase::backward;
  }
  [[nodiscard]] bool saved(const std::string& name) const { return saved(values.at(name)); }
  // What backward reads of what the forward of a block wrote; weights' low-precision copies apart.
  [[nodiscard]] std::int64_t saved_in(std::int32_t block, ValueKind kind = ValueKind::activation) const {
    return sum([&](ValueId id, const Value& value) {
      return value.kind == kind && value.producer.exists() &&
             graph().op(value.producer).phase == Phase::forward &&
             graph().op(value.producer).block == BlockId{block} && saved(id);
    });
  }
  // Bytes of a kind that are there before the step.
  [[nodiscard]] std::int64_t resident(ValueKind kind) const {
    return sum([&](ValueId, const Value& value) { return value.kind == kind && !value.producer.exists(); });
  }
  [[nodiscard]] std::int64_t sum(const std::function<bool(ValueId, const Value&)>& counted) const {
    std::int64_t bytes = 0;
    for (ValueId id : base::ids<ValueId>(graph().value_count()))
      if (counted(id, graph().value(id))) bytes += graph().value(id).bytes.count();
    return bytes;
  }
  [[nodiscard]] std::int64_t flops(Engine engine) const {
    std::int64_t total = 0;
    for (OpId id : base::ids<OpId>(graph().op_count()))
      if (graph().op(id).engine == engine) total += graph().op(id).flops.count();
    return total;
  }

  base::Result<Graph> result;
  std::map<std::string, OpId> ops;
  std::map<std::string, ValueId> values;
};

constexpr std::int64_t kBatch = 2, kSequence = 16, kTokens = kBatch * kSequence;

// h = 64, 4 heads of 16, ffn 4h.
Decoder tiny_gpt2() {
  Decoder d = model::testing::gpt2("tiny-gpt2", {3, 64, 4, 4, 16, 256, 128, 32});
  d.activation = model::Activation::gelu;
  return d;
}

// h = 64, 4 heads of 16 (Q = 64), 2 heads of keys and values (K = 32), ffn 96.
const Shape kTinyLlama{3, 64, 4, 2, 16, 96, 128, 64};
Decoder tiny_llama() {
  return model::testing::llama("tiny-llama", kTinyLlama);
}
constexpr std::int64_t h = 64, Q = 64, K = 32, f = 96, heads = 4;

Settings settings(model::Precision precision = model::Precision::bf16) {
  return {.batch = kBatch, .sequence = kSequence, .precision = precision};
}
Settings materialised() {
  Settings s = settings();
  s.attention = model::Attention::materialised;
  return s;
}

// --- what is saved

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

// --- what is there all the time

// bf16: 2 + 2 + 2 * 2 = 8 bytes a parameter; fp32 and autocast: 4 + 4 + 2 * 4 = 16 (and the 2 of the copies
// during the forward: 18, but never 4 more for a master weight).
TEST(Residents, are_parameters_times_bytes) {
  for (const Decoder& d : {tiny_llama(), tiny_gpt2(), model::testing::phi3("p", kTinyLlama)}) {
    const std::int64_t n = model::count_parameters(d, {}).total();
    const Built narrow(d, settings());
    EXPECT_EQ(narrow.resident(ValueKind::weight), 2 * n);
    EXPECT_EQ(narrow.resident(ValueKind::optimizer_state), 4 * n);
    EXPECT_EQ(narrow.sum([](ValueId, const Value& v) { return v.kind == ValueKind::gradient; }), 2 * n);
    const Built wide(d, settings(model::Precision::bf16_mixed));
    EXPECT_EQ(wide.resident(ValueKind::weight), 4 * n);
    EXPECT_EQ(wide.resident(ValueKind::optimizer_state), 8 * n);
    EXPECT_EQ(wide.sum([](ValueId, const Value& v) { return v.kind == ValueKind::gradient; }), 4 * n);
  }
}

TEST(Residents, of_each_optimizer) {
  const auto states = [](model::Optimizer optimizer) {
    Settings s = settings();
    s.optimizer = optimizer;
    return Built(tiny_llama(), s).resident(ValueKind::optimizer_state);
  };
  const std::int64_t n = model::count_parameters(tiny_llama(), {}).total();
  EXPECT_EQ(states(model::Optimizer::none), 0);
  EXPECT_EQ(states(model::Optimizer::sgd), 0);
  EXPECT_EQ(states(model::Optimizer::momentum), 2 * n);
  EXPECT_EQ(states(model::Optimizer::adamw), 4 * n);
  // Seven norms of 64 and six projections of k and v (64 * 32 = 2048) are below 4096 elements: two fp32
  // states. The rest is a multiple of 256: two bytes and two scales of four bytes for every 256.
  const std::int64_t small = 7 * h + 6 * h * K;
  EXPECT_EQ(states(model::Optimizer::adamw8bit), 8 * small + 2 * (n - small) + 2 * 4 * (n - small) / 256);
  // Matrices [rows, columns] have rows + columns numbers in fp32, norms all of theirs.
  const std::int64_t layer = 2 * (h + Q) + 2 * (h + K) + 3 * (h + f);
  EXPECT_EQ(states(model::Optimizer::adafactor), 4 * (7 * h + 3 * layer + 2 * (128 + h)));
}

TEST(Residents, of_lora_are_the_adapters_alone) {
  Settings s = settings();
  s.lora = Lora{.rank = 2};
  const Built g(tiny_llama(), s);
  const model::ParameterCount count = model::count_parameters(tiny_llama(), s);
  EXPECT_EQ(g.resident(ValueKind::weight), 2 * count.total());
  EXPECT_EQ(g.resident(ValueKind::optimizer_state), 4 * count.trainable());
  EXPECT_EQ(g.sum([](ValueId, const Value& v) { return v.kind == ValueKind::gradient; }),
            2 * count.trainable());
  EXPECT_FALSE(g.has("embed_tokens.grad"));
  EXPECT_FALSE(g.has("layers.0.input_layernorm/weight.grad"));
  EXPECT_FALSE(g.has("layers.0.self_attn/k_proj.grad"));
  EXPECT_TRUE(g.has("layers.1.self_attn/k_proj.grad"));
  EXPECT_FALSE(g.has("optimizer/embedding"));
  EXPECT_TRUE(g.has("optimizer/layers.2"));
}

TEST(Residents, of_accumulation_are_there_from_the_start) {
  Settings s = settings();
  s.accumulation = 4;
  const Built g(tiny_llama(), s);
  EXPECT_EQ(g.graph().micro_steps(), 4);
  EXPECT_EQ(g.graph().tokens_per_step(), 4 * kTokens);
  EXPECT_EQ(g.resident(ValueKind::gradient), 2 * model::count_parameters(tiny_llama(), {}).total());
  // The contribution is workspace: 64 * 96 in bf16, beside the input's gradient, which is not summed here.
  EXPECT_EQ(g.op("layers.1.mlp/down_proj.grad").workspace.count(), 2 * h * f);
  EXPECT_EQ(Built(tiny_llama(), settings()).op("layers.1.mlp/down_proj.grad").workspace.count(), 0);
}

TEST(Residents, of_adamw_need_a_copy_while_they_are_updated) {
  const Built g(tiny_llama(), settings());
  const model::ParameterCount count = model::count_parameters(tiny_llama(), {});
  EXPECT_EQ(g.op("optimizer/layers.1").workspace.count(), 2 * count.layer());
  EXPECT_EQ(g.op("optimizer/embedding").workspace.count(), 2 * count.embedding);
  EXPECT_EQ(g.op("optimizer/head").workspace.count(), 2 * (count.final_norm + count.head));
  // Seven passes (weight, gradient, two states in; weight and states out) and the copy's two.
  EXPECT_EQ(g.op("optimizer/layers.1").traffic.count(), 9 * 2 * count.layer());
}

// --- flops

// Korthikanti et al.: 72*B*L*s*h^2*(1 + s/(6h) + V/(12hL)) an iteration: the whole square of the attention,
// no recompute, forward and twice that backward. In integers: 72BLsh^2 + 12BLs^2h + 6BshV.
TEST(FlopCount, of_gpt_is_the_published_closed_form) {
  const Built g(tiny_gpt2(), materialised());
  const std::int64_t B = kBatch, L = 3, s = kSequence, V = 128;
  EXPECT_EQ(g.flops(Engine::matmul), 72 * B * L * s * h * h + 12 * B * L * s * s * h + 6 * B * s * h * V);
  EXPECT_EQ(g.flops(Engine::vector), 0);
}

// 6N + 12*L*Q*s a token, N without the embedding (which is a look-up) and the norms.
TEST(FlopCount, of_llama_is_six_a_parameter_and_token) {
  const model::ParameterCount count = model::count_parameters(tiny_llama(), {});
  const std::int64_t N = 3 * (count.attention + count.mlp) + count.head;
  EXPECT_EQ(Built(tiny_llama(), materialised()).flops(Engine::matmul),
            kTokens * (6 * N + 12 * 3 * Q * kSequence));
  // The causal kernel does half of the square forward (2*Q*s) and 2.5 times that backward.
  const Built fused(tiny_llama(), settings());
  EXPECT_EQ(fused.flops(Engine::matmul), kTokens * 6 * N);
  EXPECT_EQ(fused.flops(Engine::attention), kTokens * 7 * 3 * Q * kSequence);
}

// Frozen weights: their gradient is not computed. Of the first layer, only the adapters' is.
TEST(FlopCount, of_lora_leaves_out_frozen_gradients) {
  Settings s = settings();
  s.lora = Lora{.rank = 2};
  const Built g(tiny_llama(), s);
  EXPECT_EQ(g.op("layers.1.mlp/down_proj.grad").flops, g.op("layers.1.mlp/down_proj").flops);
  EXPECT_EQ(g.op("layers.1.self_attn/q_proj.lora_B.grad").flops.count(),
            2 * g.op("layers.1.self_attn/q_proj.lora_B").flops.count());
  EXPECT_EQ(g.op("layers.0.self_attn/q_proj.lora_A.grad").flops,
            g.op("layers.0.self_attn/q_proj.lora_A").flops);
}

// A window of 4 over 16 tokens: 16 * 4 - 4 * 4 / 2 = 56 pairs instead of 128.
TEST(FlopCount, of_a_sliding_window) {
  Decoder d = tiny_llama();
  d.sliding_window = 4;
  EXPECT_EQ(Built(d, settings()).op("layers.0.self_attn/attention").flops.count(), kBatch * 4 * Q * 56);
  d.sliding_window = 99;
  EXPECT_EQ(Built(d, settings()).op("layers.0.self_attn/attention").flops.count(), kBatch * 4 * Q * 128);
}

// --- head and loss

TEST(Loss, whole_saves_the_log_softmax_and_hands_out_the_logits) {
  const Built g(tiny_llama(), settings());
  EXPECT_EQ(g.value("lm_head/out#0").bytes.count(), kTokens * 128 * 2);
  EXPECT_EQ(g.value("lm_head/out#0").held_until, g.ops.at("embed_tokens.grad"));
  EXPECT_FALSE(g.saved("lm_head/out#0"));
  EXPECT_EQ(g.value("loss/upcast/out#0").held_until, g.ops.at("loss/nll"));
  EXPECT_TRUE(g.saved("loss/log_softmax/out#0"));
  EXPECT_EQ(g.value("loss/log_softmax/out#0").bytes.count(), kTokens * 128 * 4);
  EXPECT_EQ(g.value("loss/nll.grad/out#0").bytes.count(), kTokens * 128 * 4);
  EXPECT_EQ(g.value("loss/upcast.grad/out#0").bytes.count(), kTokens * 128 * 2);
  // In fp32 there is no second copy.
  EXPECT_FALSE(Built(tiny_llama(), settings(model::Precision::fp32)).has("loss/upcast"));
}

TEST(Loss, chunked_saves_the_gradient_of_the_hidden_states) {
  Settings s = settings();
  s.batch = 256;  // 4096 tokens: four chunks of 1024
  s.cross_entropy = model::CrossEntropy::chunked;
  const Built g(tiny_llama(), s);
  const std::string loss = "loss/fused_linear_cross_entropy";
  EXPECT_FALSE(g.has("lm_head"));
  EXPECT_EQ(g.op(loss).workspace.count(), 1024 * 128 * (2 + 4));
  EXPECT_EQ(g.op(loss).flops.count(), 3 * 2 * 4096 * h * 128);
  EXPECT_EQ(g.value(loss + "/out#1").bytes.count(), 4096 * h * 2);
  EXPECT_TRUE(g.saved(loss + "/out#1"));
  EXPECT_EQ(g.value("lm_head.weight.grad").producer, g.ops.at(loss));
  EXPECT_FALSE(g.op(loss).flags.replayable());
  s.lora = Lora{};
  const Built frozen(tiny_llama(), s);
  EXPECT_EQ(frozen.op(loss).flops.count(), 2 * 2 * 4096 * h * 128);
  EXPECT_TRUE(frozen.op(loss).flags.replayable());
}

TEST(Loss, of_a_tied_head_adds_to_the_gradient_of_the_embedding) {
  Decoder d = tiny_llama();
  d.tied = true;
  const Built g(d, settings());
  EXPECT_EQ(g.value("embed_tokens.weight.grad").producer, g.ops.at("lm_head.grad"));
  EXPECT_EQ(g.value("embed_tokens.weight.grad#1").producer, g.ops.at("embed_tokens.grad"));
  EXPECT_EQ(g.graph().overwritten_by(g.values.at("embed_tokens.weight.grad")), g.ops.at("embed_tokens.grad"));
  EXPECT_FALSE(g.values.contains("lm_head.weight"));
}

// --- the graph as a whole

TEST(DecoderGraph, has_one_backward_op_for_each_recorded_forward_op) {
  const Built g(model::testing::phi3("tiny-phi3", kTinyLlama), settings());
  for (const auto& [name, id] : g.ops) {
    if (g.graph().op(id).phase != Phase::backward) continue;
    ASSERT_TRUE(name.ends_with(".grad")) << name;
    const std::string forward = name.substr(0, name.size() - 5);
    const bool is_split = forward.ends_with("/split");
    ASSERT_EQ(g.has(forward), !is_split) << name;
    EXPECT_TRUE(is_split || g.op(forward).block == g.graph().op(id).block) << name;
  }
  for (const auto& [name, id] : g.ops) {
    const Op& op = g.graph().op(id);
    EXPECT_TRUE(op.phase != Phase::forward || op.kind == "add" || g.has(name + ".grad")) << name;
  }
}

TEST(DecoderGraph, has_a_block_a_layer) {
  const Built g(tiny_llama(), settings());
  ASSERT_EQ(g.graph().block_count(), 3);
  const Block& block = g.graph().block(BlockId{1});
  EXPECT_EQ(block.name, "layers.1");
  EXPECT_EQ(block.kind, "decoder_layer");
  EXPECT_EQ(block.first, g.ops.at("layers.1.input_layernorm/upcast"));
  EXPECT_EQ(block.last, g.ops.at("layers.1/add_mlp"));
  EXPECT_FALSE(g.op("embed_tokens").block.exists());
  EXPECT_FALSE(g.op("lm_head").block.exists());
  EXPECT_EQ(g.graph().origin(), Origin::analytic);
  EXPECT_EQ(g.graph().name(), "tiny-llama");
  EXPECT_EQ(g.graph().tokens_per_step(), kTokens);
}

TEST(DecoderGraph, is_built_for_every_family_and_setting) {
  const std::vector<Decoder> decoders{model::testing::gpt2("gpt2", {2, 64, 4, 4, 16, 256, 128, 32}),
                                      tiny_llama(), model::testing::qwen2("qwen2", kTinyLlama),
                                      model::testing::qwen3("qwen3", kTinyLlama),
                                      model::testing::phi3("phi3", kTinyLlama)};
  for (const Decoder& d : decoders)
    for (const auto& precision : model::spellings<model::Precision>())
      for (const auto& attention : model::spellings<model::Attention>())
        for (const auto& loss : model::spellings<model::CrossEntropy>())
          for (const int variant : {0, 1, 2, 3, 4, 5, 6, 7}) {
            Settings s = settings(precision.value);
            s.attention = attention.value;
            s.cross_entropy = loss.value;
            s.dropout = variant % 2 == 0 ? 0.0 : 0.1;
            s.accumulation = variant / 2 % 2 == 0 ? 1 : 3;
            s.tied = variant / 4 == 0;
            if (variant / 4 == 1) s.lora = Lora{.rank = 2, .modules = {"all-linear"}};
            s.optimizer = static_cast<model::Optimizer>(variant % 6);
            const auto graph = build(d, s);
            EXPECT_TRUE(graph) << d.name << " " << precision.text << " " << variant << ": "
                               << graph.error().what << " at " << graph.error().where;
          }
}

TEST(DecoderGraph, is_refused_where_the_model_or_the_settings_make_no_sense) {
  Decoder d = tiny_llama();
  d.kv_heads = 3;
  EXPECT_EQ(build(d, settings()).error().where, "kv_heads");
  EXPECT_EQ(build(tiny_llama(), {.batch = 0}).error().where, "batch");
  d = tiny_llama();
  d.layers = 100000;
  EXPECT_EQ(build(d, settings()).error().where, "layers");
}

}  // namespace
}  // namespace worktop::graph
