// A plan: the decision as data. Fates of activations, and actions in order at each trigger, bound to one
// graph.
//
// Order of a step: for t = 0 .. n-1: the actions of boundary t in their order, then op t; last the actions of
// boundary n. First runs of ops keep program order. What each action means (the memory rule is in
// graph/graph.h):
//
//   recompute op     run `op` (< t) again: fresh buffers for all its outputs, workspace while it runs; its
//                    inputs must be resident. The executor takes hold of its holdable outputs; the fresh
//                    buffers of those that were resident already are duplicates and go when it ends (it then
//                    holds what was there, also where only the program did).
//   drop v tier      the executor lets go of v on that tier. The bytes go when the last holder lets go. Not
//                    allowed on the device while a copy out of those bytes runs (that is `release`).
//   copy_out v link  begin copying v down `link`: allocates v's bytes on the lower tier now. v is resident on
//                    the upper tier. The copy starts when the link is free, v has been written (its producer,
//                    or the copy that brought it to the upper tier, has ended) and the compute queue has come
//                    this far.
//   release v tier   the executor lets go of v on `tier` once the copy out of it has ended: the compute queue
//                    waits for that. Needs a copy of v on a lower tier.
//   copy_in v link   begin copying v up `link`: allocates v's bytes on the upper tier now. The copy starts
//                    when the link is free, the lower copy is complete, and the compute queue has come this
//                    far. An op that needs v waits for it. v must not be resident on the upper tier. The
//                    executor takes hold.
//
// A copy on a lower tier outlives its reload; `drop v host` lets it go. There drop and release make the
// compute queue wait for every copy that still reads it. Whatever is left at the end of the step is let go
// then, without an action.
#pragma once

#include <cstdint>
#include <string>

#include "base/flat.h"
#include "base/ids.h"
#include "graph/graph.h"
#include "machine/machine.h"

namespace worktop::plan {

using base::Bytes;
using graph::Graph;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;
using machine::Tier;

struct BoundaryTag {};
using Boundary = base::Id<BoundaryTag>;  // 0 .. op_count()

enum class Fate : std::uint8_t { keep, recompute, offload_host, offload_disk };
[[nodiscard]] constexpr const char* name_of(Fate fate) {
  switch (fate) {
    case Fate::keep:
      return "keep";
    case Fate::recompute:
      return "recompute";
    case Fate::offload_host:
      return "offload_host";
    case Fate::offload_disk:
      return "offload_disk";
  }
  return "keep";
}

enum class ActionKind : std::uint8_t { recompute, drop, copy_out, release, copy_in };
[[nodiscard]] constexpr const char* name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::recompute:
      return "recompute";
    case ActionKind::drop:
      return "drop";
    case ActionKind::copy_out:
      return "copy_out";
    case ActionKind::release:
      return "release";
    case ActionKind::copy_in:
      return "copy_in";
  }
  return "drop";
}

struct Action {
  ActionKind kind = ActionKind::drop;
  OpId op;                   // of recompute
  ValueId value;             // of all others
  LinkId link;               // of copy_out and copy_in
  Tier tier = Tier::device;  // of drop and release

  [[nodiscard]] static Action recompute(OpId op) { return {ActionKind::recompute, op, {}, {}, {}}; }
  [[nodiscard]] static Action drop(ValueId v, Tier tier = Tier::device) {
    return {ActionKind::drop, {}, v, {}, tier};
  }
  [[nodiscard]] static Action copy_out(ValueId v, LinkId link) {
    return {ActionKind::copy_out, {}, v, link, {}};
  }
  [[nodiscard]] static Action release(ValueId v, Tier tier = Tier::device) {
    return {ActionKind::release, {}, v, {}, tier};
  }
  [[nodiscard]] static Action copy_in(ValueId v, LinkId link) {
    return {ActionKind::copy_in, {}, v, link, {}};
  }
  friend bool operator==(const Action&, const Action&) = default;
};

struct Plan {
  std::string made_by;                       // "search", or the strategy's name
  graph::GraphHash graph;                    // the one graph it belongs to
  base::IdVector<ValueId, Fate> fates;       // per value; `keep` where there was nothing to decide
  base::FlatRows<Boundary, Action> actions;  // op_count() + 1 rows

  friend bool operator==(const Plan&, const Plan&) = default;
};

// Hard limits in bytes, one a tier. A tier that the machine does not have has the limit 0.
struct Budgets {
  base::Limit<Bytes> device;
  base::Limit<Bytes> host;
  base::Limit<Bytes> disk;
  [[nodiscard]] const base::Limit<Bytes>& of(Tier tier) const {
    return tier == Tier::device ? device : tier == Tier::host ? host : disk;
  }
};

}  // namespace worktop::plan
