// What is trained, and how: the argument MODEL and the settings beside it.
#pragma once

#include "command.h"
#include "model/settings.h"
#include "sources.h"

namespace worktop::cli {

struct ModelOptions {
  Text model;
  Text batch, sequence, accumulation, precision, optimizer, attention, cross_entropy, dropout, tied,
      lora_rank, lora_modules;

  void add(CLI::App& app, const std::string& model_meaning);
  // Errors (code usage) name the option.
  [[nodiscard]] base::Result<Source> source() const;
  [[nodiscard]] base::Result<model::Settings> settings(const model::Decoder& decoder) const;
  // A file that carries its graph has its settings in it.
  [[nodiscard]] base::Status no_settings(const std::string& why) const;
};

}  // namespace worktop::cli
