// Where does the winner of the ledger change, in lambda and in the bandwidth?
//
// Costs are straight lines in lambda and in 1/B, so winners can change only where two lines cross, or where a
// row begins to keep the time limit. All such places are solved for, each piece between two of them is judged
// at its middle, and pieces with the same winner are joined.
#pragma once

#include <vector>

#include "cost/ledger.h"

namespace worktop::cost {

// Over lambda from 0 to 1 meaning (m, 1 - m, 1 - m), for the rows as they are: K is held, and whether a row
// fits does not depend on lambda.
[[nodiscard]] std::vector<WinnerInterval> changes_in_lambda(const std::vector<LedgerRow>& rows);

// Over the bandwidth in GB/s from 0 without end. `rows` are those of `question`.
[[nodiscard]] std::vector<WinnerInterval> changes_in_bandwidth(const std::vector<LedgerRow>& rows,
                                                               const LedgerQuestion& question);

}  // namespace worktop::cost
