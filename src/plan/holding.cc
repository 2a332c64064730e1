#include "plan/holding.h"

#include <algorithm>

namespace worktop::plan {

ProgramWindow program_window(const Graph& graph, ValueId value) {
  const graph::Value& v = graph.value(value);
  ProgramWindow window;
  window.first = v.producer.exists() ? v.producer.index() + 1 : 0;
  window.last = v.held_until.exists() ? v.held_until.index() : graph.op_count();
  if (const OpId overwriter = graph.overwritten_by(value); overwriter.exists())
    window.last = std::min(window.last, overwriter.index());
  return window;
}

bool needed_at_end(const Graph& graph, ValueId value) {
  const graph::Value& v = graph.value(value);
  return v.producer.exists() && v.held_until.exists() && !v.needed_until.exists() &&
         !graph.overwritten_by(value).exists();
}

bool read_at_once(const Graph& graph, ValueId value) {
  const OpId producer = graph.value(value).producer;
  const auto readers = graph.readers(value);
  return producer.exists() && !readers.empty() && readers.front().index() == producer.index() + 1;
}

Holding::Holding(const Graph& graph) : bits_(graph.value_count(), graph.op_count() + 1) {
  windows_.reserve(graph.value_count());
  for (ValueId v : base::ids<ValueId>(graph.value_count())) windows_.push_back(program_window(graph, v));
}

}  // namespace worktop::plan
