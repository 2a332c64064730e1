// Random legal plans, for tests that compare two answers: a policy with random fates, lowered, then a random
// walk over legal plans in which groups of actions (a drop with its recompute, a round trip, a lone copy ...)
// are put at random places or taken away. What is not legal is not kept.
//
// The same case and seed give the same plan.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/plan.h"
#include "support/random_graph.h"

namespace worktop::test {

// None where lowering finds nothing legal to walk from.
[[nodiscard]] std::optional<plan::Plan> random_plan(const Case& c, std::uint64_t seed, std::int32_t moves);

}  // namespace worktop::test
