// Reasons as JSON: in the answers to `explain` and to the page.
#pragma once

#include <span>
#include <string_view>

#include "format/json_writer.h"
#include "report/reasons.h"

namespace worktop::format {

[[nodiscard]] std::string_view name_of(report::Because because);
// "reasons": a list.
void write_reasons(JsonWriter& w, std::span<const report::Reason> reasons);

}  // namespace worktop::format
