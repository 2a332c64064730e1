// What is built in can be found by name, and is what it says.
#include <gtest/gtest.h>

#include "format/machine_catalog.h"
#include "format/model_index.h"
#include "model/parameters.h"
#include "model/settings.h"

namespace worktop::format {
namespace {

TEST(Models, AreFoundByNamePrefixAndAlias) {
  EXPECT_EQ(find_model("llama-3-8b")->parameters, 8'030'261'248);  // published: 8.03 B
  EXPECT_EQ(find_model("Llama-3-8B")->name, "llama-3-8b");
  EXPECT_EQ(find_model("tiny")->name, "tinyllama-1.1b");
  EXPECT_EQ(find_model("gpt2")->name, "gpt-2-124m");
  EXPECT_FALSE(find_model("llama"));  // several
  EXPECT_EQ(find_model("lama-3-8b").error().hint, "did you mean 'llama-3-8b'?");
}

TEST(Models, OnlyThoseWithAConfigurationHaveADecoder) {
  const std::vector<KnownModel> models = known_models().value();
  for (const KnownModel& known : models) {
    const auto decoder = builtin_decoder(known.name);
    EXPECT_EQ(decoder.has_value(), known.config) << known.name;
    if (decoder) {
      EXPECT_EQ(decoder->layers, known.layers);
    }
  }
}

TEST(Models, ABrokenIndexIsRefused) {
  EXPECT_FALSE(read_model_index(""));
  EXPECT_FALSE(read_model_index(R"({"format": "worktop-models", "version": 2, "models": []})"));
  EXPECT_FALSE(read_model_index(R"({"format": "worktop-models", "version": 1, "models": [{"name": 1}]})"));
  EXPECT_EQ(read_model_index(R"({"format": "worktop-models", "version": 1, "models": []})")->size(), 0U);
}

TEST(Machines, AreFoundByNameAndPrefix) {
  EXPECT_EQ(known_machines()->size(), 36U);
  EXPECT_EQ(find_machine("rtx-4090")->name, "rtx-4090-24gb");
  EXPECT_EQ(find_machine("RTX-4090-24GB")->usable_bytes, base::Bytes{25'383'256'719});  // 23.64 GiB
  EXPECT_FALSE(find_machine("rtx"));
  EXPECT_EQ(find_machine("l4-25gb").error().hint, "did you mean 'l4-24gb'?");
}

}  // namespace
}  // namespace worktop::format
