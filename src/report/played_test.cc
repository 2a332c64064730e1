// What pictures of a played step are made of: changes of memory, columns, lifetimes, lanes.
#include <gtest/gtest.h>

#include "plan/testing.h"
#include "report/fate_shares.h"
#include "report/lanes.h"
#include "report/lifetimes.h"
#include "report/memory_over_time.h"

namespace worktop::report {
namespace {

using plan::Action;
using plan::draft::Chain;
using plan::draft::Draft;

struct Played {
  Chain chain;
  machine::Machine machine = plan::draft::toy_machine();
  cost::Durations durations;
  plan::Plan plan;
  simulator::Timeline timeline;
  std::vector<MemoryChange> changes;
};

// Each op takes 10 ns.
Played play(const std::function<Draft(const Chain&)>& draft) {
  Played played;
  for (std::int32_t i = 0; i < played.chain.graph.op_count(); ++i)
    played.durations.op.push_back(Nanoseconds{10});
  played.plan = draft(played.chain).plan();
  played.timeline = simulator::simulate(played.chain.graph, played.machine, played.durations, played.plan);
  played.changes = memory_changes(played.chain.graph, played.machine, played.plan, played.timeline);
  return played;
}

Played keep_all() {
  return play([](const Chain& chain) { return Draft(chain.graph); });
}

TEST(MemoryChanges, ReachThePeakAndNeverMore) {
  const Played played = keep_all();
  Bytes now, most;
  Nanoseconds last{0};
  for (const MemoryChange& change : played.changes) {
    EXPECT_GE(change.at, last);
    last = change.at;
    now += change.bytes;
    most = std::max(most, now);
  }
  EXPECT_EQ(most, plan::measure_memory(played.chain.graph, played.machine, played.plan).peak[0]);
}

TEST(MemoryOverTime, ThePeakIsFoundWhateverTheNumberOfColumns) {
  const Played played = keep_all();
  const Bytes peak = plan::measure_memory(played.chain.graph, played.machine, played.plan).peak[0];
  for (const std::int32_t most : {2, 3, 5, 100}) {
    const MemoryOverTime memory =
        memory_over_time(played.chain.graph, played.plan, played.changes, played.timeline.step_ns, most);
    EXPECT_LE(memory.columns.size(), static_cast<std::size_t>(most));
    EXPECT_EQ(memory.columns[memory.peak_column].device, peak);
    EXPECT_EQ(memory.peak_at, Nanoseconds{0});  // op f, the first, works in 128 bytes
    Bytes sum;
    for (const Bytes bytes : memory.peak) sum += bytes;
    EXPECT_EQ(sum, peak);
  }
}

TEST(Lifetimes, BeginWithTheProducerAndHaveNoHoles) {
  const Played played = keep_all();
  const auto all = lifetimes(played.chain.graph, played.changes, played.timeline.step_ns);
  std::int32_t alive = 0;
  for (const ValueId v : base::ids<ValueId>(played.chain.graph.value_count())) {
    if (!played.chain.graph.decidable(v)) {
      EXPECT_TRUE(all[v].empty());
      continue;
    }
    ++alive;
    ASSERT_EQ(all[v].size(), 1U);  // kept: one stay on the device
    EXPECT_EQ(all[v][0].where, Whereabouts::device);
    EXPECT_EQ(all[v][0].from, Nanoseconds{10 * played.chain.graph.value(v).producer.index()});
  }
  EXPECT_GT(alive, 0);
}

TEST(Lanes, ComputeRunsOnAfterTheOther) {
  const Played played = keep_all();
  const Lanes lanes = lanes_of(played.chain.graph, played.machine, played.timeline, 100);
  ASSERT_EQ(lanes.lanes.size(), 2U);  // no copies: compute and stalls
  EXPECT_EQ(lanes.lanes[0].spans.size(), static_cast<std::size_t>(played.chain.graph.op_count()));
  EXPECT_EQ(lanes.lanes[0].busy, Nanoseconds{10 * played.chain.graph.op_count()});
  EXPECT_EQ(lanes.end, played.timeline.step_ns);
  EXPECT_TRUE(lanes.lanes[1].spans.empty());
  ASSERT_GE(lanes.phases.size(), 2U);
  EXPECT_EQ(lanes.phases[0].from, Nanoseconds{0});
  EXPECT_EQ(lanes.phases[0].to, lanes.phases[1].from);
}

TEST(Lanes, TooManySpansAreJoinedAndNothingIsLost) {
  const Played played = keep_all();
  const std::int32_t ops = played.chain.graph.op_count();
  for (const std::int32_t most : {2, 3, 4}) {
    const Lane compute = lanes_of(played.chain.graph, played.machine, played.timeline, most).lanes[0];
    EXPECT_LE(compute.spans.size(), static_cast<std::size_t>(most));
    std::int32_t count = 0;
    for (const Span& span : compute.spans) count += span.count;
    EXPECT_EQ(count, ops);
    EXPECT_EQ(compute.spans.front().from, Nanoseconds{0});
    EXPECT_EQ(compute.spans.back().to, Nanoseconds{10 * ops});
  }
}

TEST(FateShares, SumToAllActivations) {
  const Played played = keep_all();
  const auto shares =
      fate_shares(played.chain.graph, played.durations, played.plan, Nanoseconds{0}, Nanoseconds{0});
  ASSERT_EQ(shares.size(), 1U);
  EXPECT_EQ(shares[0].fate, plan::Fate::keep);
  EXPECT_DOUBLE_EQ(shares[0].share, 1);
  EXPECT_EQ(main_fate(shares), MainFate::keep);
  const std::vector<FateShare> mixed = {{.fate = plan::Fate::recompute, .count = 1, .bytes = Bytes{4}},
                                        {.fate = plan::Fate::offload_host, .count = 1, .bytes = Bytes{1}}};
  EXPECT_EQ(main_fate(mixed), MainFate::hybrid);  // a fifth is enough
  const std::vector<FateShare> mostly = {{.fate = plan::Fate::recompute, .count = 1, .bytes = Bytes{5}},
                                         {.fate = plan::Fate::offload_host, .count = 1, .bytes = Bytes{1}}};
  EXPECT_EQ(main_fate(mostly), MainFate::recompute);
}

}  // namespace
}  // namespace worktop::report
