#include "model/settings.h"

#include <gtest/gtest.h>

#include "model/families.h"
#include "model/testing.h"

namespace worktop::model {
namespace {

const testing::Shape kTiny{2, 8, 4, 2, 2, 16, 32, 64};

// The field that `check` complains about, or "".
std::string complaint(const Decoder& decoder, const Settings& settings = {.sequence = 16}) {
  const auto status = check(decoder, settings);
  EXPECT_TRUE(status || !status.error().hint.empty());
  return status ? "" : status.error().where;
}

template <class E>
void expect_round_trip() {
  for (const Spelling<E>& spelling : spellings<E>()) {
    const auto parsed = parse<E>(spelling.text);
    ASSERT_TRUE(parsed) << spelling.text;
    EXPECT_EQ(*parsed, spelling.value);
    EXPECT_EQ(spelling_of(spelling.value), spelling.text);
    EXPECT_FALSE(spelling.meaning.empty());
  }
}

TEST(Settings, every_spelling_is_read_back) {
  expect_round_trip<Precision>();
  expect_round_trip<Optimizer>();
  expect_round_trip<Attention>();
  expect_round_trip<CrossEntropy>();
  EXPECT_EQ(spellings<Precision>().size(), 4u);
  EXPECT_EQ(spellings<Optimizer>().size(), 6u);
}

TEST(Settings, a_typo_is_answered_with_the_nearest_spelling) {
  const auto parsed = parse<Optimizer>("adamv");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, base::ErrorCode::usage);
  EXPECT_EQ(parsed.error().what, "optimizer 'adamv' is not known");
  EXPECT_EQ(parsed.error().hint, "did you mean 'adamw'?");
  EXPECT_FALSE(parse<Precision>("fp8"));
  EXPECT_EQ(parse<Precision>("bf16"), Precision::bf16);  // exact, though a prefix of another
  EXPECT_FALSE(parse<Precision>("bf"));
}

TEST(Settings, overrides_replace_only_what_the_architecture_has) {
  const Decoder llama = with_overrides(testing::llama("l", kTiny), {.dropout = 0.5, .tied = true});
  EXPECT_EQ(llama.dropout, (Dropout{.embedding = {}, .attention = 0.5, .residual = {}}));
  EXPECT_TRUE(llama.tied);
  const Decoder gpt2 = with_overrides(testing::gpt2("g", kTiny), {.dropout = 0.0});
  EXPECT_EQ(gpt2.dropout, (Dropout{.embedding = 0.0, .attention = 0.0, .residual = 0.0}));
  EXPECT_FALSE(gpt2.tied);
}

TEST(Check, accepts_what_makes_sense) {
  EXPECT_EQ(complaint(testing::llama("l", kTiny)), "");
  EXPECT_EQ(complaint(testing::gpt2("g", kTiny)), "");
  EXPECT_EQ(complaint(testing::gpt2("g", kTiny), {.sequence = 64}), "");
  // Rotary positions have no table to run out of.
  EXPECT_EQ(complaint(testing::llama("l", kTiny), {.sequence = 65}), "");
  EXPECT_EQ(complaint(testing::llama("l", kTiny), {.sequence = 16, .lora = Lora{.modules = {"o_proj"}}}), "");
  EXPECT_EQ(complaint(testing::llama("l", kTiny), {.sequence = 16, .lora = Lora{.modules = {"all-linear"}}}),
            "");
}

TEST(Check, names_the_field_of_a_decoder_that_is_wrong) {
  const Decoder good = testing::llama("l", kTiny);
  const auto broken = [&](auto change) {
    Decoder d = good;
    change(d);
    return complaint(d);
  };
  EXPECT_EQ(broken([](Decoder& d) { d.layers = 0; }), "layers");
  EXPECT_EQ(broken([](Decoder& d) { d.hidden = -1; }), "hidden");
  EXPECT_EQ(broken([](Decoder& d) { d.heads = 0; }), "heads");
  EXPECT_EQ(broken([](Decoder& d) { d.kv_heads = 0; }), "kv_heads");
  EXPECT_EQ(broken([](Decoder& d) { d.kv_heads = 3; }), "kv_heads");
  EXPECT_EQ(broken([](Decoder& d) { d.head_dim = 3; }), "head_dim");
  EXPECT_EQ(broken([](Decoder& d) { d.intermediate = 0; }), "intermediate");
  EXPECT_EQ(broken([](Decoder& d) { d.vocab = std::int64_t{1} << 31; }), "vocab");
  EXPECT_EQ(broken([](Decoder& d) { d.max_positions = 0; }), "max_positions");
  EXPECT_EQ(broken([](Decoder& d) { d.sliding_window = 0; }), "sliding_window");
  EXPECT_EQ(broken([](Decoder& d) { d.dropout.attention = 1.0; }), "dropout.attention");
}

TEST(Check, names_the_setting_that_is_wrong) {
  const Decoder d = testing::llama("l", kTiny);
  EXPECT_EQ(complaint(d, {.batch = 0}), "batch");
  EXPECT_EQ(complaint(d, {.sequence = 0}), "sequence");
  EXPECT_EQ(complaint(d, {.accumulation = -3}), "accumulation");
  EXPECT_EQ(complaint(d, {.dropout = -0.1}), "dropout");
  EXPECT_EQ(complaint(d, {.dropout = 1.0}), "dropout");
  EXPECT_EQ(complaint(d, {.dropout = __builtin_nan("")}), "dropout");
  EXPECT_EQ(complaint(d, {.lora = Lora{.rank = 0}}), "lora.rank");
  EXPECT_EQ(complaint(d, {.lora = Lora{.modules = {"c_attn"}}}), "lora.modules");
  EXPECT_EQ(complaint(testing::gpt2("g", kTiny), {.sequence = 65}), "sequence");
}

TEST(Check, offers_the_nearest_module) {
  const auto status = check(testing::llama("l", kTiny), {.sequence = 16, .lora = Lora{.modules = {"q_prj"}}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().hint, "did you mean 'q_proj'?");
}

TEST(Check, refuses_tensors_that_no_number_can_hold) {
  Decoder d = testing::llama("l", kTiny);
  EXPECT_FALSE(check(d, {.batch = kLargestCount, .sequence = kLargestCount}));
  EXPECT_FALSE(check(d, {.batch = 1, .sequence = 1 << 30, .attention = Attention::materialised}));
  EXPECT_FALSE(check(d, {.batch = 1, .sequence = 16, .lora = Lora{.rank = kLargestCount}}) &&
               check(d, {.batch = kLargestCount, .sequence = 1 << 20}));
  d.hidden = d.vocab = kLargestCount;
  EXPECT_FALSE(check(d, {.sequence = 16}));
}

TEST(Families, are_found_by_architecture_or_type) {
  for (const KnownArchitecture& known : known_architectures()) {
    EXPECT_EQ(find_architecture(known.architecture)->family, known.family);
    EXPECT_EQ(find_architecture(known.model_type)->family, known.family);
  }
  EXPECT_EQ(known_architectures().size(), 6u);
}

TEST(Families, an_unknown_one_is_named_with_the_nearest) {
  const auto gemma = find_architecture("Gemma2ForCausalLM");
  ASSERT_FALSE(gemma);
  EXPECT_EQ(gemma.error().code, base::ErrorCode::input);
  EXPECT_EQ(gemma.error().what, "architecture 'Gemma2ForCausalLM' is not known");
  EXPECT_EQ(gemma.error().hint, "the nearest known one is 'LlamaForCausalLM'");
  EXPECT_EQ(find_architecture("MixtralForCausalLM").error().hint,
            "the nearest known one is 'MistralForCausalLM'");
  EXPECT_TRUE(find_architecture("T5").error().hint.starts_with("known: GPT2LMHeadModel, "));
}

}  // namespace
}  // namespace worktop::model
