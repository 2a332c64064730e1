// The simulator against those who should say the same: plan/memory on bytes, a dull twin on time; and what
// must hold of any plan.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <utility>

#include "agreement/dull_clock.h"
#include "agreement/random_plan.h"
#include "plan/memory.h"
#include "simulator/simulate.h"
#include "support/any_case.h"

namespace worktop::test {
namespace {

using base::Bytes;
using base::Nanoseconds;
using graph::OpId;
using simulator::simulate;
using simulator::Timeline;

struct Played {
  Case c;
  plan::Plan plan;
  Timeline timeline;
};

// A case of any flavour and tiers, with a random legal plan, played.
Played any_played() {
  const CaseId id = *rc::gen::resize(100, any_case(1, 7));
  CaseOptions options;
  options.flavour = *rc::gen::element(Flavour::eager, Flavour::every_boundary, Flavour::tensor_dag);
  options.tiers = *rc::gen::element(Tiers::device_only, Tiers::host, Tiers::host, Tiers::disk,
                                    Tiers::host_and_disk, Tiers::host_and_disk);
  options.slowdown = 30;
  Case c = random_case(id, options);
  std::optional<plan::Plan> plan = random_plan(c, id.seed, *rc::gen::element(5, 50, 200));
  if (!plan) RC_DISCARD("no legal plan to start from");
  Timeline timeline = simulate(c.graph, c.machine, c.durations, *plan);
  RC_TAG(timeline.copies.empty() ? "no copies" : timeline.copies.size() < 4 ? "few copies" : "many copies");
  return {std::move(c), *std::move(plan), std::move(timeline)};
}

RC_GTEST_PROP(Simulator, HoldsTheBytesThatTheMemoryProfileSays, ()) {
  const Played played = any_played();
  const plan::MemoryProfile memory = plan::measure_memory(played.c.graph, played.c.machine, played.plan);
  RC_ASSERT(played.timeline.peak == memory.peak);
  for (const simulator::Run& run : played.timeline.runs)
    if (!run.recompute) RC_ASSERT(run.device_bytes == memory.device_at_op[run.op.at()]);
}

RC_GTEST_PROP(Simulator, KeepsTheTimeOfItsDullTwin, ()) {
  const Played played = any_played();
  const Timeline ticks = play_by_ticks(played.c, played.plan);
  RC_ASSERT(played.timeline.runs.size() == ticks.runs.size());
  for (std::size_t i = 0; i < ticks.runs.size(); ++i) {
    simulator::Run run = played.timeline.runs[i];
    run.device_bytes = Bytes{0};
    RC_ASSERT(run == ticks.runs[i]);
  }
  RC_ASSERT(played.timeline.copies == ticks.copies);
  RC_ASSERT(played.timeline.micro_step_ns == ticks.micro_step_ns);
  RC_ASSERT(played.timeline.step_ns == ticks.step_ns);
}

// Late copies cost time, never bytes.
RC_GTEST_PROP(Simulator, SlowerLinksChangeNoByte, ()) {
  const Played played = any_played();
  machine::Machine slow = played.c.machine;
  const double factor = *rc::gen::element(1.5, 3.0, 50.0);
  for (machine::Link& link : slow.links) {
    link.bandwidth.per_second /= factor;
    link.both_ways.per_second /= factor;
    link.latency += Nanoseconds{*rc::gen::inRange(0, 20)};
  }
  const Timeline late = simulate(played.c.graph, slow, played.c.durations, played.plan);
  RC_ASSERT(late.peak == played.timeline.peak);
  for (std::size_t i = 0; i < late.runs.size(); ++i)
    RC_ASSERT(late.runs[i].device_bytes == played.timeline.runs[i].device_bytes);
}

// A step takes at least its runs; without copies it takes just them.
RC_GTEST_PROP(Simulator, AStepIsItsRunsAndItsWaits, ()) {
  const Played played = any_played();
  const std::int32_t micro_steps = played.c.graph.micro_steps();
  Nanoseconds least{0};
  Nanoseconds recompute{0};
  bool in_optimizer = false;
  for (const simulator::Run& run : played.timeline.runs) {
    if (!run.recompute && played.c.graph.op(run.op).phase == graph::Phase::optimizer) in_optimizer = true;
    const Nanoseconds ns = played.c.durations[run.op] * (in_optimizer ? 1 : micro_steps);
    least += ns;
    if (run.recompute) recompute += ns;
  }
  RC_ASSERT(played.timeline.step_ns >= least);
  RC_ASSERT(played.timeline.recompute_ns >= recompute);
  if (!played.timeline.copies.empty()) return;
  RC_ASSERT(played.timeline.step_ns == least);
  RC_ASSERT(played.timeline.recompute_ns == recompute);
  RC_ASSERT(played.timeline.stalled_ns == Nanoseconds{0});
}

RC_GTEST_PROP(Simulator, SaysTheSameTwice, ()) {
  const Played played = any_played();
  RC_ASSERT(simulate(played.c.graph, played.c.machine, played.c.durations, played.plan) == played.timeline);
}

}  // namespace
}  // namespace worktop::test
