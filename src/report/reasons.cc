#include "report/reasons.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "plan/memory.h"
#include "report/alike.h"
#include "simulator/simulate.h"

namespace worktop::report {
namespace {

using graph::Graph;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;
using machine::Tier;
using plan::Fate;

// Alike values so far. Times are sums over them.
struct Group {
  std::int32_t count = 0;
  Bytes bytes;
  std::optional<Nanoseconds> recompute, reload;
  Nanoseconds waited{0};
};

struct Key {
  std::string label;
  Fate fate = Fate::keep;
  Because because = Because::not_needed;
  std::string_view obstacle;  // why it cannot be made again; empty if it can
  auto operator<=>(const Key&) const = default;
};

std::string_view obstacle_to_recompute(const Graph& graph, ValueId v) {
  if (graph.recomputable(v)) return {};
  const OpId producer = graph.value(v).producer;
  if (!producer.exists()) return "no producer";
  const graph::OpFlags& flags = graph.op(producer).flags;
  if (flags.opaque) return "producer unseen";
  if (flags.random) return "random";
  if (flags.collective) return "collective";
  if (flags.side_effect) return "producer has side effects";
  if (flags.discrete) return "discrete choice";
  return "an input cannot be made again";
}

class Reader {
 public:
  Reader(const Graph& graph, const machine::Machine& machine, const cost::Durations& durations,
         const plan::Plan& plan)
      : graph_(graph),
        machine_(machine),
        durations_(durations),
        plan_(plan),
        replays_(graph.op_count(), 0),
        waited_(graph.value_count(), Nanoseconds{0}),
        at_peak_(graph.value_count(), 0) {
    for (const plan::Boundary t : base::ids<plan::Boundary>(plan.actions.rows()))
      for (const plan::Action& action : plan.actions[t])
        if (action.kind == plan::ActionKind::recompute) ++replays_[action.op];
    const simulator::Timeline timeline = simulator::simulate(graph, machine, durations, plan);
    for (const simulator::Stall& stall : timeline.stalls)
      waited_[timeline.copies[static_cast<std::size_t>(stall.copy)].value] += stall.end - stall.start;
    for (const ValueId v : plan::measure_memory(graph, machine, plan).resident_values) at_peak_[v] = 1;
    find_worst_exchange();
  }

  [[nodiscard]] std::map<Key, Group> groups() const {
    std::map<Key, Group> groups;
    for (const ValueId v : base::ids<ValueId>(graph_.value_count())) {
      if (!weighs(v)) continue;
      add(v, groups[key_of(v)]);
    }
    return groups;
  }
  [[nodiscard]] std::pair<Key, Group> alone(ValueId v) const {
    std::pair<Key, Group> one{key_of(v), {}};
    add(v, one.second);
    return one;
  }
  [[nodiscard]] bool at_peak(ValueId v) const { return at_peak_[v] != 0; }
  [[nodiscard]] bool weighs(ValueId v) const {
    return graph_.decidable(v) && graph_.value(v).bytes > Bytes{0};
  }

 private:
  void add(ValueId v, Group& group) const {
    ++group.count;
    group.bytes += graph_.value(v).bytes;
    group.waited += waited_[v];
    if (const auto ns = recompute_of(v)) group.recompute = group.recompute.value_or(Nanoseconds{0}) + *ns;
    if (const auto ns = reload_of(v)) group.reload = group.reload.value_or(Nanoseconds{0}) + *ns;
  }

  [[nodiscard]] std::optional<Nanoseconds> recompute_of(ValueId v) const {
    if (!graph_.recomputable(v)) return std::nullopt;
    const OpId producer = graph_.value(v).producer;
    const std::int32_t times = plan_.fates[v] == Fate::recompute ? std::max(1, replays_[producer]) : 1;
    return durations_[producer] * times;
  }

  // From the tier it is on, or could be sent to.
  [[nodiscard]] std::optional<Nanoseconds> reload_of(ValueId v) const {
    for (const Tier tier : {Tier::host, Tier::disk}) {
      if (tier == Tier::host && plan_.fates[v] == Fate::offload_disk) continue;
      const LinkId link = machine_.link(tier, Tier::device);
      if (machine_.has_tier(tier) && link.exists())
        return cost::copy_time(machine_.links[link], graph_.value(v).bytes);
    }
    if (plan_.fates[v] != Fate::offload_disk) return std::nullopt;
    const LinkId up = machine_.link(Tier::disk, Tier::host), in = machine_.link(Tier::host, Tier::device);
    if (!up.exists() || !in.exists()) return std::nullopt;
    const Bytes bytes = graph_.value(v).bytes;  // staged on the host: two hops
    return cost::copy_time(machine_.links[up], bytes) + cost::copy_time(machine_.links[in], bytes);
  }

  // Bytes freed for a nanosecond of recompute; a free one counts as 1 ns.
  [[nodiscard]] double exchange(ValueId v) const {
    const Nanoseconds ns = recompute_of(v).value_or(Nanoseconds{1});
    return graph_.value(v).bytes.as_double() / std::max(1.0, ns.as_double());
  }

  void find_worst_exchange() {
    for (const ValueId v : base::ids<ValueId>(graph_.value_count()))
      if (weighs(v) && plan_.fates[v] == Fate::recompute)
        worst_exchange_ = std::min(worst_exchange_.value_or(exchange(v)), exchange(v));
  }

  [[nodiscard]] Because why_kept(ValueId v) const {
    if (!graph_.recomputable(v)) return reload_of(v) ? Because::cannot_recompute : Because::must_keep;
    if (at_peak_[v] == 0) return Because::gone_at_the_peak;
    return worst_exchange_ && exchange(v) < *worst_exchange_ ? Because::poor_exchange : Because::not_needed;
  }

  [[nodiscard]] Because why_recomputed(ValueId v) const {
    const auto recompute = recompute_of(v), reload = reload_of(v);
    if (!reload) return Because::no_lower_tier;
    return recompute && *recompute < *reload ? Because::cheaper_recompute : Because::busy_link;
  }

  [[nodiscard]] Key key_of(ValueId v) const {
    Key key{
        .label = alike_name(graph_, v), .fate = plan_.fates[v], .obstacle = obstacle_to_recompute(graph_, v)};
    switch (key.fate) {
      case Fate::keep:
        key.because = why_kept(v);
        break;
      case Fate::recompute:
        key.because = why_recomputed(v);
        break;
      case Fate::offload_host:
      case Fate::offload_disk:
        key.because = waited_[v] > Nanoseconds{0} ? Because::waits : Because::hides;
        break;
    }
    return key;
  }

  const Graph& graph_;
  const machine::Machine& machine_;
  const cost::Durations& durations_;
  const plan::Plan& plan_;
  base::IdVector<OpId, std::int32_t> replays_;
  base::IdVector<ValueId, Nanoseconds> waited_;
  base::IdVector<ValueId, std::uint8_t> at_peak_;
  std::optional<double> worst_exchange_;  // of what the plan recomputes
};

// "1.25 MiB per ms", from what one of the group frees and takes.
std::string freed_per_ms(Bytes bytes, Nanoseconds ns) {
  const double per_ms = bytes.as_double() * 1e6 / std::max(1.0, ns.as_double());
  const bool finite = per_ms < Bytes::largest().as_double();
  return in_words(finite ? Bytes{static_cast<std::int64_t>(per_ms)} : Bytes::largest()) + " per ms";
}

std::string text_of(const Key& key, const Reason& reason, Nanoseconds waited) {
  const std::string recompute =
      "recompute " + (reason.recompute_ns ? in_words(*reason.recompute_ns) : std::string("?"));
  const std::string reload = "reload " + (reason.reload_ns ? in_words(*reason.reload_ns) : std::string("?"));
  const std::string obstacle = key.obstacle.empty() ? std::string() : std::string(key.obstacle) + ": ";
  const std::string frees =
      "frees " + freed_per_ms(reason.bytes / reason.count, reason.recompute_ns.value_or(Nanoseconds{0}));
  switch (reason.because) {
    case Because::must_keep:
      return obstacle + "must keep";
    case Because::cannot_recompute:
      return obstacle + "kept, " + reload + " would be the only other way";
    case Because::gone_at_the_peak:
      return "kept: not there at the peak";
    case Because::not_needed:
      return "kept: " + frees + ", the budget does not need it";
    case Because::poor_exchange:
      return "kept: " + frees + ", less than what is recomputed";
    case Because::cheaper_recompute:
      return recompute + " < " + reload;
    case Because::no_lower_tier:
      return recompute + ", no tier to offload to";
    case Because::busy_link:
      return recompute + ", though " + reload + ": the link has other work, or the way out is too slow";
    case Because::hides:
      return obstacle + reload + " hides behind compute";
    case Because::waits:
      return obstacle + reload + ", compute waits " + in_words(waited) +
             (reason.recompute_ns ? " (" + recompute + ")" : std::string());
  }
  return {};
}

Reason reason_of(const Key& key, const Group& group) {
  Reason reason{.label = key.label,
                .fate = key.fate,
                .because = key.because,
                .count = group.count,
                .bytes = group.bytes};
  if (group.recompute) reason.recompute_ns = *group.recompute / group.count;
  if (group.reload) reason.reload_ns = *group.reload / group.count;
  reason.text = text_of(key, reason, group.waited / group.count);
  return reason;
}

}  // namespace

std::vector<Reason> reasons(const Graph& graph, const machine::Machine& machine,
                            const cost::Durations& durations, const plan::Plan& plan) {
  std::vector<Reason> list;
  for (const auto& [key, group] : Reader(graph, machine, durations, plan).groups())
    list.push_back(reason_of(key, group));
  std::ranges::stable_sort(list, std::greater{}, &Reason::bytes);
  return list;
}

std::vector<ValueReason> reasons_by_value(const graph::Graph& graph, const machine::Machine& machine,
                                          const cost::Durations& durations, const plan::Plan& plan) {
  std::vector<ValueReason> list;
  const Reader reader(graph, machine, durations, plan);
  for (const ValueId v : base::ids<ValueId>(graph.value_count())) {
    if (!reader.weighs(v)) continue;
    const auto [key, group] = reader.alone(v);
    list.push_back({v, reason_of(key, group), reader.at_peak(v)});
  }
  return list;
}

}  // namespace worktop::report
