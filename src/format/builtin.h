// The files of data/ that are built into the program: machines, model configurations and the index of models.
// data/index.txt lists them; cmake/worktop_data.cmake writes the table.
#pragma once

#include <span>
#include <string_view>

namespace worktop::format {

// One file, byte for byte; the views last as long as the program.
//   {"machines", "rtx-4090-24gb.json", ...}   {"models/llama-3-8b", "config.json", ...}   {"models",
//   "index.json", ...}
struct BuiltinFile {
  std::string_view folder;  // below data/
  std::string_view name;
  std::string_view text;
};

// In the order of their paths.
[[nodiscard]] std::span<const BuiltinFile> builtin_files();

}  // namespace worktop::format
