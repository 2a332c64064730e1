#include "advisor/kitchen.h"

#include <algorithm>

#include "graph/builder.h"
#include "plan/lower.h"
#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using base::ErrorCode;
using base::fail;
using base::ids;
using graph::GraphBuilder;
using graph::OpId;
using graph::Phase;
using graph::ValueId;
using graph::ValueKind;
using machine::Tier;

constexpr Bytes kStore{std::int64_t{1} << 52};
constexpr double kGbInBytes = 1e9;
constexpr double kDiskShare = 0.1;

// Rounded to the nearest; within the range that readers accept.
std::int64_t whole(double amount) {
  return static_cast<std::int64_t>(std::clamp(amount, 0.0, Bytes::largest().as_double()) + 0.5);
}

void add_links(machine::Machine& machine, Tier from, Tier to, double bytes_per_s) {
  for (const bool out : {true, false}) {
    machine::Link link;
    link.from = out ? from : to;
    link.to = out ? to : from;
    link.bandwidth = link.both_ways = base::BytesPerSecond{bytes_per_s};
    machine.links.push_back(std::move(link));
  }
}

machine::Machine machine_of(const Corridor& corridor, Bytes worktop) {
  machine::Machine machine;
  machine.name = machine.title = "kitchen";
  machine.kind = "kitchen";
  machine.usable_bytes = worktop;
  machine.memory_bandwidth = base::BytesPerSecond{1e12};
  machine.vector_rate = base::FlopsPerSecond{1e12};
  const double bytes_per_s = corridor.gb_per_s * kGbInBytes;
  add_links(machine, Tier::device, Tier::host, bytes_per_s);
  if (corridor.host || corridor.disk) machine.host_bytes = kStore;
  if (corridor.disk) {
    add_links(machine, Tier::host, Tier::disk, bytes_per_s * kDiskShare);
    machine.disk_bytes = kStore;
  }
  return machine;
}

struct Made {
  GraphBuilder builder;
  cost::Durations durations;
  void add(graph::Op op, Nanoseconds ns, std::span<const ValueId> reads,
           std::span<const graph::Output> writes) {
    builder.add_op(std::move(op), reads, writes);
    durations.op.push_back(ns);
  }
};

base::Result<Subject> build(std::string name, std::span<const Dish> dishes, Bytes base,
                            const Corridor& corridor, bool each_from_the_one_before) {
  Made made{GraphBuilder(std::move(name), graph::Origin::trace), {}};
  const ValueId store = made.builder.add_value({.name = "base", .kind = ValueKind::weight, .bytes = base});
  std::vector<ValueId> plates;
  std::vector<graph::BlockId> blocks;
  Bytes all = base;
  for (const Dish& dish : dishes) {
    all = saturating_add(all, dish.bytes);
    blocks.push_back(made.builder.add_block(dish.name, "dish"));
    const ValueId plate =
        made.builder.add_value({.name = dish.name + "/plate", .bytes = dish.bytes, .holdable = true},
                               graph::ProgramHold::producer_only);
    std::vector<ValueId> reads = {store};
    if (each_from_the_one_before && !plates.empty()) reads.push_back(plates.back());
    const graph::Output out{plate};
    made.add({.name = dish.name + "/cook", .kind = "cook", .phase = Phase::forward, .block = blocks.back()},
             dish.cook, reads, {&out, 1});
    plates.push_back(plate);
  }
  for (std::size_t i = dishes.size(); i-- > 0;) {
    const ValueId reads[] = {store, plates[i]};
    made.add(
        {.name = dishes[i].name + "/taste", .kind = "taste", .phase = Phase::backward, .block = blocks[i]},
        dishes[i].taste, reads, {});
  }
  WORKTOP_TRY(graph::Graph graph, std::move(made.builder).build());
  const Bytes worktop = std::min(Bytes::largest(), saturating_add(all, all));
  return subject(std::move(graph), std::move(made.durations), machine_of(corridor, worktop));
}

base::Status check(const Corridor& corridor) {
  if (corridor.gb_per_s >= cost::kLeastQuantity && corridor.gb_per_s <= cost::kLargestQuantity) return {};
  return fail(ErrorCode::usage, "the bandwidth is out of range", "bandwidth",
              "use a positive rate of at most 1e12 GB/s, such as 50GB/s");
}

}  // namespace

base::Result<Subject> kitchen(const cost::Kitchen& kitchen, const Corridor& corridor) {
  if (auto checked = cost::make_ledger({.kitchen = kitchen}); !checked)
    return std::unexpected(std::move(checked).error());
  WORKTOP_CHECK(check(corridor));
  if (kitchen.layers > kMostLayersPlayed)
    return fail(ErrorCode::usage, std::to_string(kitchen.layers) + " layers are too many to be played",
                "layers", "use at most " + std::to_string(kMostLayersPlayed) + "; the ledger takes more");
  const auto layers = static_cast<double>(kitchen.layers);
  const Nanoseconds cook{whole(kitchen.forward_s * 1e9 / layers)};
  std::vector<Dish> dishes;
  for (std::int64_t i = 0; i < kitchen.layers; ++i)
    dishes.push_back({.name = "layers." + std::to_string(i),
                      .bytes = Bytes{whole(kitchen.activation_gb * kGbInBytes)},
                      .cook = cook,
                      .taste = cook * 2});
  return build("kitchen", dishes, Bytes{whole(kitchen.base_gb * kGbInBytes)}, corridor, true);
}

base::Result<Subject> mixed_kitchen(std::span<const Dish> dishes, Bytes base, const Corridor& corridor) {
  WORKTOP_CHECK(check(corridor));
  return build("mixed-kitchen", dishes, base, corridor, false);
}

std::vector<Dish> dishes_of(const graph::Graph& graph, const cost::Durations& durations) {
  std::vector<Dish> dishes;
  for (const OpId op : ids<OpId>(graph.op_count())) {
    if (graph.op(op).phase != Phase::forward || graph.writes(op).size() != 1) continue;
    const ValueId plate = graph.writes(op)[0].value;
    const graph::BlockId block = graph.op(op).block;
    Dish dish{.name = block.exists() ? graph.block(block).name : graph.op(op).name,
              .bytes = graph.value(plate).bytes,
              .cook = durations[op]};
    for (const OpId reader : graph.readers(plate))
      if (graph.op(reader).phase == Phase::backward) dish.taste += durations[reader];
    dishes.push_back(std::move(dish));
  }
  return dishes;
}

base::Result<KeepAll> keep_all_of(const Subject& subject) {
  WORKTOP_TRY(const plan::Plan plan,
              plan::lower(subject.graph, subject.machine, solver::keep_all(), subject.durations.op));
  const plan::MemoryProfile memory = plan::measure_memory(subject.graph, subject.machine, plan);
  const simulator::Timeline timeline =
      simulator::simulate(subject.graph, subject.machine, subject.durations, plan);
  return KeepAll{
      .peak = memory.peak[0], .activations = memory.residents.activations, .step_ns = timeline.step_ns};
}

cost::Kitchen derived_kitchen(const Subject& subject, Bytes keep_all_peak, Bytes keep_all_activations) {
  const machine::LinkId out = subject.machine.link(Tier::device, Tier::host);
  const double bandwidth = out.exists() ? subject.machine.links[out].bandwidth.per_second / kGbInBytes : 0;
  const std::int64_t layers = solver::layer_count(subject.graph);
  const Bytes activations = std::max(Bytes{1}, keep_all_activations);
  const Nanoseconds forward = report::forward_time(subject.graph, subject.durations);
  return {.layers = layers,
          .activation_gb = ratio(activations, base::kGB) / static_cast<double>(layers),
          .base_gb = ratio(std::max(Bytes{0}, keep_all_peak - activations), base::kGB),
          .forward_s = ratio(std::max(Nanoseconds{1}, forward), base::kSecond),
          .bandwidth_gb_per_s = std::max(bandwidth, cost::kLeastQuantity)};
}

}  // namespace worktop::advisor
