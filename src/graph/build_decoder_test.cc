// What is resident, the flops, the loss and the shape of a decoder's graph.
#include "graph/build_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/testing.h"
#include "model/parameters.h"
#include "model/testing.h"

namespace worktop::graph {
namespace {

using namespace graph::testing;
using model::Decoder;
using model::Lora;
using model::Settings;

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
