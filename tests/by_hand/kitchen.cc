#include "by_hand/kitchen.h"

#include <gtest/gtest.h>

#include <utility>

#include "plan/legal.h"

namespace worktop::by_hand {
namespace {

constexpr std::array<const char*, 4> kLinkNames{"out", "in", "disk_out", "disk_in"};

std::string span(Nanoseconds start, Nanoseconds end) {
  return std::to_string(start.count()) + "-" + std::to_string(end.count());
}

std::string name_of(const graph::Graph& graph, const simulator::Copy& copy) {
  return graph.value(copy.value).name + " " + kLinkNames[copy.link.at()];
}

Played tell(const graph::Graph& graph, const simulator::Timeline& timeline) {
  Played played;
  for (const simulator::Run& run : timeline.runs)
    played.runs.push_back(graph.op(run.op).name + (run.recompute ? " again " : " ") +
                          span(run.start, run.end) + " " + std::to_string(run.device_bytes.count()) + "B");
  for (const simulator::Copy& copy : timeline.copies)
    played.copies.push_back(
        name_of(graph, copy) + " " + span(copy.start, copy.end) +
        (copy.issued == copy.start ? "" : " issued " + std::to_string(copy.issued.count())));
  for (const simulator::Stall& stall : timeline.stalls)
    played.stalls.push_back((stall.before.exists() ? graph.op(stall.before).name + " " : "") + "waits " +
                            span(stall.start, stall.end) + " for " +
                            name_of(graph, timeline.copies[static_cast<std::size_t>(stall.copy)]));
  for (std::size_t tier = 0; tier < played.peak.size(); ++tier)
    played.peak[tier] = timeline.peak[tier].count();
  played.step = timeline.step_ns.count();
  played.micro_step = timeline.micro_step_ns.count();
  played.recomputing = timeline.recompute_ns.count();
  played.links_busy = timeline.link_busy_ns.count();
  played.stalled = timeline.stalled_ns.count();
  return played;
}

// What the actions make of each value: where it comes back from.
void set_fates(const graph::Graph& graph, plan::Plan& plan) {
  plan.fates = base::IdVector<ValueId, plan::Fate>(graph.value_count(), plan::Fate::keep);
  base::IdVector<ValueId, bool> let_go(graph.value_count(), false);
  for (plan::Boundary t{0}; t.index() <= graph.op_count(); ++t) {
    for (const Action& action : plan.actions[t]) {
      const bool off_device = action.tier == Tier::device;
      if ((action.kind == plan::ActionKind::drop && off_device) || action.kind == plan::ActionKind::release)
        let_go[action.value] = true;
      if (action.kind == plan::ActionKind::recompute)
        for (const Output& output : graph.writes(action.op))
          if (let_go[output.value] || graph.overwritten_by(output.value).exists())
            plan.fates[output.value] = plan::Fate::recompute;
      if (action.kind == plan::ActionKind::copy_in && action.link == kDiskIn)
        plan.fates[action.value] = plan::Fate::offload_disk;
      if (action.kind == plan::ActionKind::copy_in && action.link == kIn &&
          plan.fates[action.value] != plan::Fate::offload_disk)
        plan.fates[action.value] = plan::Fate::offload_host;
    }
  }
}

}  // namespace

Kitchen::Kitchen() {
  machine.name = "toy";
  const machine::BytesPerSecond one_byte_per_ns{1e9};
  for (auto [from, to] : {std::pair{Tier::device, Tier::host}, std::pair{Tier::host, Tier::device},
                          std::pair{Tier::host, Tier::disk}, std::pair{Tier::disk, Tier::host}})
    machine.links.push_back(
        {.from = from, .to = to, .bandwidth = one_byte_per_ns, .both_ways = one_byte_per_ns});
  machine.host_bytes = base::kGiB;
  machine.disk_bytes = base::kGiB;
}

ValueId Kitchen::input(std::string name, std::int64_t bytes) {
  return builder.add_value({.name = std::move(name), .kind = graph::ValueKind::input, .bytes = Bytes{bytes}});
}

ValueId Kitchen::value(std::string name, std::int64_t bytes) {
  return builder.add_value({.name = std::move(name), .bytes = Bytes{bytes}, .holdable = true},
                           graph::ProgramHold::producer_only);
}

ValueId Kitchen::temporary(std::string name, std::int64_t bytes) {
  return builder.add_value(
      {.name = std::move(name), .kind = graph::ValueKind::temporary, .bytes = Bytes{bytes}});
}

OpId Kitchen::op(std::string name, std::int64_t ns, std::vector<ValueId> reads, std::vector<Output> writes,
                 More more) {
  durations_.op.push_back(Nanoseconds{ns});
  return builder.add_op({.name = std::move(name), .phase = more.phase, .workspace = Bytes{more.workspace}},
                        reads, writes);
}

void Kitchen::at(OpId op, std::vector<Action> actions) {
  if (actions_.size() <= op.at()) actions_.resize(op.at() + 1);
  actions_[op.at()] = std::move(actions);
}

void Kitchen::at_end(std::vector<Action> actions) {
  at_end_ = std::move(actions);
}

void Kitchen::set_bandwidth(LinkId link, double bytes_per_ns) {
  machine.links[link].bandwidth = machine.links[link].both_ways = {bytes_per_ns * 1e9};
}

void Kitchen::set_both_ways(double share) {
  for (machine::Link& link : machine.links) link.both_ways = {link.bandwidth.per_second * share};
}

plan::Plan Kitchen::make_plan(const graph::Graph& graph) const {
  plan::Plan plan{.made_by = "hand", .graph = graph.hash()};
  for (OpId op{0}; op.index() < graph.op_count(); ++op)
    plan.actions.push_row(op.at() < actions_.size() ? actions_[op.at()] : std::vector<Action>{});
  plan.actions.push_row(at_end_);
  set_fates(graph, plan);
  return plan;
}

Played Kitchen::play() const {
  base::Result<graph::Graph> graph = graph::GraphBuilder(builder).build();
  if (!graph) {
    ADD_FAILURE() << graph.error().what << " (" << graph.error().where << ")";
    return {};
  }
  const plan::Plan plan = make_plan(*graph);
  if (const base::Status status = plan::legal(*graph, machine, plan); !status)
    ADD_FAILURE() << status.error().what << " (" << status.error().where << ")";
  return tell(*graph, simulator::simulate(*graph, machine, durations_, plan));
}

}  // namespace worktop::by_hand
