#include "plan/legal.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plan/holders.h"

namespace worktop::plan {
namespace {

using base::Error;
using base::ErrorCode;
using base::ids;
using base::Status;

struct CopyTag {};
using CopyId = base::Id<CopyTag>;

// Copies in the order in which they were begun, and which of them have surely ended when the compute queue is
// here. A copy that the compute queue waited for has ended, and with it all that went before it on its link
// and the copy that brought the bytes it reads.
class Copies {
 public:
  explicit Copies(std::int32_t links) : last_on_link_(links) {}

  CopyId begin(LinkId link, CopyId brought) {
    const CopyId id = copies_.push_back({.before = last_on_link_[link], .brought = brought});
    return last_on_link_[link] = id;
  }
  [[nodiscard]] bool may_run(CopyId id) const { return id.exists() && !copies_[id].ended; }
  void wait_for(CopyId id) {
    pending_.push_back(id);
    while (!pending_.empty()) {
      const CopyId next = pending_.back();
      pending_.pop_back();
      if (!may_run(next)) continue;
      copies_[next].ended = true;
      pending_.push_back(copies_[next].before);
      pending_.push_back(copies_[next].brought);
    }
  }

 private:
  struct Copy {
    CopyId before;   // on the same link
    CopyId brought;  // what it reads
    bool ended = false;
  };
  base::IdVector<CopyId, Copy> copies_;
  base::IdVector<LinkId, CopyId> last_on_link_;
  std::vector<CopyId> pending_;
};

// A value on one tier. On the device `present` is not used: Holders knows.
struct Place {
  bool present = false;
  CopyId arrival;                                        // the copy that brought it, if one did
  std::array<CopyId, machine::kTierCount> departures{};  // the last copy from here to each tier
};

// What the plan has done to a value so far.
struct Past {
  std::array<Place, machine::kTierCount> places{};
  std::array<bool, machine::kTierCount> copied_in_from{};
  bool recomputed = false;  // at least once, because it was missing
  bool remade = false;      // what is on the device now came from a recompute
};

constexpr std::size_t at(Tier tier) {
  return static_cast<std::size_t>(tier);
}

class Judge {
 public:
  Judge(const Graph& graph, const machine::Machine& machine, const Plan& plan)
      : graph_(graph),
        machine_(machine),
        plan_(plan),
        holders_(graph),
        copies_(machine.links.size()),
        past_(graph.value_count()) {}

  Status step();

 private:
  Status check_shape() const;
  Status check_ids(const Action& action) const;
  Status check_link(const Action& action, bool outward) const;
  Status check_end() const;
  Status check_fates() const;

  Status act(const Action& action);
  Status recompute(const Action& action);
  Status drop(const Action& action);
  Status release(const Action& action);
  Status copy_out(const Action& action);
  Status copy_in(const Action& action);
  Status let_go_on_device(const Action& action);
  Status begin_copy(const Action& action);

  Status run(OpId op);
  Status read(OpId op, bool again);
  Status end(OpId op);

  [[nodiscard]] Place& place(ValueId v, Tier tier) { return past_[v].places[at(tier)]; }
  [[nodiscard]] bool resident(ValueId v, Tier tier) {
    return tier == Tier::device ? holders_.resident(v) : place(v, tier).present;
  }
  [[nodiscard]] bool copy_out_may_run(ValueId v, Tier from) {
    for (auto to = at(from) + 1; to < machine::kTierCount; ++to)
      if (copies_.may_run(place(v, from).departures[to])) return true;
    return false;
  }

  [[nodiscard]] std::string quoted(OpId op) const { return "op '" + graph_.op(op).name + "'"; }
  [[nodiscard]] std::string quoted(ValueId v) const { return "value '" + graph_.value(v).name + "'"; }
  [[nodiscard]] std::string describe(const Action& action) const;
  [[nodiscard]] std::unexpected<Error> broken(std::string rule, std::string where, std::string hint) const {
    return base::fail(ErrorCode::illegal, std::move(rule), std::move(where), std::move(hint));
  }
  [[nodiscard]] std::unexpected<Error> broken(std::string rule, const Action& action,
                                              std::string hint) const {
    return broken(std::move(rule), describe(action), std::move(hint));
  }

  const Graph& graph_;
  const machine::Machine& machine_;
  const Plan& plan_;
  Holders holders_;
  Copies copies_;
  base::IdVector<ValueId, Past> past_;
  Boundary now_{0};
};

std::string Judge::describe(const Action& action) const {
  std::string text = "boundary " + std::to_string(now_.index());
  if (now_.index() < graph_.op_count()) text += " (before " + quoted(OpId{now_.index()}) + ")";
  text += std::string(": ") + name_of(action.kind);
  if (action.kind == ActionKind::recompute) return text + " of " + quoted(action.op);
  text += " of " + quoted(action.value);
  if (action.kind == ActionKind::drop || action.kind == ActionKind::release)
    return text + " on the " + name_of(action.tier);
  const machine::Link& link = machine_.links[action.link];
  return text + " from " + name_of(link.from) + " to " + name_of(link.to);
}

Status Judge::step() {
  WORKTOP_CHECK(check_shape());
  for (const Boundary boundary : ids<Boundary>(graph_.op_count() + 1)) {
    now_ = boundary;
    const OpId next{boundary.index()};
    const bool at_end = boundary.index() == graph_.op_count();
    if (!at_end) holders_.reach(next);
    for (const Action& action : plan_.actions[boundary]) WORKTOP_CHECK(act(action));
    if (!at_end) WORKTOP_CHECK(run(next));
  }
  WORKTOP_CHECK(check_end());
  return check_fates();
}

// What somebody may still ask for after the last op must be there.
Status Judge::check_end() const {
  for (const ValueId v : ids<ValueId>(graph_.value_count())) {
    const graph::Value& value = graph_.value(v);
    const bool wanted = value.producer.exists() && value.held_until.exists() && !value.needed_until.exists();
    if (wanted && !graph_.overwritten_by(v).exists() && !holders_.resident(v))
      return broken("a value that is needed to the end of the step is not resident there", quoted(v),
                    "hold it, or bring it back at the last boundary");
  }
  return {};
}

Status Judge::check_shape() const {
  if (plan_.graph != graph_.hash())
    return broken("the plan belongs to another graph", "graph '" + graph_.name() + "'",
                  "lower the plan's policy onto this graph");
  if (plan_.fates.size() != graph_.value_count())
    return broken(
        "a plan has one fate per value of its graph",
        std::to_string(plan_.fates.size()) + " fates for " + std::to_string(graph_.value_count()) + " values",
        "give every value a fate, keep where there is nothing to decide");
  if (plan_.actions.rows() != graph_.op_count() + 1)
    return broken("a plan has one row of actions per boundary of its graph",
                  std::to_string(plan_.actions.rows()) + " rows for " +
                      std::to_string(graph_.op_count() + 1) + " boundaries",
                  "add a row, empty where nothing is done, for every op and one for the end of the step");
  return {};
}

Status Judge::check_ids(const Action& action) const {
  const bool is_recompute = action.kind == ActionKind::recompute;
  const bool is_copy = action.kind == ActionKind::copy_out || action.kind == ActionKind::copy_in;
  const auto known = [](std::int32_t index, std::int32_t count) { return index >= 0 && index < count; };
  const char* unknown = nullptr;
  if (is_recompute && !known(action.op.index(), graph_.op_count())) unknown = "an op";
  if (!is_recompute && !known(action.value.index(), graph_.value_count())) unknown = "a value";
  if (is_copy && !known(action.link.index(), machine_.links.size())) unknown = "a link";
  if (!unknown) return {};
  return broken(std::string("an action names ") + unknown + " that does not exist",
                "boundary " + std::to_string(now_.index()) + ": " + name_of(action.kind),
                is_copy ? "use ids of the plan's own graph and links of the given machine"
                        : "use ids of the plan's own graph");
}

Status Judge::act(const Action& action) {
  WORKTOP_CHECK(check_ids(action));
  if (!graph_.is_trigger(now_.index()))
    return broken("actions happen only at triggers", action, "move the action to a trigger of the graph");
  switch (action.kind) {
    case ActionKind::recompute:
      return recompute(action);
    case ActionKind::drop:
      return drop(action);
    case ActionKind::release:
      return release(action);
    case ActionKind::copy_out:
      return copy_out(action);
    case ActionKind::copy_in:
      return copy_in(action);
  }
  return {};
}

// --- ops

// The op's inputs must be resident; it waits for those that are still on their way.
Status Judge::read(OpId op, bool again) {
  const auto where = [&](ValueId v) {
    return "boundary " + std::to_string(now_.index()) + ": " + (again ? "recompute of " : "") + quoted(op) +
           " reads " + quoted(v);
  };
  for (const ValueId v : graph_.reads(op)) {
    if (!holders_.resident(v))
      return broken("an op reads a value that is not resident on the device", where(v),
                    "hold the value until then, or recompute or copy it in before");
    if (past_[v].remade && graph_.decidable(v) && plan_.fates[v] == Fate::keep)
      return broken("a value whose fate is keep was missing and recomputed", where(v),
                    "give it the fate recompute, or do not drop it before its last use");
    copies_.wait_for(place(v, Tier::device).arrival);
  }
  return {};
}

Status Judge::run(OpId op) {
  WORKTOP_CHECK(read(op, false));
  holders_.start(op);
  return end(op);
}

// No bytes may go, or be written over, while a copy still reads them: the op's end waits for nothing.
Status Judge::end(OpId op) {
  const auto where = [&](ValueId v) {
    return "boundary " + std::to_string(now_.index()) + ": end of " + quoted(op) + ", " + quoted(v);
  };
  const char* hint = "release the value there: the compute queue then waits for its copy";
  for (const graph::Output& output : graph_.writes(op))
    if (output.overwrites.exists() && copy_out_may_run(output.overwrites, Tier::device))
      return broken("a value is overwritten while a copy out of it may still run", where(output.overwrites),
                    hint);
  for (const ValueId v : holders_.finish(op))
    if (copy_out_may_run(v, Tier::device))
      return broken("a value's last holder lets go while a copy out of it may still run", where(v), hint);
  return {};
}

Status Judge::recompute(const Action& action) {
  if (action.op.index() >= now_.index())
    return broken("only an op that has run can be recomputed", action, "recompute it at a later boundary");
  if (!graph_.op(action.op).flags.replayable())
    return broken("an op that must not be replayed is recomputed", action, "keep or offload what it writes");
  WORKTOP_CHECK(read(action.op, true));
  for (const ValueId v : holders_.recompute(action.op)) past_[v].recomputed = past_[v].remade = true;
  return {};
}

// --- letting go

Status Judge::drop(const Action& action) {
  const ValueId v = action.value;
  if (action.tier == Tier::device) {
    if (holders_.executor_holds(v) && copy_out_may_run(v, Tier::device))
      return broken("a value is dropped while a copy out of it may still run", action,
                    "release it instead: the compute queue then waits for the copy");
    return let_go_on_device(action);
  }
  Place& here = place(v, action.tier);
  if (!here.present)
    return broken("only what the executor holds on a tier can be dropped there", action, "remove the action");
  // Below the device a drop waits for the copies that still read, but not for one that still writes.
  for (const CopyId departure : here.departures) copies_.wait_for(departure);
  if (copies_.may_run(here.arrival))
    return broken("a copy is dropped before it has surely arrived", action,
                  "release the value on the tier it is copied from first, or drop the copy later");
  here.present = false;
  return {};
}

Status Judge::release(const Action& action) {
  bool below = false;
  for (auto lower = at(action.tier) + 1; lower < machine::kTierCount; ++lower)
    below = below || past_[action.value].places[lower].present;
  if (!below)
    return broken("a value is released without a copy on a lower tier", action,
                  "begin a copy_out before, or drop the value");
  Place& here = place(action.value, action.tier);
  for (const CopyId departure : here.departures) copies_.wait_for(departure);
  if (action.tier == Tier::device) return let_go_on_device(action);
  if (!here.present)
    return broken("only what the executor holds on a tier can be released there", action,
                  "remove the action");
  if (copies_.may_run(here.arrival))
    return broken("a copy is released before it has surely arrived", action, "release it later");
  here.present = false;
  return {};
}

Status Judge::let_go_on_device(const Action& action) {
  if (!holders_.executor_holds(action.value))
    return broken("only what the executor holds on a tier can be let go there", action, "remove the action");
  if (holders_.drop(action.value) && copies_.may_run(place(action.value, Tier::device).arrival))
    return broken("a value's bytes go while the copy that brings them may still run", action,
                  "let it go only after an op has used it, or do not copy it in");
  return {};
}

// --- copies

Status Judge::check_link(const Action& action, bool outward) const {
  const machine::Link& link = machine_.links[action.link];
  if (outward ? link.to <= link.from : link.to >= link.from)
    return broken(outward ? "a copy_out goes to a lower tier" : "a copy_in comes from a lower tier", action,
                  "use the link in the other direction");
  const graph::Value& value = graph_.value(action.value);
  if (!value.holdable || value.bytes <= Bytes{0})
    return broken("only values with bytes that the executor can hold are copied", action,
                  "keep or recompute the value");
  return {};
}

Status Judge::copy_out(const Action& action) {
  WORKTOP_CHECK(check_link(action, true));
  const machine::Link& link = machine_.links[action.link];
  if (!resident(action.value, link.from))
    return broken("a value is copied out of a tier where it is not resident", action,
                  "copy it out while it is still held");
  if (resident(action.value, link.to))
    return broken("a value is copied out to a tier that already has it", action, "remove the action");
  place(action.value, link.to).present = true;
  return begin_copy(action);
}

Status Judge::copy_in(const Action& action) {
  WORKTOP_CHECK(check_link(action, false));
  const machine::Link& link = machine_.links[action.link];
  const ValueId v = action.value;
  if (!resident(v, link.from))
    return broken("a value is copied in from a tier that does not have it", action,
                  "begin a copy_out before, and do not drop that copy");
  if (resident(v, link.to))
    return broken("a value is copied in to a tier where it is still resident", action,
                  "release it there before, or remove the action");
  if (graph_.decidable(v) && plan_.fates[v] == Fate::keep)
    return broken("a value whose fate is keep is copied in", action,
                  "give it the fate of the tier it comes from");
  past_[v].copied_in_from[at(link.from)] = true;
  if (link.to == Tier::device)
    holders_.bring(v);
  else
    place(v, link.to).present = true;
  return begin_copy(action);
}

Status Judge::begin_copy(const Action& action) {
  const machine::Link& link = machine_.links[action.link];
  Place& source = place(action.value, link.from);
  const CopyId copy = copies_.begin(action.link, source.arrival);
  source.departures[at(link.to)] = copy;
  place(action.value, link.to).arrival = copy;
  return {};
}

// --- fates

Status Judge::check_fates() const {
  for (const ValueId v : ids<ValueId>(graph_.value_count())) {
    const Past& past = past_[v];
    const char* hint = "give it the fate that its actions mean";
    const Fate fate = plan_.fates[v];
    if (fate == Fate::recompute && !past.recomputed)
      return broken("a value whose fate is recompute is never recomputed", quoted(v), hint);
    if (fate == Fate::offload_host && !past.copied_in_from[at(Tier::host)])
      return broken("a value whose fate is offload_host is never copied in from the host", quoted(v), hint);
    if (fate == Fate::offload_disk && !past.copied_in_from[at(Tier::disk)])
      return broken("a value whose fate is offload_disk is never copied in from the disk", quoted(v), hint);
  }
  return {};
}

}  // namespace

Status legal(const Graph& graph, const machine::Machine& machine, const Plan& plan) {
  return Judge(graph, machine, plan).step();
}

}  // namespace worktop::plan
