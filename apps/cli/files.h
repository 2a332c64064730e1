// Reading and writing files, with errors (code environment or input) that name the path.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace worktop::cli {

inline constexpr std::int64_t kLargestFile = std::int64_t{256} << 20;

// Anything that can be read to its end: files, pipes. Not folders, not more than kLargestFile.
[[nodiscard]] base::Result<std::string> read_file(const std::string& path);

// Whole or not at all: a new file beside it takes its place. What is at `path` now stays if that fails, and
// nothing is left behind. What is no regular file (/dev/stdout) is written straight to.
[[nodiscard]] base::Status write_file(const std::string& path, const std::string& text);

[[nodiscard]] bool is_file(const std::string& path);  // exists and is no folder
[[nodiscard]] bool is_folder(const std::string& path);

}  // namespace worktop::cli
