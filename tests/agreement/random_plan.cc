#include "agreement/random_plan.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/legal.h"
#include "plan/lower.h"
#include "plan/policy.h"

namespace worktop::test {
namespace {

using base::ids;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;
using machine::Tier;
using plan::Action;
using plan::ActionKind;
using plan::Boundary;
using plan::Fate;

using Rows = std::vector<std::vector<Action>>;

class Walk {
 public:
  Walk(const Case& c, std::uint64_t seed)
      : graph_(c.graph), machine_(c.machine), pace_(c.durations.op), random_(seed) {
    for (ValueId v : ids<ValueId>(graph_.value_count()))
      if (graph_.value(v).holdable && graph_.value(v).bytes > base::Bytes{0}) holdable_.push_back(v);
    for (std::int32_t t = 0; t <= graph_.op_count(); ++t)
      if (graph_.is_trigger(t)) triggers_.push_back(t);
  }

  plan::Policy policy() {
    plan::Policy policy{.name = "random"};
    for (ValueId v : ids<ValueId>(graph_.value_count())) {
      const Fate fate = static_cast<Fate>(random_.below(4));
      if (fate == Fate::offload_host && !machine_.has_tier(Tier::host)) continue;
      if (fate == Fate::offload_disk && !machine_.has_tier(Tier::disk)) continue;
      policy.rules.push_back({.select = {.value = graph_.value(v).name}, .fate = fate});
    }
    if (random_.chance(30)) policy.replay = plan::Replay::redo;
    return policy;
  }

  void move(Rows& rows) {
    switch (random_.below(10)) {
      case 0:
        return put(rows, {Action::drop(value())});
      case 1: {
        const ValueId v = value();
        const OpId producer = graph_.value(v).producer;
        if (producer.exists()) put(rows, {Action::drop(v), Action::recompute(producer)});
        return;
      }
      case 2:
        if (graph_.op_count() > 0) put(rows, {Action::recompute(OpId{random_.below(graph_.op_count())})});
        return;
      case 3:
        return put(rows, round_trip(value()));
      case 4: {  // a second reload
        const ValueId v = value();
        for (LinkId in : links(false)) put(rows, {Action::drop(v), Action::copy_in(v, in)});
        return;
      }
      case 5:
        for (LinkId out : links(true)) return put(rows, {Action::copy_out(value(), out)});
        return;
      case 6:
        return take_away(rows);
      case 7:
        return put(rows, {Action::drop(value(), random_.chance(50) ? Tier::host : Tier::disk)});
      default:
        return put(rows, round_trip(value()));
    }
  }

  // What `policy` lowers to, if that is legal.
  std::optional<Rows> start(const plan::Policy& policy) const {
    const base::Result<plan::Plan> plan = plan::lower(graph_, machine_, policy, pace_);
    if (!plan) return std::nullopt;
    Rows rows;
    for (Boundary t : ids<Boundary>(plan->actions.rows()))
      rows.emplace_back(plan->actions[t].begin(), plan->actions[t].end());
    if (!legal(rows)) return std::nullopt;
    return rows;
  }

  bool legal(const Rows& rows) const { return plan::legal(graph_, machine_, plan_of(rows)).has_value(); }

  plan::Plan plan_of(const Rows& rows) const {
    plan::Plan plan{.made_by = "random walk", .graph = graph_.hash()};
    plan.fates = base::IdVector<ValueId, Fate>(graph_.value_count(), Fate::keep);
    for (const std::vector<Action>& row : rows) {
      plan.actions.push_row(row);
      for (const Action& action : row) set_fates(plan.fates, action);
    }
    return plan;
  }

 private:
  // Mostly one that the executor can hold.
  ValueId value() {
    if (holdable_.empty() || random_.chance(10)) return ValueId{random_.below(graph_.value_count())};
    return holdable_[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(holdable_.size())))];
  }

  // In random order.
  std::vector<LinkId> links(bool outward) {
    std::vector<LinkId> found;
    for (LinkId id : ids<LinkId>(machine_.links.size()))
      if (machine_.links[id].outward() == outward) found.push_back(id);
    for (std::size_t i = found.size(); i > 1; --i)
      std::swap(found[i - 1], found[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(i)))]);
    return found;
  }

  // Down one link or two, and back; what is below may be let go too soon or stay: `legal` judges.
  std::vector<Action> round_trip(ValueId v) {
    std::vector<Action> out, in;
    Tier at = Tier::device;
    for (int hop = 0; hop < 2; ++hop) {
      for (LinkId link : links(true)) {
        if (machine_.links[link].from != at || (hop == 1 && random_.chance(30))) continue;
        const Tier below = machine_.links[link].to;
        out.insert(out.end(), {Action::copy_out(v, link), Action::release(v, at)});
        in.insert(in.begin(), Action::copy_in(v, machine_.opposite(link)));
        if (random_.chance(20)) in.insert(in.begin() + 1, Action::drop(v, below));
        at = below;
        break;
      }
    }
    if (out.size() == 4 && random_.chance(50)) std::swap(out[1], out[2]);  // both hops at once
    out.insert(out.end(), in.begin(), in.end());
    return out;
  }

  // The group at random places, in its order.
  void put(Rows& rows, const std::vector<Action>& group) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto t = static_cast<std::size_t>(
          triggers_[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(triggers_.size())))]);
      const auto end = static_cast<std::int32_t>(rows[t].size());
      places.emplace_back(t, static_cast<std::size_t>(random_.between(0, end)));
    }
    std::ranges::sort(places);
    for (std::size_t i = group.size(); i-- > 0;) {
      std::vector<Action>& row = rows[places[i].first];
      row.insert(row.begin() + static_cast<std::ptrdiff_t>(places[i].second), group[i]);
    }
  }

  void take_away(Rows& rows) {
    std::vector<Action>& row =
        rows[static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(rows.size())))];
    if (!row.empty()) row.erase(row.begin() + random_.below(static_cast<std::int32_t>(row.size())));
  }

  void set_fates(base::IdVector<ValueId, Fate>& fates, const Action& action) const {
    if (action.kind == ActionKind::recompute) {
      for (const graph::Output& output : graph_.writes(action.op))
        if (fates[output.value] == Fate::keep && graph_.value(output.value).holdable)
          fates[output.value] = Fate::recompute;
    } else if (action.kind == ActionKind::copy_in) {
      fates[action.value] =
          machine_.links[action.link].from == Tier::disk ? Fate::offload_disk : Fate::offload_host;
    }
  }

  const graph::Graph& graph_;
  const machine::Machine& machine_;
  const plan::Pace& pace_;
  base::Random random_;
  std::vector<std::int32_t> triggers_;
  std::vector<ValueId> holdable_;
};

}  // namespace

std::optional<plan::Plan> random_plan(const Case& c, std::uint64_t seed, std::int32_t moves) {
  Walk walk(c, seed);
  std::optional<Rows> rows = walk.start(walk.policy());
  if (!rows) rows = walk.start({.name = "keep"});
  if (!rows) return std::nullopt;
  for (std::int32_t i = 0; i < moves; ++i) {
    Rows next = *rows;
    walk.move(next);
    if (walk.legal(next)) rows = std::move(next);
  }
  return walk.plan_of(*rows);
}

}  // namespace worktop::test
