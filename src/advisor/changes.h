// What would make a request fit that does not: each change of the settings alone, priced by planning it at
// quick effort.
#pragma once

#include <vector>

#include "advisor/asked.h"

namespace worktop::advisor {

// The changes that apply: the largest smaller batch that fits (halving; batch 1 if none does), chunked
// cross-entropy, fused attention, adamw8bit, LoRA of rank 16, bf16, gradient accumulation with batch 1, host
// memory of 64 GiB, a disk of 500 GiB. Those that fit come first, most tokens per second first; then the
// others, least peak first. A graph that was not built from a model has only the last two.
[[nodiscard]] std::vector<PricedChange> priced_changes(const Asked& asked);

}  // namespace worktop::advisor
