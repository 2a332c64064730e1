#include "simulator/books.h"

namespace worktop::simulator {

Books::Books(const graph::Graph& graph)
    : graph_(graph),
      state_(graph.value_count(), 0),
      first_held_(graph.op_count()),
      next_held_(graph.value_count()) {
  for (ValueId id : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(id);
    if (value.held_until.exists()) {
      next_held_[id] = first_held_[value.held_until];
      first_held_[value.held_until] = id;
    }
    if (value.producer.exists()) continue;
    set(id, kOnDevice | kProgram);
    allocate(value.bytes, Tier::device);
  }
}

void Books::expect(OpId op) {
  for (ValueId value : graph_.reads(op)) set(value, kNextOp);
}

// An in-place write takes over the buffer of the older version.
Books::Bytes Books::run(OpId op) {
  const Bytes workspace = graph_.op(op).workspace;
  Bytes fresh = workspace;
  for (ValueId value : graph_.reads(op)) debug_ensure(has(value, kOnDevice));
  for (const graph::Output& output : graph_.writes(op)) {
    if (!output.overwrites.exists()) fresh += graph_.value(output.value).bytes;
    set(output.value, kOnDevice | kProgram);
  }
  allocate(fresh, Tier::device);
  const Bytes while_running = now_[0];
  free(workspace, Tier::device);
  for (const graph::Output& output : graph_.writes(op)) {
    if (output.overwrites.exists()) clear(output.overwrites, kOnDevice | kHolders);
    if (graph_.value(output.value).holdable) set(output.value, kExecutor);
  }
  for (ValueId value : graph_.reads(op)) {
    clear(value, kNextOp);
    free_if_unheld(value);
  }
  for (ValueId value = first_held_[op]; value.exists(); value = next_held_[value]) {
    clear(value, kProgram);
    free_if_unheld(value);
  }
  return while_running;
}

Books::Bytes Books::recompute(OpId op) {
  Bytes fresh = graph_.op(op).workspace;
  for (const graph::Output& output : graph_.writes(op)) fresh += graph_.value(output.value).bytes;
  for (ValueId value : graph_.reads(op)) debug_ensure(has(value, kOnDevice));
  allocate(fresh, Tier::device);
  const Bytes while_running = now_[0];
  free(graph_.op(op).workspace, Tier::device);
  for (const graph::Output& output : graph_.writes(op)) {
    const graph::Value& value = graph_.value(output.value);
    if (has(output.value, kOnDevice)) free(value.bytes, Tier::device);  // a duplicate
    set(output.value, value.holdable ? kOnDevice | kExecutor : kOnDevice);
    free_if_unheld(output.value);
  }
  return while_running;
}

void Books::copy_to(ValueId value, Tier tier) {
  debug_ensure(!has(value, on(tier)));
  allocate(graph_.value(value).bytes, tier);
  set(value, on(tier));
  if (tier == Tier::device) set(value, kExecutor);
}

bool Books::let_go(ValueId value, Tier tier) {
  debug_ensure(has(value, on(tier)));
  if (tier == Tier::device) {
    clear(value, kExecutor);
    return free_if_unheld(value);
  }
  clear(value, on(tier));
  free(graph_.value(value).bytes, tier);
  return true;
}

}  // namespace worktop::simulator
