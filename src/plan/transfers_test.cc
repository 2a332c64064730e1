// Where the actions of a round trip are placed, by hand. Links carry one byte a nanosecond each way.
#include "plan/transfers.h"

#include <gtest/gtest.h>

#include "graph/builder.h"

namespace worktop::plan {
namespace {

using base::Nanoseconds;
using graph::GraphBuilder;
using graph::Phase;
using graph::ProgramHold;

void join(machine::Machine& machine, Tier upper, Tier lower) {
  for (const auto& [from, to] : {std::pair{upper, lower}, {lower, upper}}) {
    machine::Link link;
    link.from = from, link.to = to;
    link.bandwidth = link.both_ways = {1e9};
    machine.links.push_back(link);
  }
  (lower == Tier::host ? machine.host_bytes : machine.disk_bytes) = base::kGiB;
}
machine::Machine with_host() {
  machine::Machine machine;
  join(machine, Tier::device, Tier::host);
  return machine;
}

// Ten ops of 10 ns, forward but for the last two, so that op t starts at 10 t:
//
//   0 f: -> a (25 B)     1 g: -> b (25 B)     2 .. 7: nothing     8: reads b     9: reads a
//
// a and b are held by the executor alone.
struct Row {
  ValueId a, b;
  Graph graph;
  Pace pace;

  explicit Row(bool eager = false) {
    GraphBuilder build("row", graph::Origin::profile);
    a = build.add_value({.name = "a", .bytes = Bytes{25}, .holdable = true}, ProgramHold::producer_only);
    b = build.add_value({.name = "b", .bytes = Bytes{25}, .holdable = true}, ProgramHold::producer_only);
    build.add_op({.name = "f"}, {}, {{a}});
    build.add_op({.name = "g"}, {}, {{b}});
    for (int i = 2; i < 8; ++i)
      build.add_op({.name = "op" + std::to_string(i), .phase = i < 5 ? Phase::forward : Phase::backward}, {},
                   {});
    build.add_op({.name = "g.grad", .phase = Phase::backward}, {b}, {});
    build.add_op({.name = "f.grad", .phase = Phase::backward}, {a}, {});
    if (eager) build.set_eager_triggers();
    graph = *std::move(build).build();
    pace = Pace(graph.op_count(), Nanoseconds{10});
  }
  // Else g would be replayed in stage 8.
  [[nodiscard]] Holding with_b_held() const {
    Holding holding(graph);
    holding.hold(b, 2, 8);
    return holding;
  }
  [[nodiscard]] std::string bits(const Holding& holding, ValueId v) const {
    std::string text;
    for (std::int32_t t = 0; t < holding.boundaries(); ++t) text += holding.held(v, t) ? '1' : '.';
    return text;
  }
};

// a is used up to stage 0: the copy starts at boundary 1 (10 ns) and takes 25 ns, to 35; the first boundary
// after that is 4. It must be back at 90 ns, when stage 9 begins: the copy in starts at 65 or before, at
// boundary 6 (60 ns). So its bytes are gone from boundary 5 to 6: held up to boundary 4, where they are let
// go, and from 7 on (they arrive in stage 6).
TEST(PlaceTrips, OneTrip) {
  const Row row;
  Holding holding = row.with_b_held();
  const auto trips = place_trips(row.graph, with_host(), row.pace, {{row.a, Tier::host, 0, 9}}, holding);
  ASSERT_EQ(trips.size(), 1U);
  const Trip expected{
      .value = row.a, .tier = Tier::host, .out_at = 1, .release_at = 4, .in_at = 6, .need = 9};
  EXPECT_EQ(trips[0], expected);
  EXPECT_FALSE(trips[0].staged());
  EXPECT_EQ(row.bits(holding, row.a), ".1111..111.");
}

// One backlog a link. Out, in the order of last use: a 10..35, then b, asked for at 20, 35..60: gone at 6.
// In, backwards from the needs: a must be there at 90: 65, boundary 6; b at 80, and the link must have
// finished before a's copy begins at 65: 40, boundary 4. b would be back before it has left: it stays.
TEST(PlaceTrips, BacklogKeepsWhatWouldBeBackBeforeItHasLeft) {
  const Row row;
  Holding holding(row.graph);
  const auto trips = place_trips(row.graph, with_host(), row.pace,
                                 {{row.a, Tier::host, 0, 9}, {row.b, Tier::host, 1, 8}}, holding);
  ASSERT_EQ(trips.size(), 1U);
  EXPECT_EQ(trips[0].value, row.a);
  EXPECT_EQ(row.bits(holding, row.a), ".1111..111.");
  EXPECT_EQ(row.bits(holding, row.b), "..1111111..");
}

// A link twice as fast, 13 ns a copy (12.5, rounded up). Out: a 10..23, gone at boundary 3; b 23..36, at 4.
// In: a begins at 77 at the latest, boundary 7; b before that: 77 - 13 = 64, boundary 6.
TEST(PlaceTrips, TwoTripsInOrder) {
  const Row row;
  machine::Machine machine = with_host();
  for (machine::Link& link : machine.links) link.bandwidth = link.both_ways = {2e9};
  Holding holding(row.graph);
  const auto trips = place_trips(row.graph, machine, row.pace,
                                 {{row.b, Tier::host, 1, 8}, {row.a, Tier::host, 0, 9}}, holding);
  ASSERT_EQ(trips.size(), 2U);  // in the order of their needs
  const Trip b{.value = row.b, .tier = Tier::host, .out_at = 2, .release_at = 4, .in_at = 6, .need = 8};
  const Trip a{.value = row.a, .tier = Tier::host, .out_at = 1, .release_at = 3, .in_at = 7, .need = 9};
  EXPECT_EQ(trips[0], b);
  EXPECT_EQ(trips[1], a);
}

// Latency counts: 25 + 6 ns out, 10..41, gone at boundary 5; in from 90 - 31 = 59, boundary 5. Back at once
// is no trip.
TEST(PlaceTrips, LatencyCounts) {
  const Row row;
  machine::Machine machine = with_host();
  for (machine::Link& link : machine.links) link.latency = Nanoseconds{6};
  Holding holding = row.with_b_held();
  EXPECT_TRUE(place_trips(row.graph, machine, row.pace, {{row.a, Tier::host, 0, 9}}, holding).empty());
  EXPECT_EQ(row.bits(holding, row.a), ".111111111.");
}

// Eager triggers: after forward ops (boundaries 1 to 5), before 8 and 9, and at the end. a has left at 35 ns,
// boundary 4; it would come back at 65 ns, and the trigger before that is boundary 5.
TEST(PlaceTrips, ActionsAreAtTriggers) {
  const Row row(true);
  Holding holding = row.with_b_held();
  const auto trips = place_trips(row.graph, with_host(), row.pace, {{row.a, Tier::host, 0, 9}}, holding);
  ASSERT_EQ(trips.size(), 1U);
  EXPECT_EQ(trips[0].release_at, 4);
  EXPECT_EQ(trips[0].in_at, 5);
}

// Without a link down, or a need in the next stage, there is no trip.
TEST(PlaceTrips, NoWayNoTrip) {
  const Row row;
  Holding holding(row.graph);
  EXPECT_TRUE(
      place_trips(row.graph, machine::Machine(), row.pace, {{row.a, Tier::host, 0, 9}}, holding).empty());
  EXPECT_EQ(row.bits(holding, row.a), ".111111111.");
  Holding soon(row.graph);
  EXPECT_TRUE(place_trips(row.graph, with_host(), row.pace, {{row.a, Tier::host, 7, 8}}, soon).empty());
}

// The disk below the host, 5 ns for a's 25 B down and up (5 B a ns). Out: device to host 10..15, gone at
// boundary 2; host to disk 15..20, gone there at 2 as well. In: to the device from 85, boundary 8; to the
// host from 80, boundary 8.
TEST(PlaceTrips, DiskTripsAreStagedOnTheHost) {
  const Row row;
  machine::Machine machine = with_host();
  join(machine, Tier::host, Tier::disk);
  for (machine::Link& link : machine.links) link.bandwidth = link.both_ways = {5e9};
  Holding holding(row.graph);
  const auto trips = place_trips(row.graph, machine, row.pace, {{row.a, Tier::disk, 0, 9}}, holding);
  ASSERT_EQ(trips.size(), 1U);
  EXPECT_TRUE(trips[0].staged());
  const Trip expected{.value = row.a,
                      .tier = Tier::disk,
                      .out_at = 1,
                      .release_at = 2,
                      .host_release_at = 2,
                      .host_in_at = 8,
                      .in_at = 8,
                      .need = 9};
  EXPECT_EQ(trips[0], expected);
  EXPECT_EQ(row.bits(holding, row.a), ".11......1.");
}

// Replays make stages longer: b dropped and made again in stage 8 from nothing, 10 ns more.
TEST(PlaceTrips, StagesStartAfterTheReplaysBeforeThem) {
  const Row row;
  Holding holding(row.graph);
  holding.hold(row.a, 1, 9);
  const auto starts = stage_starts_ns(row.graph, row.pace, holding);
  EXPECT_EQ(starts.size(), 11U);
  EXPECT_EQ(starts[8], 80);
  EXPECT_EQ(starts[9], 100);
  EXPECT_EQ(starts[10], 110);
}

}  // namespace
}  // namespace worktop::plan
