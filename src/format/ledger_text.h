// The ledger for people: the winner in one sentence, the table, where the winner changes, and what the
// teaching model leaves out. Plain ASCII, at most 80 columns, no colour.
#pragma once

#include <string>

#include "cost/ledger.h"

namespace worktop::format {

[[nodiscard]] std::string ledger_text(const cost::Ledger& ledger);

}  // namespace worktop::format
