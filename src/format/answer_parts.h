// What several answers have in common, as JSON. Amounts are in the units of their names; what is absent is
// null.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "advisor/advisor.h"
#include "format/json_writer.h"

namespace worktop::format {

// A number that is reckoned rather than counted, with 12 digits: the last ones are only rounding.
void write_number(JsonWriter& w, std::string_view key, std::optional<double> number);

// "optimizer states" is a word for people; keys have no spaces.
[[nodiscard]] std::string_view key_of(report::Resident resident);
// "residents": the six shares; null for none.
void write_residents(JsonWriter& w, std::string_view key, const std::optional<report::Residents>& residents);
void write_groups(JsonWriter& w, std::string_view key, std::span<const report::ResidentGroup> groups);
// "strategies": each with its prediction, and what it saves and costs against keep-all.
void write_choice(JsonWriter& w, const advisor::Choice& choice);
void write_choices(JsonWriter& w, std::string_view key, std::span<const advisor::Choice> choices);
// "picks": three names; null where there is nothing to pick from.
void write_picks(JsonWriter& w, const report::Picks& picks);

}  // namespace worktop::format
