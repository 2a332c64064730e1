// The report that the page carries (apps/page/contract.ts, type Report): files that it opens, and what to
// show. And what a command says that has written a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "format/opened_file.h"

namespace worktop::format {

struct Report {
  std::string title;
  std::optional<base::Bytes> memory_limit;
  std::optional<base::Nanoseconds> time_limit;
  std::vector<NamedText> files;  // opened in order; the first is what is asked about
};

// Format "worktop-report", version 1.
[[nodiscard]] std::string report_json(const Report& report);

// {"format": "worktop-answer-written", "version": 1, "path", "bytes"}: docs/schema/written.schema.json.
[[nodiscard]] std::string written_json(const std::string& path, std::size_t bytes);

}  // namespace worktop::format
