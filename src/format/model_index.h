// The models that are known by name: data/models/index.json, built into the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/decoder.h"

namespace worktop::format {

// One published model. `config`: its config.json is built in, so that it can be planned; the others are known
// by these figures only.
struct KnownModel {
  std::string name;  // a slug
  std::string title;
  std::vector<std::string> aliases;
  bool config = false;
  std::string family;
  std::string architecture;  // "decoder", "encoder", ...
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t parameters = 0;  // from the shapes
  std::string published;        // as printed, rounded; may be empty
  std::string source;
};

// In the order of the index. An error is a fault of the data, which a test would have found.
[[nodiscard]] base::Result<std::vector<KnownModel>> known_models();
[[nodiscard]] base::Result<std::vector<KnownModel>> read_model_index(std::string_view text);

// By name, alias or unambiguous prefix of a name. The error (code usage) offers the nearest.
[[nodiscard]] base::Result<KnownModel> find_model(std::string_view typed);
// The decoder of a known model. The error (code usage) says what can be planned instead.
[[nodiscard]] base::Result<model::Decoder> builtin_decoder(std::string_view typed);

}  // namespace worktop::format
