// The ledger as one JSON object: format "worktop-ledger", version 1. docs/schema/ledger.schema.json is its
// schema. Numbers are in the units of their names, with 12 significant digits; what is absent is null.
#pragma once

#include <string>

#include "cost/ledger.h"
#include "format/json_writer.h"

namespace worktop::format {

inline constexpr int kLedgerVersion = 1;

// `indent` 0: everything on one line; otherwise it ends with a newline.
[[nodiscard]] std::string ledger_json(const cost::Ledger& ledger, int indent = 2);
// The same object inside another answer.
void write_ledger(JsonWriter& w, const cost::Ledger& ledger);

}  // namespace worktop::format
