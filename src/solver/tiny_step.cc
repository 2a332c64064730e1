#include "solver/tiny_step.h"

#include <bit>
#include <utility>

#include "base/ensure.h"

namespace worktop::solver {
namespace {

using base::ids;
using plan::Action;
using plan::ActionKind;
using plan::Fate;

constexpr std::size_t at(Tier tier) {
  return static_cast<std::size_t>(tier);
}

// Calls body(v) for every value of `set`, ascending.
template <class Body>
void for_each(ValueSet set, Body body) {
  for (; set != 0; set &= set - 1) body(ValueId{std::countr_zero(set)});
}

}  // namespace

TinyStep::TinyStep(const Graph& graph, const Machine& machine)
    : graph_(graph),
      machine_(machine),
      reads_(graph.op_count()),
      makes_(graph.op_count()),
      overwrites_(graph.op_count()) {
  ensure(graph.value_count() <= kMostValues);
  for (OpId op : ids<OpId>(graph.op_count())) {
    for (ValueId v : graph.reads(op)) reads_[op] |= set_of(v);
    for (const graph::Output& out : graph.writes(op)) {
      if (graph.value(out.value).holdable) makes_[op] |= set_of(out.value);
      if (out.overwrites.exists()) overwrites_[op] |= set_of(out.overwrites);
    }
  }
  program_.resize(static_cast<std::size_t>(graph.op_count()) + 1);
  for (ValueId v : ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    if (value.bytes > Bytes{0}) with_bytes_ |= set_of(v);
    if (value.bytes > Bytes{0} && value.holdable) copyable_ |= set_of(v);
    const std::int32_t last = value.held_until.exists() ? value.held_until.index() : graph.op_count();
    for (std::int32_t t = value.producer.index() + 1; t <= last; ++t)
      program_[static_cast<std::size_t>(t)] |= set_of(v);
  }
  find_useful();
}

// A value is useful before op t if op t or a later one reads it, or if an earlier one that can be run again
// reads it and writes something useful.
void TinyStep::find_useful() {
  useful_.resize(program_.size());
  for (std::int32_t t = 0; t <= graph_.op_count(); ++t) {
    ValueSet& useful = useful_[static_cast<std::size_t>(t)];
    for (std::int32_t i = graph_.op_count() - 1; i >= 0; --i) {
      const OpId op{i};
      const bool again = graph_.op(op).flags.replayable() && (makes_[op] & useful) != 0;
      if (i >= t || again) useful |= reads_[op];
    }
  }
}

StepState TinyStep::start() const {
  return enter({}, 0);
}

StepState TinyStep::enter(StepState s, std::int32_t next) const {
  s.next = next;
  s.running = 0;
  if (!at_end(s)) s.running = resident(s) & reads_[OpId{next}];
  return s;
}

Bytes TinyStep::bytes(ValueSet set) const {
  Bytes sum{0};
  for_each(set, [&](ValueId v) { sum += graph_.value(v).bytes; });
  return sum;
}

bool TinyStep::copied_below(const StepState& s, ValueId v, Tier tier) const {
  for (std::size_t lower = at(tier) + 1; lower < s.held.size(); ++lower)
    if (contains(s.held[lower], v)) return true;
  return false;
}

std::optional<Moved> TinyStep::run(const StepState& s) const {
  const OpId op{s.next};
  if ((reads_[op] & ~resident(s)) != 0) return std::nullopt;
  Bytes needed = bytes(resident(s)) + graph_.op(op).workspace;
  for (const graph::Output& out : graph_.writes(op)) {
    if (!out.overwrites.exists())
      needed += graph_.value(out.value).bytes;
    else if (contains(s.held[0], out.overwrites) && copied_below(s, out.overwrites, Tier::device))
      return std::nullopt;  // a copy out of it may still run: to be released first
  }
  StepState after = s;
  after.held[0] = (s.held[0] | makes_[op]) & ~overwrites_[op];
  return Moved{enter(after, s.next + 1), needed};
}

std::optional<Moved> TinyStep::recompute(const StepState& s, OpId op) const {
  const ValueSet missing = makes_[op] & ~resident(s) & useful(s.next);
  if (op.index() >= s.next || !graph_.op(op).flags.replayable() || missing == 0) return std::nullopt;
  if ((reads_[op] & ~resident(s)) != 0) return std::nullopt;
  Bytes needed = bytes(resident(s)) + graph_.op(op).workspace;
  for (const graph::Output& out : graph_.writes(op)) needed += graph_.value(out.value).bytes;
  StepState after = s;
  after.held[0] |= makes_[op];
  if (!at_end(s)) after.running |= makes_[op] & reads_[OpId{s.next}];
  return Moved{after, needed};
}

std::optional<Moved> TinyStep::copy(const StepState& s, ValueId v, machine::LinkId id) const {
  const machine::Link& link = machine_.links[id];
  const ValueSet there = link.to == Tier::device ? resident(s) : s.held[at(link.to)];
  if (!contains(copyable_ & useful(s.next), v)) return std::nullopt;
  if (!contains(s.held[at(link.from)], v) || contains(there, v)) return std::nullopt;
  StepState after = s;
  after.held[at(link.to)] |= set_of(v);
  if (link.to == Tier::device && !at_end(s)) after.running |= set_of(v) & reads_[OpId{s.next}];
  return Moved{after, bytes(resident(after))};
}

std::optional<Moved> TinyStep::let_go(const StepState& s, ValueId v, Tier tier) const {
  if (!contains(s.held[at(tier)] & with_bytes_, v)) return std::nullopt;
  StepState after = s;
  after.held[at(tier)] &= ~set_of(v);
  return Moved{after, bytes(resident(after))};
}

std::optional<Moved> TinyStep::act(const StepState& s, const Action& action) const {
  switch (action.kind) {
    case ActionKind::recompute:
      return recompute(s, action.op);
    case ActionKind::drop:
    case ActionKind::release:
      return let_go(s, action.value, action.tier);
    case ActionKind::copy_out:
    case ActionKind::copy_in:
      return copy(s, action.value, action.link);
  }
  return std::nullopt;
}

std::vector<Action> TinyStep::let_gos(const StepState& s, Tier tier) const {
  std::vector<Action> actions;
  for_each(s.held[at(tier)] & with_bytes_, [&](ValueId v) {
    actions.push_back(copied_below(s, v, tier) ? Action::release(v, tier) : Action::drop(v, tier));
  });
  return actions;
}

std::vector<Action> TinyStep::recomputes(const StepState& s) const {
  std::vector<Action> actions;
  for (OpId op : ids<OpId>(s.next))
    if (recompute(s, op)) actions.push_back(Action::recompute(op));
  return actions;
}

std::vector<Action> TinyStep::copies(const StepState& s) const {
  std::vector<Action> actions;
  for (machine::LinkId id : ids<machine::LinkId>(machine_.links.size())) {
    const machine::Link& link = machine_.links[id];
    for_each(s.held[at(link.from)], [&](ValueId v) {
      if (copy(s, v, id))
        actions.push_back(link.outward() ? Action::copy_out(v, id) : Action::copy_in(v, id));
    });
  }
  return actions;
}

plan::Plan plan_of(const Graph& graph, const Machine& machine,
                   const std::vector<std::vector<Action>>& actions, std::string made_by) {
  plan::Plan plan;
  plan.made_by = std::move(made_by);
  plan.graph = graph.hash();
  plan.fates = base::IdVector<ValueId, Fate>(graph.value_count(), Fate::keep);
  const TinyStep step(graph, machine);
  StepState state = step.start();
  for (std::int32_t t = 0; t <= graph.op_count(); ++t) {
    for (const Action& action : actions[static_cast<std::size_t>(t)]) {
      const std::optional<Moved> moved = step.act(state, action);
      ensure(moved.has_value());
      if (action.kind == ActionKind::recompute)
        for_each(step.makes(action.op) & ~step.resident(state), [&](ValueId v) {
          if (plan.fates[v] == Fate::keep) plan.fates[v] = Fate::recompute;
        });
      if (action.kind == ActionKind::copy_in) {
        const bool from_disk = machine.links[action.link].from == Tier::disk;
        if (from_disk || plan.fates[action.value] != Fate::offload_disk)
          plan.fates[action.value] = from_disk ? Fate::offload_disk : Fate::offload_host;
      }
      plan.actions.push_item(action);
      state = moved->state;
    }
    plan.actions.end_row();
    if (t < graph.op_count()) state = step.run(state)->state;
  }
  return plan;
}

}  // namespace worktop::solver
