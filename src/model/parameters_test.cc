#include "model/parameters.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace worktop::model {
namespace {

using testing::gpt2;
using testing::llama;
using testing::mistral;
using testing::phi3;
using testing::qwen2;
using testing::qwen3;

struct Known {
  Decoder decoder;
  std::int64_t parameters;
};

// Totals of the published checkpoints: layers, hidden, heads, kv_heads, head_dim, intermediate, vocab,
// context.
const Known kKnown[] = {
    {llama("Llama-2-7b", {32, 4096, 32, 32, 128, 11008, 32000, 4096, false}), 6738415616},
    {llama("Llama-2-13b", {40, 5120, 40, 40, 128, 13824, 32000, 4096, false}), 13015864320},
    {llama("Llama-2-70b", {80, 8192, 64, 8, 128, 28672, 32000, 4096, false}), 68976648192},
    {llama("Llama-3-8B", {32, 4096, 32, 8, 128, 14336, 128256, 8192, false}), 8030261248},
    {llama("Llama-3-70B", {80, 8192, 64, 8, 128, 28672, 128256, 8192, false}), 70553706496},
    {llama("Llama-3.1-8B", {32, 4096, 32, 8, 128, 14336, 128256, 131072, false}), 8030261248},
    {llama("Llama-3.1-70B", {80, 8192, 64, 8, 128, 28672, 128256, 131072, false}), 70553706496},
    {llama("Llama-3.1-405B", {126, 16384, 128, 8, 128, 53248, 128256, 131072, false}), 405853388800},
    {llama("Llama-3.2-1B", {16, 2048, 32, 8, 64, 8192, 128256, 131072, true}), 1235814400},
    {llama("Llama-3.2-3B", {28, 3072, 24, 8, 128, 8192, 128256, 131072, true}), 3212749824},
    {mistral("Mistral-7B-v0.1", {32, 4096, 32, 8, 128, 14336, 32000, 4096, false}), 7241732096},
    {mistral("Mistral-7B-v0.3", {32, 4096, 32, 8, 128, 14336, 32768, 32768, false}), 7248023552},
    {qwen2("Qwen2.5-0.5B", {24, 896, 14, 2, 64, 4864, 151936, 32768, true}), 494032768},
    {qwen2("Qwen2.5-1.5B", {28, 1536, 12, 2, 128, 8960, 151936, 131072, true}), 1543714304},
    {qwen2("Qwen2.5-3B", {36, 2048, 16, 2, 128, 11008, 151936, 32768, true}), 3085938688},
    {qwen2("Qwen2.5-7B", {28, 3584, 28, 4, 128, 18944, 152064, 131072, false}), 7615616512},
    {qwen2("Qwen2.5-14B", {48, 5120, 40, 8, 128, 13824, 152064, 131072, false}), 14770033664},
    {qwen2("Qwen2.5-32B", {64, 5120, 40, 8, 128, 27648, 152064, 131072, false}), 32763876352},
    {qwen2("Qwen2.5-72B", {80, 8192, 64, 8, 128, 29568, 152064, 131072, false}), 72706203648},
    {qwen3("Qwen3-0.6B", {28, 1024, 16, 8, 128, 3072, 151936, 40960, true}), 596049920},
    {qwen3("Qwen3-1.7B", {28, 2048, 16, 8, 128, 6144, 151936, 40960, true}), 1720574976},
    {qwen3("Qwen3-4B", {36, 2560, 32, 8, 128, 9728, 151936, 40960, true}), 4022468096},
    {qwen3("Qwen3-8B", {36, 4096, 32, 8, 128, 12288, 151936, 40960, false}), 8190735360},
    {qwen3("Qwen3-14B", {40, 5120, 40, 8, 128, 17408, 151936, 40960, false}), 14768307200},
    {qwen3("Qwen3-32B", {64, 5120, 64, 8, 128, 25600, 151936, 40960, false}), 32762123264},
    {phi3("Phi-3-mini-4k-instruct", {32, 3072, 32, 32, 96, 8192, 32064, 4096, false}), 3821079552},
    {gpt2("GPT-2 124M", {12, 768, 12, 12, 64, 3072, 50257, 1024, true}), 124439808},
    {gpt2("GPT-2 355M (medium)", {24, 1024, 16, 16, 64, 4096, 50257, 1024, true}), 354823168},
    {gpt2("GPT-2 774M (large)", {36, 1280, 20, 20, 64, 5120, 50257, 1024, true}), 774030080},
    {gpt2("GPT-2 1.5B (xl)", {48, 1600, 25, 25, 64, 6400, 50257, 1024, true}), 1557611200},
    {phi3("Phi-3-medium", {40, 5120, 40, 10, 128, 17920, 32064, 2048, false}), 13960238080},
    {llama("TinyLlama-1.1B", {22, 2048, 32, 4, 64, 5632, 32000, 2048, false}), 1100048384},
};

TEST(Parameters, of_published_models_are_exact) {
  for (const Known& known : kKnown) {
    const ParameterCount count = count_parameters(known.decoder, {});
    EXPECT_EQ(count.total(), known.parameters) << known.decoder.name;
    EXPECT_EQ(count.trainable(), known.parameters) << known.decoder.name;
  }
}

// As printed by their makers, at the printed rounding.
TEST(Parameters, round_to_the_published_numbers) {
  const struct {
    const char* name;
    double unit;
    double published;
    double half_digit;
  } rounded[] = {
      {"GPT-2 124M", 1e6, 124, 0.5},
      {"GPT-2 774M (large)", 1e6, 774, 0.5},
      {"GPT-2 1.5B (xl)", 1e6, 1558, 0.5},
      {"TinyLlama-1.1B", 1e9, 1.1, 0.05},
      {"Phi-3-medium", 1e9, 14, 0.5},
      // "350M" for 354.8 million: printed to two digits.
      {"GPT-2 355M (medium)", 1e6, 350, 5},
  };
  for (const auto& row : rounded) {
    bool found = false;
    for (const Known& known : kKnown) {
      if (known.decoder.name != row.name) continue;
      found = true;
      const auto total = static_cast<double>(count_parameters(known.decoder, {}).total());
      EXPECT_NEAR(total / row.unit, row.published, row.half_digit) << row.name;
    }
    EXPECT_TRUE(found) << row.name;
  }
}

// h = 8, 4 query heads of 2, 2 heads of keys and values, ffn 16, vocabulary 32:
// attention 8*8 + 2*8*4 + 8*8 = 192, mlp 3*8*16 = 384, norms 16, embedding 256, final norm 8, head 256.
TEST(Parameters, by_part) {
  const Decoder d = llama("tiny", {2, 8, 4, 2, 2, 16, 32, 64});
  const ParameterCount count = count_parameters(d, {});
  EXPECT_EQ(count.embedding, 256);
  EXPECT_EQ(count.attention, 192);
  EXPECT_EQ(count.mlp, 384);
  EXPECT_EQ(count.norms, 16);
  EXPECT_EQ(count.final_norm, 8);
  EXPECT_EQ(count.head, 256);
  EXPECT_EQ(count.total(), 256 + 2 * (192 + 384 + 16) + 8 + 256);
  EXPECT_EQ(count_parameters(d, {.tied = true}).total(), count.total() - 256);
}

// Rank 2 on q_proj (8 -> 8) and v_proj (8 -> 4): 2 * (8 + 8) + 2 * (8 + 4) = 56 a layer.
TEST(Parameters, of_lora_are_the_adapters) {
  const Decoder d = llama("tiny", {3, 8, 4, 2, 2, 16, 32, 64});
  const ParameterCount plain = count_parameters(d, {});
  const ParameterCount count = count_parameters(d, {.lora = Lora{.rank = 2}});
  EXPECT_EQ(count.adapters, 56);
  EXPECT_EQ(count.trainable(), 3 * 56);
  EXPECT_EQ(count.base(), plain.total());
  EXPECT_EQ(count.total(), plain.total() + 3 * 56);
  // All seven modules: q 16, k 12, v 12, o 16, gate 24, up 24, down 24 = 128, times rank 2.
  EXPECT_EQ(count_parameters(d, {.lora = Lora{.rank = 2, .modules = {"all-linear"}}}).adapters, 256);
}

// The published count of Llama-3-8B with rank 16 on q_proj and v_proj: 32 * 16 * (8192 + 5120) = 6,815,744.
TEST(Parameters, of_lora_on_llama_3_8b) {
  const Decoder d = llama("Llama-3-8B", {32, 4096, 32, 8, 128, 14336, 128256, 8192});
  EXPECT_EQ(count_parameters(d, {.lora = Lora{}}).trainable(), 6815744);
}

TEST(Parameters, modules_have_the_names_of_their_family) {
  using Names = std::vector<std::string>;
  const testing::Shape shape{1, 8, 4, 2, 2, 16, 32, 64};
  EXPECT_EQ(linear_module_names(llama("l", shape)),
            (Names{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}));
  EXPECT_EQ(linear_module_names(phi3("p", shape)),
            (Names{"qkv_proj", "o_proj", "gate_up_proj", "down_proj"}));
  EXPECT_EQ(linear_module_names(gpt2("g", shape)), (Names{"c_attn", "c_proj", "c_fc"}));
  EXPECT_EQ(default_lora_modules(llama("l", shape)), (Names{"q_proj", "v_proj"}));
  EXPECT_EQ(default_lora_modules(phi3("p", shape)), (Names{"qkv_proj"}));
  EXPECT_EQ(default_lora_modules(gpt2("g", shape)), (Names{"c_attn"}));
}

}  // namespace
}  // namespace worktop::model
