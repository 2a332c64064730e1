#include "solver/strategies.h"

#include <algorithm>

#include "plan/hold.h"

namespace worktop::solver {
namespace {

using graph::BlockId;
using graph::OpId;
using graph::Phase;
using graph::ValueId;
using plan::Fate;
using plan::Rule;
using plan::Selector;

Fate fate_on(machine::Tier tier) {
  return tier == machine::Tier::disk ? Fate::offload_disk : Fate::offload_host;
}

Rule by_value(const Graph& graph, ValueId v, Fate fate) {
  return {Selector{.value = graph.value(v).name}, fate};
}

std::int32_t forward_op_count(const Graph& graph) {
  std::int32_t n = 0;
  while (n < graph.op_count() && graph.op(OpId{n}).phase == Phase::forward) ++n;
  return n;
}

// The layer of each forward op, -1 outside. Without blocks every forward op is a layer of its own.
base::IdVector<OpId, std::int32_t> layer_of_ops(const Graph& graph) {
  base::IdVector<OpId, std::int32_t> layer(graph.op_count(), -1);
  for (OpId op : base::ids<OpId>(forward_op_count(graph)))
    layer[op] = graph.block_count() > 0 ? graph.op(op).block.index() : op.index();
  return layer;
}

// What crosses from one segment into a later one, or comes from outside: held. All else that layers make:
// `inside`. `segment_of` gives the segment of a layer, or -1 for layers that keep everything.
template <class SegmentOf>
std::vector<Rule> segment_rules(const Graph& graph, Fate inside, const SegmentOf& segment_of) {
  const auto layer = layer_of_ops(graph);
  std::vector<Rule> rules;
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const OpId producer = graph.value(v).producer;
    if (!graph.value(v).holdable || !producer.exists() || layer[producer] < 0) continue;
    const std::int32_t segment = segment_of(layer[producer]);
    if (segment < 0) continue;
    const bool crosses = std::ranges::any_of(graph.readers(v), [&](OpId reader) {
      return graph.op(reader).phase == Phase::forward &&
             (layer[reader] < 0 || segment_of(layer[reader]) != segment);
    });
    if (!crosses) rules.push_back(by_value(graph, v, inside));
  }
  return rules;
}

// Segment of layer i when L layers are cut into K as equal as possible.
std::int32_t segment_of_layer(std::int32_t i, std::int32_t layers, std::int32_t segments) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(i) * segments / layers);
}

std::string permille(std::int32_t value) {
  std::string text = std::to_string(value / 1000);
  if (value % 1000 != 0) {
    std::string digits = std::to_string(1000 + value % 1000).substr(1);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text;
}

Policy by_op_kinds(std::string name, std::initializer_list<const char*> kinds) {
  Policy policy{.name = std::move(name), .rules = {}};
  for (const char* kind : kinds) policy.rules.push_back({Selector{.op_kind = kind}, Fate::recompute});
  return policy;
}

}  // namespace

std::int32_t layer_count(const Graph& graph) {
  return graph.block_count() > 0 ? graph.block_count() : std::max(1, forward_op_count(graph));
}

std::int32_t usual_segments(const Graph& graph) {
  const std::int32_t layers = layer_count(graph);
  std::int32_t root = 0;
  while ((root + 1) * (root + 1) <= layers) ++root;
  return root;
}

Policy keep_all() {
  return {.name = "keep_all", .rules = {}};
}

Policy checkpoint(const Graph& graph, std::int32_t segments) {
  const std::int32_t layers = layer_count(graph);
  const std::int32_t k = std::clamp(segments, 1, layers);
  return {.name = "checkpoint(" + std::to_string(k) + ")",
          .rules = segment_rules(graph, Fate::recompute,
                                 [=](std::int32_t layer) { return segment_of_layer(layer, layers, k); })};
}

Policy checkpoint_every(const Graph& graph, std::int32_t layers) {
  const std::int32_t n = std::clamp(layers, 1, layer_count(graph));
  return {.name = "checkpoint_every(" + std::to_string(n) + ")",
          .rules = segment_rules(graph, Fate::recompute, [=](std::int32_t layer) { return layer / n; })};
}

plan::Holding nested_checkpoints(const Graph& graph, std::int32_t segments, bool redo_inside) {
  const std::int32_t layers = layer_count(graph);
  const plan::Held held =
      plan::hold(graph, plan::fates_of(checkpoint(graph, segments), graph), plan::Replay::hold);
  plan::Holding holding = held.holding;
  const auto layer = layer_of_ops(graph);
  // When backward first asks for something that a layer made.
  std::vector<std::int32_t> reached(static_cast<std::size_t>(layers), graph.op_count());
  for (OpId op : base::ids<OpId>(graph.op_count()))
    for (ValueId v : graph.reads(op)) {
      const OpId producer = graph.value(v).producer;
      if (graph.op(op).phase == Phase::forward || !producer.exists() || layer[producer] < 0) continue;
      auto& first = reached[static_cast<std::size_t>(layer[producer])];
      first = std::min(first, op.index());
    }
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const OpId producer = graph.value(v).producer;
    if (!graph.recomputable(v) || layer[producer] < 0) continue;
    std::int32_t forward_end = producer.index(), wanted = -1, next_layer = -1;
    for (OpId reader : graph.readers(v)) {
      if (graph.op(reader).phase != Phase::forward) continue;
      forward_end = std::max(forward_end, reader.index());
      if (layer[reader] < 0 || layer[reader] == layer[producer]) continue;
      wanted = std::max(wanted, reached[static_cast<std::size_t>(layer[reader])]);
      next_layer = std::max(next_layer, layer[reader]);
    }
    if (wanted < 0) {
      // Inside a layer: not held for the sake of later layers, only from when backward reaches its own.
      holding.release(v, forward_end + 1,
                      redo_inside ? graph.op_count() : reached[static_cast<std::size_t>(layer[producer])]);
    } else {
      // Into the next layer: from when backward reaches the segment (or all along) until it reaches that
      // layer.
      const std::int32_t segment = segment_of_layer(next_layer, layers, segments);
      std::int32_t last_layer = next_layer;
      while (last_layer + 1 < layers && segment_of_layer(last_layer + 1, layers, segments) == segment)
        ++last_layer;
      holding.hold(v, reached[static_cast<std::size_t>(last_layer)] + 1, wanted);
    }
  }
  return holding;
}

Policy recompute_all() {
  return {.name = "recompute_all", .rules = {}, .otherwise = Fate::recompute, .replay = plan::Replay::redo};
}

Policy offload_all(machine::Tier tier) {
  return {.name = tier == machine::Tier::disk ? "offload_all(disk)" : "offload_all",
          .rules = {},
          .otherwise = fate_on(tier)};
}

Policy hybrid(const Graph& graph, std::int32_t beta_permille, std::int32_t segments, machine::Tier tier) {
  const std::int32_t layers = layer_count(graph);
  const std::int32_t k = std::clamp(segments, 1, layers);
  const std::int32_t beta = std::clamp(beta_permille, 0, 1000);
  const auto offloaded = static_cast<std::int32_t>(static_cast<std::int64_t>(layers) * (1000 - beta) / 1000);
  Policy policy{.name = "hybrid(" + permille(beta) + "," + std::to_string(k) + ")", .rules = {}};
  policy.rules = segment_rules(graph, Fate::recompute, [=](std::int32_t layer) {
    return layer < offloaded ? -1 : segment_of_layer(layer, layers, k);
  });
  const auto layer = layer_of_ops(graph);
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const OpId producer = graph.value(v).producer;
    if (graph.decidable(v) && producer.exists() && layer[producer] >= 0 && layer[producer] < offloaded)
      policy.rules.push_back(by_value(graph, v, fate_on(tier)));
  }
  return policy;
}

Policy ratio(const Graph& graph, const cost::Durations& durations, std::int32_t threshold_permille) {
  Policy policy{.name = "ratio(" + permille(threshold_permille) + ")", .rules = {}};
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(graph.op_count()), 0);
  double all_bytes = 0, all_ns = 0;
  for (OpId op : base::ids<OpId>(forward_op_count(graph))) {
    for (const graph::Output& out : graph.writes(op))
      if (graph.decidable(out.value)) bytes[op.at()] += graph.value(out.value).bytes.count();
    if (bytes[op.at()] == 0) continue;
    all_bytes += static_cast<double>(bytes[op.at()]);
    all_ns += durations[op].as_double();
  }
  // bytes / ns > threshold * (all bytes / all ns), without a division: an op of no duration is always above.
  for (OpId op : base::ids<OpId>(forward_op_count(graph))) {
    const double freed = static_cast<double>(bytes[op.at()]) * all_ns;
    if (bytes[op.at()] == 0 || !(freed > threshold_permille / 1000.0 * all_bytes * durations[op].as_double()))
      continue;
    for (const graph::Output& out : graph.writes(op))
      if (graph.decidable(out.value)) policy.rules.push_back(by_value(graph, out.value, Fate::recompute));
  }
  return policy;
}

Policy save_matmuls(const Graph& graph) {
  Policy policy{.name = "save_matmuls", .rules = {}};
  const auto layer = layer_of_ops(graph);
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const OpId producer = graph.value(v).producer;
    if (!graph.decidable(v) || !producer.exists() || layer[producer] < 0) continue;
    if (graph.op(producer).engine == graph::Engine::vector)
      policy.rules.push_back(by_value(graph, v, Fate::recompute));
  }
  return policy;
}

Policy attention_core() {
  return by_op_kinds("attention_core",
                     {"attention", "attention.scores", "attention.softmax", "attention.values", "repeat_kv"});
}

Policy mlp(const Graph& graph) {
  Policy policy{.name = "mlp", .rules = {}};
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const OpId producer = graph.value(v).producer;
    if (graph.decidable(v) && graph.op(producer).name.find("mlp/") != std::string::npos)
      policy.rules.push_back(by_value(graph, v, Fate::recompute));
  }
  return policy;
}

Policy norms_and_activations() {
  return by_op_kinds(
      "norms_and_activations",
      {"layer_norm", "rms_norm.rstd", "rms_norm.scale", "rms_norm.weight", "cast", "silu", "gelu",
       "gelu_tanh", "gelu_new.inner", "gelu_new.tanh", "gelu_new.half", "gelu_new.plus_one", "relu", "mul"});
}

std::vector<Policy> standard_strategies(const Graph& graph, const machine::Machine& machine,
                                        const cost::Durations& durations) {
  using machine::Tier;
  const std::int32_t layers = layer_count(graph);
  std::vector<Policy> list = {keep_all()};
  list.push_back(checkpoint(graph, usual_segments(graph)));
  for (std::int32_t n : {1, 2, 4})
    if (n <= layers) list.push_back(checkpoint_every(graph, n));
  list.push_back(recompute_all());
  const bool host = machine.has_tier(Tier::host) && machine.link(Tier::device, Tier::host).exists();
  const bool disk = machine.has_tier(Tier::disk) && (host || machine.link(Tier::device, Tier::disk).exists());
  if (host) list.push_back(offload_all(Tier::host));
  if (disk) list.push_back(offload_all(Tier::disk));
  if (host || disk)
    for (std::int32_t beta : {250, 500, 750})
      list.push_back(hybrid(graph, beta, layers, host ? Tier::host : Tier::disk));
  list.push_back(ratio(graph, durations, 2000));
  list.push_back(save_matmuls(graph));
  list.push_back(attention_core());
  list.push_back(mlp(graph));
  list.push_back(norms_and_activations());
  return list;
}

}  // namespace worktop::solver
