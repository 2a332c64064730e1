// What several answers to the page have in common.
#pragma once

#include <span>
#include <string_view>

#include "advisor/plan_view.h"
#include "format/json_writer.h"
#include "format/measurements.h"

namespace worktop::format {

[[nodiscard]] std::string_view name_of(solver::Effort effort);

// {"format": "worktop-page-<name>", "version": 1, and the object stays open.
void begin_page_answer(JsonWriter& w, std::string_view name);

void write_plan_view(JsonWriter& w, const advisor::PlanView& view);
void write_plan_views(JsonWriter& w, std::string_view key, std::span<const advisor::PlanView> views);
void write_fates(JsonWriter& w, std::span<const report::FateShare> fates);
void write_measured(JsonWriter& w, std::span<const Measured> measured);
// null for an empty text.
void write_text_or_null(JsonWriter& w, std::string_view key, std::string_view text);

}  // namespace worktop::format
