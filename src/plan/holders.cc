#include "plan/holders.h"

#include <algorithm>

namespace worktop::plan {

using base::ids;

Holders::Holders(const Graph& graph)
    : graph_(graph), holds_(graph.value_count()), released_begin_(graph.op_count() + 1) {
  // A counting sort of the values by the op after which the program lets go.
  for (const ValueId v : ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    if (!value.producer.exists()) holds_[v] = kProgram;
    if (value.held_until.exists()) ++released_begin_[OpId{value.held_until.index() + 1}];
  }
  for (const OpId op : ids<OpId>(graph.op_count()))
    released_begin_[OpId{op.index() + 1}] += released_begin_[op];
  released_.resize(static_cast<std::size_t>(released_begin_[OpId{graph.op_count()}]));
  auto place = released_begin_;
  for (const ValueId v : ids<ValueId>(graph.value_count()))
    if (const OpId last = graph.value(v).held_until; last.exists())
      released_[static_cast<std::size_t>(place[last]++)] = v;
}

void Holders::reach(OpId next) {
  next_ = next;
  for (const ValueId v : graph_.reads(next))
    if (resident(v)) holds_[v] |= kRunning;
}

bool Holders::drop(ValueId v) {
  holds_[v] &= static_cast<std::uint8_t>(~kExecutor);
  return !resident(v);
}

void Holders::bring(ValueId v) {
  holds_[v] |= kExecutor;
  // The next op may read it, and holds it then even if the executor lets go again at the same trigger.
  if (next_.exists() && std::ranges::binary_search(graph_.readers(v), next_)) holds_[v] |= kRunning;
}

std::span<const ValueId> Holders::recompute(OpId op) {
  changed_.clear();
  for (const graph::Output& output : graph_.writes(op)) {
    if (!graph_.value(output.value).holdable) continue;
    if (!resident(output.value)) changed_.push_back(output.value);
    bring(output.value);
  }
  return changed_;
}

std::uint8_t Holders::holds_when_written(OpId op, ValueId v) const {
  const OpId last = graph_.value(v).held_until;
  return !last.exists() || last >= op ? kRunning | kProgram : kRunning;
}

std::span<const ValueId> Holders::start(OpId op) {
  changed_.clear();
  for (const graph::Output& output : graph_.writes(op)) {
    if (output.overwrites.exists()) continue;
    holds_[output.value] = holds_when_written(op, output.value);
    changed_.push_back(output.value);
  }
  return changed_;
}

void Holders::let_go(ValueId v, std::uint8_t holder) {
  if (!resident(v)) return;
  holds_[v] &= static_cast<std::uint8_t>(~holder);
  if (!resident(v)) changed_.push_back(v);
}

std::span<const ValueId> Holders::finish(OpId op) {
  changed_.clear();
  for (const graph::Output& output : graph_.writes(op)) {
    if (output.overwrites.exists()) {
      holds_[output.value] = holds_when_written(op, output.value);
      holds_[output.overwrites] = 0;
    }
    if (graph_.value(output.value).holdable) holds_[output.value] |= kExecutor;
  }
  const auto first = static_cast<std::size_t>(released_begin_[op]);
  const auto last = static_cast<std::size_t>(released_begin_[OpId{op.index() + 1}]);
  for (const ValueId v : std::span(released_).subspan(first, last - first)) let_go(v, kProgram);
  for (const ValueId v : graph_.reads(op)) let_go(v, kRunning);
  for (const graph::Output& output : graph_.writes(op)) let_go(output.value, kRunning);
  next_ = OpId::none();
  return changed_;
}

}  // namespace worktop::plan
