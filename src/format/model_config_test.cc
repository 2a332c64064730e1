#include "format/model_config.h"

#include <gtest/gtest.h>

#include <string>

#include "format/builtin.h"
#include "format/json_cursor.h"
#include "format/testing.h"
#include "model/parameters.h"
#include "model/settings.h"

namespace worktop::format {
namespace {

using model::Activation;
using model::Decoder;
using model::Family;

Decoder read(std::string_view text) {
  const auto d = read_model_config(text, "m");
  EXPECT_TRUE(d) << (d ? "" : d.error().what + " " + d.error().where);
  return d ? *d : Decoder{};
}

base::Error error_of(std::string_view text) {
  return testing::error_of(read_model_config(text, "m"), text);
}

// A config of one family with sizes and what else is given.
std::string config(std::string_view type, std::string_view more = "") {
  return R"({"model_type":")" + std::string(type) +
         R"(","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":16,"vocab_size":100,"intermediate_size":96)" +
         std::string(more) + "}";
}

TEST(ModelConfig, Gpt2AndItsDefaults) {
  const Decoder d = read(R"({"architectures":["GPT2LMHeadModel"],"n_embd":768,"n_head":12,"n_layer":12,
                             "vocab_size":50257,"n_inner":null,"a":{"b":[1]}})");
  EXPECT_EQ(d.family, Family::gpt2);
  EXPECT_EQ(d.name, "m");
  EXPECT_EQ(d.intermediate, 3072);
  EXPECT_EQ(d.kv_heads, 12);
  EXPECT_EQ(d.head_dim, 64);
  EXPECT_EQ(d.max_positions, 1024);
  EXPECT_TRUE(d.tied && d.fused_qkv && d.qkv_bias && d.mlp_bias && d.attention_output_bias);
  EXPECT_EQ(d.activation, Activation::gelu_new);
  EXPECT_EQ(d.dropout, (model::Dropout{0.1, 0.1, 0.1}));
  // 124,439,808 is the published count of GPT-2 (small) with its tied head.
  EXPECT_EQ(model::count_parameters(d, {}).base(), 124'439'808);
}

TEST(ModelConfig, LlamaDefaults) {
  const Decoder d = read(config("llama"));
  EXPECT_EQ(d.architecture, "LlamaForCausalLM");
  EXPECT_EQ(d.kv_heads, 16);
  EXPECT_EQ(d.head_dim, 4);
  EXPECT_EQ(d.max_positions, 2048);
  EXPECT_FALSE(d.tied || d.qkv_bias || d.attention_output_bias || d.mlp_bias || d.sliding_window);
  EXPECT_EQ(d.dropout, (model::Dropout{std::nullopt, 0.0, std::nullopt}));
  const Decoder biased = read(config("llama", R"(,"attention_bias":true,"mlp_bias":true,"head_dim":8)"));
  EXPECT_TRUE(biased.qkv_bias && biased.attention_output_bias && biased.mlp_bias);
  EXPECT_EQ(biased.head_dim, 8);
}

TEST(ModelConfig, MistralDefaults) {
  EXPECT_EQ(read(config("mistral")).kv_heads, 8);
  EXPECT_EQ(read(config("mistral", R"(,"num_key_value_heads":null)")).kv_heads, 16);
  EXPECT_EQ(read(config("mistral")).sliding_window, 4096);
  EXPECT_FALSE(read(config("mistral", R"(,"sliding_window":null)")).sliding_window);
  EXPECT_EQ(read(config("mistral", R"(,"sliding_window":512)")).sliding_window, 512);
}

TEST(ModelConfig, QwenDefaults) {
  const Decoder qwen2 = read(config("qwen2", R"(,"num_key_value_heads":2)"));
  EXPECT_TRUE(qwen2.qkv_bias);
  EXPECT_FALSE(qwen2.attention_output_bias || qwen2.qk_norm || qwen2.sliding_window);
  const std::string_view windows = R"(,"sliding_window":512,"use_sliding_window":true,"max_window_layers":)";
  EXPECT_FALSE(read(config("qwen2", std::string(windows) + "1")).sliding_window);
  EXPECT_EQ(read(config("qwen2", std::string(windows) + "0")).sliding_window, 512);
  const Decoder qwen3 = read(config("qwen3", R"(,"num_key_value_heads":2)"));
  EXPECT_EQ(qwen3.head_dim, 128);
  EXPECT_TRUE(qwen3.qk_norm);
  EXPECT_FALSE(qwen3.qkv_bias);
}

TEST(ModelConfig, Phi3Defaults) {
  const Decoder d = read(config("phi3", R"(,"resid_pdrop":0.25)"));
  EXPECT_TRUE(d.fused_qkv && d.fused_gate_up);
  EXPECT_EQ(d.dropout, (model::Dropout{std::nullopt, 0.0, 0.25}));
  EXPECT_FALSE(d.sliding_window);
  EXPECT_EQ(read(config("phi3", R"(,"sliding_window":2047)")).sliding_window, 2047);
}

// The index of data/models states each parameter count, from published shapes.
TEST(ModelConfig, EveryBuiltInModelHasTheParametersThatItsIndexStates) {
  const auto text_of = [](std::string_view folder, std::string_view name) {
    for (const BuiltinFile& file : builtin_files())
      if (file.folder == folder && file.name == name) return file.text;
    return std::string_view();
  };
  const auto document = JsonDocument::parse(text_of("models", "index.json"));
  ASSERT_TRUE(document);
  const auto models = document->root().object()->array("models");
  ASSERT_TRUE(models);
  int configs = 0;
  for (const JsonCursor item : *models) {
    const auto row = item.object();
    if (!*row->boolean("config")) continue;
    const auto d =
        read_model_config(text_of("models/" + *row->string("name"), "config.json"), *row->string("name"));
    ASSERT_TRUE(d) << d.error().where << ": " << d.error().what;
    EXPECT_TRUE(model::check(*d, {.sequence = 512})) << d->name;
    EXPECT_EQ(model::count_parameters(*d, {}).base(), *row->integer("params_computed", 0, INT64_MAX))
        << d->name;
    ++configs;
  }
  EXPECT_GE(configs, 30);
}

TEST(ModelConfig, AnythingElseIsNamedWithTheNearest) {
  const base::Error error = error_of(R"({"architectures":["LlamaForCausalLLM"]})");
  EXPECT_EQ(error.what, "architecture 'LlamaForCausalLLM' is not known");
  EXPECT_EQ(error.hint, "the nearest known one is 'LlamaForCausalLM'");
  EXPECT_EQ(error.where, "1:19 architectures[0]");
  EXPECT_EQ(error_of(R"({"model_type":"mamba2"})").code, base::ErrorCode::input);
}

TEST(ModelConfig, Refuses) {
  EXPECT_EQ(error_of("{}").what, "has neither 'architectures' nor 'model_type'");
  EXPECT_EQ(error_of(R"({"architectures":[]})").what, "has neither 'architectures' nor 'model_type'");
  EXPECT_EQ(error_of(R"({"model_type":"llama","vocab_size":10})").what, "has no 'num_hidden_layers'");
  EXPECT_EQ(error_of(config("llama", R"(,"head_dim":-4)")).what, "-4 is not between 1 and 2147483647");
  EXPECT_EQ(error_of(config("llama", R"(,"num_key_value_heads":2.5)")).what, "2.5 is not a whole number");
  EXPECT_EQ(error_of(config("llama", R"(,"hidden_act":"gelo")")).hint, "did you mean 'gelu'?");
  EXPECT_EQ(error_of(config("llama", R"(,"attention_dropout":1.5)")).where.substr(0, 2), "1:");
  EXPECT_EQ(error_of(R"({"model_type":"gpt2","n_embd":10,"n_head":3,"n_layer":1,"vocab_size":5})").what,
            "a width of 10 is not divisible by 3 heads");
}

}  // namespace
}  // namespace worktop::format
