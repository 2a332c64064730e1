#include "baselines/dtr.h"

#include <algorithm>
#include <vector>

#include "plan/holders.h"
#include "plan/holding.h"

namespace worktop::bench {
namespace {

using base::Bytes;
using base::ids;
using graph::OpId;
using graph::ValueId;
using plan::Action;

class Dtr {
 public:
  Dtr(const graph::Graph& graph, const cost::Durations& durations, Bytes budget)
      : graph_(graph),
        durations_(durations),
        budget_(budget),
        holders_(graph),
        locks_(graph.value_count(), 0),
        evicted_(graph.value_count(), 0),
        last_use_ns_(graph.value_count(), 0),
        class_(graph.value_count()),
        class_ns_(graph.value_count(), 0) {
    plan_.made_by = "dtr";
    plan_.graph = graph.hash();
    plan_.fates = base::IdVector<ValueId, plan::Fate>(graph.value_count(), plan::Fate::keep);
    for (ValueId v : ids<ValueId>(graph.value_count())) {
      class_[v] = v;
      if (holders_.resident(v)) now_ += graph.value(v).bytes;
    }
  }

  std::optional<plan::Plan> play() {
    for (time_ = 0; time_ <= graph_.op_count(); ++time_) {
      if (!stage()) return std::nullopt;
      plan_.actions.end_row();
      if (time_ < graph_.op_count()) run(OpId{time_});
    }
    return std::move(plan_);
  }

 private:
  // The actions of this boundary: what nobody asks for goes, what is asked for comes, and there is room.
  bool stage() {
    const bool at_end = time_ == graph_.op_count();
    std::vector<ValueId> wanted;
    for (ValueId v : ids<ValueId>(graph_.value_count())) {
      const bool needed = at_end && plan::needed_at_end(graph_, v);
      if (needed) wanted.push_back(v);
      if (!needed && is_dead(v) && holders_.executor_holds(v)) evict(v);
    }
    Bytes fresh{0};
    if (!at_end) {
      const OpId op{time_};
      holders_.reach(op);
      wanted.assign(graph_.reads(op).begin(), graph_.reads(op).end());
      fresh = graph_.op(op).workspace;
      for (const graph::Output& out : graph_.writes(op))
        if (!out.overwrites.exists()) fresh += graph_.value(out.value).bytes;
    }
    for (ValueId v : wanted) ++locks_[v];
    for (ValueId v : wanted)
      if (!holders_.resident(v) && !make(v)) return false;
    if (!make_room(fresh)) return false;
    for (ValueId v : wanted) --locks_[v];
    return true;
  }

  // Runs v's producer again, whatever it reads first. The caller has locked v.
  bool make(ValueId v) {
    if (!graph_.recomputable(v) || ++recomputes_ > 20 * graph_.op_count()) return false;
    const OpId op = graph_.value(v).producer;
    for (ValueId read : graph_.reads(op)) ++locks_[read];
    for (ValueId read : graph_.reads(op))
      if (!holders_.resident(read) && !make(read)) return false;
    Bytes fresh = graph_.op(op).workspace;
    for (const graph::Output& out : graph_.writes(op)) fresh += graph_.value(out.value).bytes;
    if (!make_room(fresh)) return false;
    plan_.actions.push_item(Action::recompute(op));
    clock_ns_ += durations_[op].count();
    for (ValueId made : holders_.recompute(op)) {
      plan_.fates[made] = plan::Fate::recompute;
      now_ += graph_.value(made).bytes;
      back(made);
    }
    for (const graph::Output& out : graph_.writes(op)) used(out.value);
    for (ValueId read : graph_.reads(op)) {
      used(read);
      if (--locks_[read] == 0 && is_dead(read) && holders_.executor_holds(read)) evict(read);
    }
    for (const graph::Output& out : graph_.writes(op))
      if (locks_[out.value] == 0 && is_dead(out.value) && holders_.executor_holds(out.value))
        evict(out.value);
    return true;
  }

  void run(OpId op) {
    for (ValueId v : holders_.start(op)) now_ += graph_.value(v).bytes;
    for (ValueId v : holders_.finish(op)) now_ -= graph_.value(v).bytes;
    clock_ns_ += durations_[op].count();
    for (ValueId v : graph_.reads(op)) used(v);
    for (const graph::Output& out : graph_.writes(op)) used(out.value);
  }

  // Nobody asks for it from this boundary on.
  [[nodiscard]] bool is_dead(ValueId v) const {
    const OpId last = graph_.value(v).needed_until;
    return last.exists() && last.index() < time_;
  }

  bool make_room(Bytes fresh) {
    while (now_ + fresh > budget_) {
      ValueId victim;
      double least = 0;
      for (ValueId v : ids<ValueId>(graph_.value_count())) {
        if (!evictable(v)) continue;
        const double h = score(v);
        if (victim.exists() && h >= least) continue;
        victim = v, least = h;
      }
      if (!victim.exists()) return false;
      evict(victim);
    }
    return true;
  }
  [[nodiscard]] bool evictable(ValueId v) const {
    return holders_.executor_holds(v) && locks_[v] == 0 && graph_.value(v).bytes > Bytes{0} &&
           graph_.recomputable(v) && !plan::program_window(graph_, v).holds(time_);
  }
  [[nodiscard]] double score(ValueId v) {
    std::int64_t ns = durations_[graph_.value(v).producer].count();
    std::vector<ValueId> seen;
    for_each_evicted_neighbour(v, [&](ValueId n) {
      const ValueId c = class_of(n);
      if (std::ranges::find(seen, c) != seen.end()) return;
      seen.push_back(c);
      ns += class_ns_[c];
    });
    const auto stale = static_cast<double>(std::max<std::int64_t>(1, clock_ns_ - last_use_ns_[v]));
    return static_cast<double>(ns) / (graph_.value(v).bytes.as_double() * stale);
  }

  void evict(ValueId v) {
    plan_.actions.push_item(Action::drop(v));
    if (holders_.drop(v)) now_ -= graph_.value(v).bytes;
    evicted_[v] = 1;
    class_[v] = v;
    class_ns_[v] = durations_[graph_.value(v).producer].count();
    for_each_evicted_neighbour(v, [&](ValueId n) {
      const ValueId mine = class_of(v), other = class_of(n);
      if (mine == other) return;
      class_[other] = mine;
      class_ns_[mine] += class_ns_[other];
    });
  }
  void back(ValueId v) {
    if (evicted_[v] == 0) return;
    evicted_[v] = 0;
    class_ns_[class_of(v)] -= durations_[graph_.value(v).producer].count();
  }
  [[nodiscard]] ValueId class_of(ValueId v) {
    while (class_[v] != v) v = class_[v] = class_[class_[v]];
    return v;
  }
  template <class Visit>
  void for_each_evicted_neighbour(ValueId v, Visit&& visit) {
    for (ValueId read : graph_.reads(graph_.value(v).producer))
      if (evicted_[read] != 0) visit(read);
    for (OpId reader : graph_.readers(v)) {
      if (reader.index() >= time_) break;
      for (const graph::Output& out : graph_.writes(reader))
        if (evicted_[out.value] != 0) visit(out.value);
    }
  }

  void used(ValueId v) { last_use_ns_[v] = clock_ns_; }

  const graph::Graph& graph_;
  const cost::Durations& durations_;
  const Bytes budget_;
  plan::Holders holders_;
  plan::Plan plan_;
  std::int32_t time_ = 0;
  std::int64_t clock_ns_ = 0, recomputes_ = 0;
  Bytes now_{0};
  base::IdVector<ValueId, std::int32_t> locks_;
  base::IdVector<ValueId, std::uint8_t> evicted_;
  base::IdVector<ValueId, std::int64_t> last_use_ns_;
  base::IdVector<ValueId, ValueId> class_;          // towards the class's representative ...
  base::IdVector<ValueId, std::int64_t> class_ns_;  // ... which has the cost of all
};

}  // namespace

std::optional<plan::Plan> dtr(const graph::Graph& graph, const cost::Durations& durations, Bytes budget) {
  return Dtr(graph, durations, budget).play();
}

}  // namespace worktop::bench
