// The page that was built into the program (apps/page): one HTML file, complete but for a report.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace worktop::cli {

// The error (code environment): this program was built without it.
[[nodiscard]] base::Result<std::string_view> page_text();

// The page with a report inside. `report` is JSON text (format/report_json.h).
[[nodiscard]] base::Result<std::string> page_with(std::string_view report);

}  // namespace worktop::cli
