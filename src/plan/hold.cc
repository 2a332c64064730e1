#include "plan/hold.h"

#include <algorithm>

namespace worktop::plan {
namespace {

constexpr std::int32_t kNever = INT32_MAX;

// When a value is wanted after the program and the forward pass have finished with it.
struct Needs {
  std::int32_t settled =
      0;  // last stage of its first life: forward readers, the in-place write, the program's hold
  std::int32_t used = -1;       // last forward reader, -1: none
  std::int32_t first = kNever;  // first stage after that which wants it
  std::int32_t last = -1;
  void add(std::int32_t stage) {
    first = std::min(first, stage);
    last = std::max(last, stage);
  }
  [[nodiscard]] bool any() const { return first != kNever; }
};

class Holder {
 public:
  Holder(const Graph& graph, const base::IdVector<ValueId, Fate>& fates, Replay replay)
      : graph_(graph), fates_(fates), redo_(replay == Replay::redo), needs_(graph.value_count()) {}

  Held run() {
    for (ValueId v : base::ids<ValueId>(graph_.value_count())) needs_[v] = natural_needs(v);
    base::IdVector<OpId, std::int32_t> replayed(graph_.op_count(), kNever);
    for (std::int32_t i = graph_.op_count() - 1; i >= 0; --i) replayed[OpId{i}] = replay_op(OpId{i});
    Held held{Holding(graph_), {}};
    for (ValueId v : base::ids<ValueId>(graph_.value_count()))
      if (graph_.value(v).holdable && graph_.value(v).producer.exists()) fill(v, replayed, held);
    return held;
  }

 private:
  // The fate that is possible: see the header.
  [[nodiscard]] Fate fate(ValueId v) const {
    const bool lost = graph_.overwritten_by(v).exists() && needs_[v].any();
    if (lost) return Fate::recompute;
    // At the end of the step what it would be made from may be overwritten or gone.
    if (fates_[v] == Fate::recompute && (!graph_.recomputable(v) || needed_at_end(graph_, v)))
      return Fate::keep;
    return fates_[v];
  }

  [[nodiscard]] Needs natural_needs(ValueId v) const {
    const graph::Value& value = graph_.value(v);
    Needs needs;
    if (!value.producer.exists()) return needs;
    needs.settled = value.producer.index();
    const bool in_forward = graph_.op(value.producer).phase == graph::Phase::forward;
    const OpId overwriter = graph_.overwritten_by(v);
    const std::int32_t end = overwriter.exists() ? overwriter.index() : kNever;
    if (value.held_until.exists())
      needs.settled = std::max(needs.settled, std::min(end, value.held_until.index()));
    else
      needs.settled = std::min(end, graph_.op_count());
    for (OpId reader : graph_.readers(v)) {
      // What the very next op reads can't be let go of in between: that op holds it already.
      const bool first_life =
          reader.index() <= end && (!in_forward || reader.index() == value.producer.index() + 1 ||
                                    graph_.op(reader).phase == graph::Phase::forward);
      if (first_life) needs.used = reader.index();
    }
    needs.settled = std::max(needs.settled, needs.used);
    for (OpId reader : graph_.readers(v))
      if (reader.index() > needs.settled) needs.add(reader.index());
    if (needed_at_end(graph_, v)) needs.add(graph_.op_count());
    return needs;
  }

  // The stage in which `op` is replayed (kNever: in none), and what that asks of its inputs.
  std::int32_t replay_op(OpId op) {
    std::int32_t first = kNever;
    std::int32_t last = -1;
    for (const graph::Output& out : graph_.writes(op)) {
      const Needs& needs = needs_[out.value];
      if (!needs.any() || fate(out.value) != Fate::recompute) continue;
      first = std::min(first, needs.first);
      last = std::max(last, needs.last);
    }
    if (first == kNever) return kNever;
    for (ValueId read : graph_.reads(op)) {
      if (!graph_.value(read).producer.exists()) continue;
      want(read, first);
      if (redo_) want(read, last);
    }
    return first;
  }
  void want(ValueId v, std::int32_t stage) {
    if (stage > needs_[v].settled) needs_[v].add(stage);
  }

  void fill(ValueId v, const base::IdVector<OpId, std::int32_t>& replayed, Held& held) const {
    const graph::Value& value = graph_.value(v);
    const Needs& needs = needs_[v];
    const std::int32_t born = value.producer.index() + 1;
    const std::int32_t first_life = needs.any() ? needs.used : std::max(needs.used, wanted_until(v));
    switch (fate(v)) {
      case Fate::keep:
        held.holding.hold(v, born, std::max({needs.used, needs.last, wanted_until(v)}));
        break;
      case Fate::recompute:
        held.holding.hold(v, born, first_life);
        if (needs.any() && !redo_) held.holding.hold(v, replayed[value.producer] + 1, needs.last);
        break;
      case Fate::offload_host:
      case Fate::offload_disk:
        // What the program holds longer than anybody reads it leaves only then: the executor holds it till
        // then.
        held.holding.hold(v, born, needs.any() ? std::max(first_life, needs.settled) : first_life);
        if (!needs.any()) break;
        held.trips.push_back(
            {v, fates_[v] == Fate::offload_host ? Tier::host : Tier::disk, needs.settled, needs.first});
        held.holding.hold(v, needs.first + 1, needs.last);
        break;
    }
  }
  // Where a value stays wanted beyond its last reader and the program's own hold (traces): the boundary after
  // the last op that may ask for it, so that it is there while that runs; -1 otherwise.
  [[nodiscard]] std::int32_t wanted_until(ValueId v) const {
    const graph::Value& value = graph_.value(v);
    if (graph_.overwritten_by(v).exists() || !value.held_until.exists()) return -1;
    if (!value.needed_until.exists()) return graph_.op_count();
    const bool read_last = !graph_.readers(v).empty() && graph_.readers(v).back() == value.needed_until;
    return value.needed_until > value.held_until && !read_last ? value.needed_until.index() + 1 : -1;
  }

  const Graph& graph_;
  const base::IdVector<ValueId, Fate>& fates_;
  bool redo_;
  base::IdVector<ValueId, Needs> needs_;
};

}  // namespace

Held hold(const Graph& graph, const base::IdVector<ValueId, Fate>& fates, Replay replay) {
  return Holder(graph, fates, replay).run();
}

}  // namespace worktop::plan
