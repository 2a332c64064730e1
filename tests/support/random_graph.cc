#include "support/random_graph.h"

#include <algorithm>
#include <vector>

#include "base/ensure.h"
#include "base/random.h"
#include "graph/builder.h"

namespace worktop::test {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Random;
using graph::GraphBuilder;
using graph::OpId;
using graph::Output;
using graph::Phase;
using graph::ProgramHold;
using graph::ValueId;
using graph::ValueKind;
using machine::Tier;

// What the forward leaves for the backward, per op.
struct ForwardOp {
  OpId op;
  std::vector<ValueId> reads;  // activations and inputs
  std::vector<ValueId> writes;
  ValueId weight;
};

class Generator {
 public:
  Generator(CaseId id, const CaseOptions& options)
      : random_(id.seed), options_(options), size_(std::max(id.size, 1)) {}

  graph::Graph run() {
    add_forward();
    add_backward();
    if (!weights_.empty() && random_.chance(options_.optimizer)) add_optimizer();
    if (random_.chance(options_.micro_steps)) builder_.set_micro_steps(2);
    if (options_.flavour == Flavour::eager) builder_.set_eager_triggers();
    base::Result<graph::Graph> graph = std::move(builder_).build();
    ensure(graph.has_value());
    return *std::move(graph);
  }

 private:
  bool dag() const { return options_.flavour == Flavour::tensor_dag; }
  Bytes some_bytes() { return Bytes{random_.chance(options_.no_bytes) ? 0 : random_.between(1, 8)}; }
  Bytes some_workspace() { return Bytes{random_.chance(options_.workspace) ? random_.between(1, 5) : 0}; }

  ValueId add_input(const std::string& name, ValueKind kind) {
    return note(builder_.add_value({.name = name, .kind = kind, .bytes = Bytes{random_.between(1, 6)}}));
  }

  ValueId note(ValueId id) {
    overwritten_.push_back(0);
    return id;
  }

  graph::OpFlags some_flags() {
    graph::OpFlags flags;
    if (!dag() && random_.chance(options_.opaque)) flags.opaque = true;
    if (!random_.chance(options_.not_replayed)) return flags;
    switch (random_.below(3)) {
      case 0:
        flags.random = true;
        break;
      case 1:
        flags.discrete = true;
        break;
      default:
        flags.side_effect = true;
    }
    return flags;
  }

  ProgramHold some_hold(bool holdable) {
    if (dag()) return ProgramHold::producer_only;
    if (!holdable) return ProgramHold::to_last_reader;
    if (!random_.chance(options_.odd_hold)) return ProgramHold::to_last_forward_reader;
    return random_.chance(50) ? ProgramHold::to_last_reader : ProgramHold::producer_only;
  }

  ValueId add_activation(const std::string& op, std::size_t number, Bytes bytes, bool opaque) {
    const bool holdable = dag() || !opaque;
    const ValueId value = note(builder_.add_value(
        {.name = op + "/out#" + std::to_string(number), .bytes = bytes, .holdable = holdable},
        some_hold(holdable)));
    // Asked first, so that cases without this are the same as ever.
    if (holdable && options_.needed_at_end > 0 && random_.chance(options_.needed_at_end))
      builder_.set_needed_until(value, OpId::none());
    return value;
  }

  // Values that a forward op may read: those not overwritten.
  std::vector<ValueId> readable() const {
    std::vector<ValueId> values;
    for (ValueId value : seen_)
      if (!overwritten_[value]) values.push_back(value);
    return values;
  }

  void add_forward() {
    seen_.push_back(add_input("x", ValueKind::input));
    for (std::int32_t i = 0; i < size_; ++i) add_forward_op("op" + std::to_string(i));
  }

  void add_forward_op(const std::string& name) {
    ForwardOp forward;
    const std::vector<ValueId> choices = readable();
    forward.reads.push_back(choices.back());
    const ValueId other = choices[static_cast<std::size_t>(random_.below(static_cast<int>(choices.size())))];
    if (other != choices.back() && random_.chance(options_.skip)) forward.reads.push_back(other);
    if (random_.chance(options_.weight))
      weights_.push_back(forward.weight = add_input(name + "/weight", ValueKind::weight));

    const graph::OpFlags flags = some_flags();
    const ValueId old = forward.reads.front();
    std::vector<Output> outputs;
    if (made_.size() > old.at() && made_[old.at()] && random_.chance(options_.in_place)) {
      overwritten_[old] = 1;
      outputs.push_back({add_activation(name, 0, builder_.value(old).bytes, flags.opaque), old});
    } else {
      outputs.push_back({add_activation(name, 0, some_bytes(), flags.opaque)});
    }
    if (random_.chance(options_.two_outputs))
      outputs.push_back({add_activation(name, 1, some_bytes(), flags.opaque)});

    std::vector<ValueId> reads = forward.reads;
    if (forward.weight.exists()) reads.push_back(forward.weight);
    forward.op = builder_.add_op({.name = name, .kind = "op", .workspace = some_workspace(), .flags = flags},
                                 reads, outputs);
    // The main output comes last, so that the next op reads it.
    for (std::size_t k = outputs.size(); k-- > 0;) {
      forward.writes.push_back(outputs[k].value);
      seen_.push_back(outputs[k].value);
      made_.resize(outputs[k].value.at() + 1 > made_.size() ? outputs[k].value.at() + 1 : made_.size(), 0);
      made_[outputs[k].value.at()] = 1;
    }
    forward_.push_back(std::move(forward));
  }

  // Whether backward may ask for `value` in some legal plan.
  bool can_be_saved(ValueId value) const {
    if (!overwritten_[value]) return true;
    for (const ForwardOp& forward : forward_) {
      if (std::ranges::find(forward.writes, value) == forward.writes.end()) continue;
      const auto stays = [&](ValueId read) {
        const bool made = made_.size() > read.at() && made_[read.at()];
        return !made || (builder_.value(read).holdable && !overwritten_[read]);
      };
      return builder_.op(forward.op).flags.replayable() && builder_.value(value).holdable &&
             builder_.value(value).bytes > Bytes{0} && std::ranges::all_of(forward.reads, stays);
    }
    return false;
  }

  ValueId add_gradient(const std::string& name, ValueKind kind, Bytes bytes) {
    const ProgramHold held = dag() ? ProgramHold::producer_only : ProgramHold::to_last_reader;
    return note(builder_.add_value({.name = name, .kind = kind, .bytes = bytes, .holdable = dag()}, held));
  }

  void add_backward() {
    gradients_.resize(static_cast<std::size_t>(overwritten_.size()));
    for (std::size_t i = forward_.size(); i-- > 0;) add_backward_op(forward_[i]);
  }

  void add_backward_op(const ForwardOp& forward) {
    const std::string name = builder_.op(forward.op).name + ".grad";
    std::vector<ValueId> reads;
    for (ValueId value : forward.writes)
      for (ValueId gradient : gradients_[value.at()]) reads.push_back(gradient);
    for (const std::vector<ValueId>& saved : {forward.reads, forward.writes})
      for (ValueId value : saved)
        if (can_be_saved(value) && random_.chance(60)) reads.push_back(value);
    if (forward.weight.exists()) reads.push_back(forward.weight);

    std::vector<Output> writes;
    for (ValueId value : forward.reads) {
      const std::string output = name + "/out#" + std::to_string(writes.size());
      const ValueId gradient = add_gradient(output, ValueKind::temporary, builder_.value(value).bytes);
      gradients_[value.at()].push_back(gradient);
      writes.push_back({gradient});
    }
    if (forward.weight.exists()) {
      const std::string output = builder_.value(forward.weight).name + ".grad";
      const ValueId gradient =
          add_gradient(output, ValueKind::gradient, builder_.value(forward.weight).bytes);
      builder_.set_held_until(gradient, OpId::none());
      weight_gradients_.push_back(gradient);
      writes.push_back({gradient});
    }
    builder_.add_op({.name = name, .kind = "op", .phase = Phase::backward, .workspace = some_workspace()},
                    reads, writes);
  }

  void add_optimizer() {
    std::vector<ValueId> reads = weights_;
    reads.insert(reads.end(), weight_gradients_.begin(), weight_gradients_.end());
    std::vector<Output> writes;
    for (ValueId weight : weights_) {
      const graph::Value old = builder_.value(weight);
      const ValueId stepped =
          note(builder_.add_value({.name = old.name + "/stepped", .kind = old.kind, .bytes = old.bytes}));
      builder_.set_held_until(stepped, OpId::none());
      writes.push_back({stepped, weight});
    }
    builder_.add_op(
        {.name = "optimizer", .kind = "optimizer", .phase = Phase::optimizer, .flags = {.side_effect = true}},
        reads, writes);
  }

  Random random_;
  const CaseOptions& options_;
  std::int32_t size_;
  GraphBuilder builder_{"random", graph::Origin::profile};
  std::vector<ValueId> seen_;                          // the input and the activations, main outputs last
  base::IdVector<ValueId, std::uint8_t> overwritten_;  // per value
  std::vector<std::uint8_t> made_;                     // per value: an activation
  std::vector<ForwardOp> forward_;
  std::vector<std::vector<ValueId>> gradients_;  // per forward value: what its readers' backward added to it
  std::vector<ValueId> weights_, weight_gradients_;
};

// Streams that do not repeat the graph's: another seed for each part of a case.
Random stream(CaseId id, std::uint64_t part) {
  return Random(id.seed ^ (part * 0xd1342543de82ef95ULL));
}

void append_values(std::string& text, const graph::Graph& graph, std::span<const ValueId> values) {
  for (ValueId value : values) text += " " + graph.value(value).name;
}

std::string hold_of(OpId op) {
  return op.exists() ? std::to_string(op.index()) : "end";
}

}  // namespace

graph::Graph random_graph(CaseId id, const CaseOptions& options) {
  return Generator(id, options).run();
}

machine::Machine toy_machine() {
  machine::Machine machine;
  machine.name = machine.title = "toy";
  machine.kind = "gpu";
  machine.usable_bytes = base::kGiB;
  machine.memory_bandwidth = {1e9};
  machine.vector_rate = {1e9};
  return machine;
}

void add_toy_links(machine::Machine& machine, Tier upper, Tier lower) {
  machine::Link link;
  link.bandwidth = link.both_ways = {1e9};
  link.from = upper, link.to = lower;
  machine.links.push_back(link);
  link.from = lower, link.to = upper;
  machine.links.push_back(link);
  (lower == Tier::host ? machine.host_bytes : machine.disk_bytes) = base::kGiB;
}

machine::Machine random_machine(CaseId id, const CaseOptions& options) {
  Random random = stream(id, 1);
  machine::Machine machine = toy_machine();
  const Tiers tiers = options.tiers;
  if (tiers == Tiers::host || tiers == Tiers::host_and_disk) add_toy_links(machine, Tier::device, Tier::host);
  if (tiers == Tiers::disk) add_toy_links(machine, Tier::device, Tier::disk);
  if (tiers == Tiers::host_and_disk) add_toy_links(machine, Tier::host, Tier::disk);
  if (random.chance(options.slowdown)) machine.compute_slowdown = 0.25;
  for (machine::Link& link : machine.links) {
    link.bandwidth = {(random.chance(50) ? 1e9 : 2e9)};
    link.both_ways = {random.chance(options.both_ways) ? link.bandwidth.per_second / 2
                                                       : link.bandwidth.per_second};
    if (random.chance(options.latency)) link.latency = Nanoseconds{random.between(1, 3)};
  }
  return machine;
}

cost::Durations random_durations(CaseId id, const graph::Graph& graph) {
  Random random = stream(id, 2);
  cost::Durations durations;
  for (std::int32_t i = 0; i < graph.op_count(); ++i)
    durations.op.push_back(Nanoseconds{random.between(0, 12)});
  return durations;
}

Case random_case(CaseId id, const CaseOptions& options) {
  Case result{random_graph(id, options), random_machine(id, options), {}};
  result.durations = random_durations(id, result.graph);
  return result;
}

std::string describe(const graph::Graph& graph) {
  std::string text;
  for (OpId id : base::ids<OpId>(graph.op_count())) {
    const graph::Op& op = graph.op(id);
    text += (graph.is_trigger(id.index()) ? "* " : "  ") + std::to_string(id.index()) + " " + op.name + " (";
    append_values(text, graph, graph.reads(id));
    text += " ) ->";
    for (const Output& out : graph.writes(id)) {
      text += " " + graph.value(out.value).name;
      if (out.overwrites.exists()) text += "[over " + graph.value(out.overwrites).name + "]";
    }
    text += "  workspace " + std::to_string(op.workspace.count());
    text += op.flags.replayable() ? "\n" : " not replayable\n";
  }
  for (ValueId id : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(id);
    text += value.name + ": " + std::to_string(value.bytes.count()) + " bytes, held until " +
            hold_of(value.held_until) + ", needed until " + hold_of(value.needed_until);
    text += value.holdable ? "" : ", not holdable";
    text += graph.decidable(id) ? ", decidable\n" : "\n";
  }
  return text;
}

}  // namespace worktop::test
