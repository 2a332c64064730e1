// The ledger beside the truth: each of its rows also played on queues and tiers, and as people quote it; what
// stacking two strategies gives; and memory over the number of segments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/kitchen.h"
#include "cost/ledger.h"
#include "cost/rule_of_thumb.h"

namespace worktop::advisor {

// A ledger row's quantities, in its units, from whatever layer.
struct LedgerLayer {
  double memory_gb = 0, extra_compute_s = 0, extra_transfer_s = 0, cost = 0;
  double r_mem = 0, r_mem_total = 0, r_cost = 0;
  double memory_share = 0;  // of keep-all's activations
  bool over_memory = false, over_time = false;
  [[nodiscard]] bool fits() const { return !over_memory && !over_time; }
};

struct PlayedLayer : LedgerLayer {
  double added_s = 0;  // to the step of keep-all
  double stalled_s = 0;
};

// A rule of thumb in this kitchen. `offload` has its extra in transfer, the others in compute.
struct ThumbLayer {
  double memory_share = 0, extra_share = 0, memory_gb = 0, extra_compute_s = 0, extra_transfer_s = 0;
};

struct LedgerLine {
  cost::LedgerStrategy strategy{};
  std::string played_as;  // "checkpoint(10)"
  bool competes = false, wins = false, wins_played = false;
  LedgerLayer ledger;
  std::optional<PlayedLayer> played;
  std::optional<ThumbLayer> thumb;
};

// Memory as a share of keep-all's activations, extras as shares of the forward.
struct StackShare {
  double memory = 1, compute = 0, transfer = 0;
  [[nodiscard]] double extra() const { return compute + transfer; }
};
struct Stack {
  std::string name;       // "checkpoint+offload"
  std::string played_as;  // "hybrid(0.5,10)"
  std::vector<cost::LedgerStrategy> parts;
  StackShare thumb, ledger_parts, ledger;
  std::optional<StackShare> played_parts, played;
  std::optional<double> overlapped;  // what the step really gets longer, as a share of the forward
};

struct CurvePoint {
  std::int64_t segments = 1;
  double ledger_gb = 0;
  double held_gb = 0;  // cost::checkpoint_memory_true
  double ledger_extra_s = 0;
  std::optional<double> played_gb, played_extra_s;
};

struct LedgerTruth {
  cost::Ledger ledger;
  std::string why_not_played;  // empty: all is played
  std::vector<LedgerLine> lines;
  std::vector<Stack> stacks;
  std::vector<CurvePoint> curve;  // ascending; empty if it was not asked for
};

// `subject`: what is played; none: only the ledger is answered, and `why_not` says why. The question has a
// beta. With `curve`, every number of segments up to 64, then ever fewer.
[[nodiscard]] base::Result<LedgerTruth> ledger_truth(const cost::LedgerQuestion& question,
                                                     const Subject* subject, std::string why_not, bool curve);

}  // namespace worktop::advisor
