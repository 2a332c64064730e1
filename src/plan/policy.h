// A policy: fates by stable name, or by block and kind. What a flag, a rule or an imported setting means. It
// knows no graph and can be moved to another one; `lower` turns it into a plan for one graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "plan/plan.h"

namespace worktop::plan {

// What a replay leaves behind: `hold` keeps each recomputed value from its first need to its last use (what
// checkpointing does); `redo` lets everything go at once and replays again at the next need (least memory,
// O(L^2)).
enum class Replay : std::uint8_t { hold, redo };

// Chooses activations. Every field that is given must match; a rule with none matches all.
struct Selector {
  std::optional<std::string> value;  // its stable name
  std::optional<std::string> block;  // the name of its producer's block
  std::optional<std::string> block_kind;
  std::optional<std::string> op_kind;  // its producer's kind
  friend bool operator==(const Selector&, const Selector&) = default;
};

struct Rule {
  Selector select;
  Fate fate = Fate::keep;
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Policy {
  std::string name;
  std::vector<Rule> rules;  // the first that matches decides
  Fate otherwise = Fate::keep;
  Replay replay = Replay::hold;
  friend bool operator==(const Policy&, const Policy&) = default;
};

// The fates that `policy` means on `graph`, for every holdable value with bytes that a forward op writes,
// decidable or not (a value that backward never reads may still be what a replay starts from); all others are
// kept. A value that cannot be recomputed is kept where recompute was asked for. plan/hold.h says what each
// fate then does.
[[nodiscard]] base::IdVector<ValueId, Fate> fates_of(const Policy& policy, const Graph& graph);

// The policy that names each activation's fate of `plan`, to be carried to another graph.
[[nodiscard]] Policy policy_of(const Graph& graph, const Plan& plan);

}  // namespace worktop::plan
