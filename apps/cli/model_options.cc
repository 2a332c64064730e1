#include "model_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "values.h"

namespace worktop::cli {
namespace {

// Where no sequence length is given; shorter for models that have fewer positions.
constexpr std::int64_t kSequence = 2048;

// "fp32, bf16-mixed, fp16-mixed, bf16 (bf16)": every spelling, and the default.
template <class E>
std::string choices(E otherwise) {
  std::string text;
  const auto all = model::spellings<E>();
  for (std::size_t i = 0; i < all.size(); ++i)
    text += std::string(i == 0 ? "" : ", ") + std::string(all[i].text);
  return text + " (" + std::string(model::spelling_of(otherwise)) + ")";
}

base::Status read_count(std::int64_t& value, const Option& option, const Text& text) {
  if (!text) return {};
  WORKTOP_TRY(value, whole(option, *text, 1, model::kLargestCount));
  return {};
}

template <class E>
base::Status read_choice(E& value, const Option& option, const Text& text) {
  if (!text) return {};
  WORKTOP_TRY(value, at(option, model::parse<E>(*text)));
  return {};
}

Result<std::optional<model::Lora>> read_lora(const Text& rank, const Text& modules) {
  if (!rank && !modules) return std::nullopt;
  model::Lora lora;
  WORKTOP_CHECK(read_count(lora.rank, "--lora-rank", rank));
  if (modules) lora.modules = split(*modules, ',');
  return lora;
}

}  // namespace

void ModelOptions::add(CLI::App& app, const std::string& model_meaning) {
  const model::Settings otherwise;
  const auto setting = [&](const char* name, Text& text, const char* unit, const std::string& meaning) {
    add_text(app, name, text, unit, meaning)->group("Training");
  };
  add_text(app, "MODEL", model, "", model_meaning);
  setting("--batch", batch, "N", "sequences in a micro-step (1)");
  setting("--seq", sequence, "N", "tokens in a sequence (2048, or what the model has)");
  setting("--accumulation", accumulation, "N", "micro-steps in a step (1)");
  setting("--precision", precision, "NAME", choices(otherwise.precision));
  setting("--optimizer", optimizer, "NAME", choices(otherwise.optimizer));
  setting("--attention", attention, "NAME", choices(otherwise.attention));
  setting("--cross-entropy", cross_entropy, "NAME", choices(otherwise.cross_entropy));
  setting("--dropout", dropout, "P", "0 to 1 (the model's own)");
  setting("--tied", tied, "yes|no", "head is the embedding (the model's own)");
  setting("--lora-rank", lora_rank, "N", "train adapters of this rank on a frozen base");
  setting("--lora-modules", lora_modules, "NAMES", "q_proj,v_proj or all-linear (attention's)");
}

base::Result<Source> ModelOptions::source() const {
  if (!model)
    return base::fail(base::ErrorCode::usage, "there is no model", "MODEL",
                      "give a name of 'worktop models', or a path to a config.json or a step graph");
  return load_model(*model);
}

base::Result<model::Settings> ModelOptions::settings(const model::Decoder& decoder) const {
  model::Settings settings;
  settings.sequence = kSequence;
  if (decoder.position == model::Position::learned)
    settings.sequence = std::min(kSequence, decoder.max_positions);
  WORKTOP_CHECK(read_count(settings.batch, "--batch", batch));
  WORKTOP_CHECK(read_count(settings.sequence, "--seq", sequence));
  WORKTOP_CHECK(read_count(settings.accumulation, "--accumulation", accumulation));
  WORKTOP_CHECK(read_choice(settings.precision, "--precision", precision));
  WORKTOP_CHECK(read_choice(settings.optimizer, "--optimizer", optimizer));
  WORKTOP_CHECK(read_choice(settings.attention, "--attention", attention));
  WORKTOP_CHECK(read_choice(settings.cross_entropy, "--cross-entropy", cross_entropy));
  if (dropout) {
    WORKTOP_TRY(settings.dropout, number("--dropout", *dropout, 0, 1));
  }
  if (tied) {
    WORKTOP_TRY(settings.tied, yes_or_no("--tied", *tied));
  }
  WORKTOP_TRY(settings.lora, read_lora(lora_rank, lora_modules));
  return settings;
}

base::Status ModelOptions::no_settings(const std::string& why) const {
  const std::pair<const char*, const Text*> all[] = {{"--batch", &batch},
                                                     {"--seq", &sequence},
                                                     {"--accumulation", &accumulation},
                                                     {"--precision", &precision},
                                                     {"--optimizer", &optimizer},
                                                     {"--attention", &attention},
                                                     {"--dropout", &dropout},
                                                     {"--cross-entropy", &cross_entropy},
                                                     {"--tied", &tied},
                                                     {"--lora-rank", &lora_rank},
                                                     {"--lora-modules", &lora_modules}};
  for (const auto& [name, text] : all)
    if (*text)
      return base::fail(base::ErrorCode::usage, fmt::format("{} does not go with {}", name, why), name,
                        "leave it out, or give a model");
  return {};
}

}  // namespace worktop::cli
