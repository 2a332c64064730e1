// Which bits each fate means, by hand. A row of bits has one place a boundary: '1' where the executor holds
// the value into that stage.
#include "plan/hold.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::plan {
namespace {

using namespace draft;

class Fates {
 public:
  explicit Fates(const Graph& graph) : graph_(graph), fates_(graph.value_count(), Fate::keep) {}
  Fates& set(ValueId v, Fate fate) {
    fates_[v] = fate;
    return *this;
  }
  [[nodiscard]] Held hold(Replay replay = Replay::hold) const { return plan::hold(graph_, fates_, replay); }

 private:
  const Graph& graph_;
  base::IdVector<ValueId, Fate> fates_;
};

std::string bits(const Held& held, ValueId v) {
  std::string text;
  for (std::int32_t t = 0; t < held.holding.boundaries(); ++t) text += held.holding.held(v, t) ? '1' : '.';
  return text;
}

// plan/testing.h, Chain:
//   0 f: x -> a   1 g: a -> b   2 h: b -> c   3 h.grad: b c -> db   4 g.grad: a db -> da   5 f.grad: x da ->
//   dw
TEST(Hold, KeepHoldsToTheLastReader) {
  const Chain chain;
  const Held held = Fates(chain.graph).hold();
  EXPECT_EQ(bits(held, chain.a), ".1111..");  // made by 0, read by 1 and 4
  EXPECT_EQ(bits(held, chain.b), "..11...");  // made by 1, read by 2 and 3
  EXPECT_EQ(bits(held, chain.c), "...1...");  // made by 2, read by 3
  EXPECT_EQ(bits(held, chain.x), ".......");  // nobody but the program holds inputs
  EXPECT_TRUE(held.trips.empty());
}

// b is let go after h and made again in stage 3, from a, which is there. It is not wanted after that.
TEST(Hold, RecomputeLetsGoAfterTheLastForwardReader) {
  const Chain chain;
  const Held held = Fates(chain.graph).set(chain.b, Fate::recompute).hold();
  EXPECT_EQ(bits(held, chain.b), "..1....");
  EXPECT_EQ(bits(held, chain.a), ".1111..");
}

// a and b: the replay of g in stage 3 needs a, so f is replayed there too; a then stays for g.grad. With
// `redo` it goes at once, and f runs again in stage 4.
TEST(Hold, ReplaysNeedTheirInputs) {
  const Chain chain;
  const Fates fates = Fates(chain.graph).set(chain.a, Fate::recompute).set(chain.b, Fate::recompute);
  const Held held = fates.hold();
  EXPECT_EQ(bits(held, chain.b), "..1....");
  EXPECT_EQ(bits(held, chain.a), ".1..1..");
  EXPECT_EQ(bits(fates.hold(Replay::redo), chain.a), ".1.....");
  EXPECT_EQ(bits(fates.hold(Replay::redo), chain.b), "..1....");
}

// A kept value that only a replay wants is kept for that: with b recomputed and g.grad not reading a, a would
// be wanted in stage 3 and no longer.
TEST(Hold, KeepServesReplays) {
  GraphBuilder build("replay", Origin::trace);
  const auto forward = ProgramHold::to_last_forward_reader;
  const ValueId a = build.add_value({.name = "a", .bytes = Bytes{1}, .holdable = true}, forward);
  const ValueId b = build.add_value({.name = "b", .bytes = Bytes{1}, .holdable = true}, forward);
  build.add_op({.name = "f", .flags = {.random = true}}, {}, {{a}});
  build.add_op({.name = "g"}, {a}, {{b}});
  build.add_op({.name = "h"}, {b}, {});
  build.add_op({.name = "loss", .phase = Phase::backward}, {}, {});
  build.add_op({.name = "g.grad", .phase = Phase::backward}, {b}, {});
  const Graph graph = built(std::move(build));
  EXPECT_EQ(bits(Fates(graph).hold(), a), ".1....");
  const Held held = Fates(graph).set(b, Fate::recompute).hold();
  EXPECT_EQ(bits(held, b), "..1...");
  EXPECT_EQ(bits(held, a), ".1111.");
  // a is random, it can't be made again: asked to recompute it, it is kept all the same.
  EXPECT_EQ(bits(Fates(graph).set(a, Fate::recompute).set(b, Fate::recompute).hold(), a), ".1111.");
}

// Traces say how long a value is wanted though nobody reads it: a through op 3, so to boundary 4; b to the
// end. Asked to recompute b, hold keeps it: what it is made from may be gone by then.
TEST(Hold, KeepHoldsWhatIsWantedWithoutAReader) {
  GraphBuilder build("wanted", Origin::trace);
  const ValueId a =
      build.add_value({.name = "a", .bytes = Bytes{1}, .holdable = true}, ProgramHold::producer_only);
  const ValueId b =
      build.add_value({.name = "b", .bytes = Bytes{1}, .holdable = true}, ProgramHold::producer_only);
  build.add_op({.name = "f"}, {}, {{a}});
  build.add_op({.name = "g"}, {a}, {{b}});
  for (const char* name : {"h", "i", "j"}) build.add_op({.name = name, .phase = Phase::backward}, {}, {});
  build.set_needed_until(a, OpId{3});
  build.set_needed_until(b, OpId::none());
  const Graph graph = built(std::move(build));
  EXPECT_EQ(bits(Fates(graph).hold(), a), ".1111.");
  EXPECT_EQ(bits(Fates(graph).hold(), b), "..1111");
  EXPECT_EQ(bits(Fates(graph).set(b, Fate::recompute).hold(), b), "..1111");
  const Held away = Fates(graph).set(b, Fate::offload_host).hold();
  const std::vector<TripRequest> expected = {{.value = b, .tier = Tier::host, .after = 1, .need = 5}};
  EXPECT_EQ(away.trips, expected);
}

// a is away between its last use in forward, stage 1, and its first need, stage 4.
TEST(Hold, OffloadAsksForATrip) {
  const Chain chain;
  const Held held = Fates(chain.graph).set(chain.a, Fate::offload_host).hold();
  const std::vector<TripRequest> expected = {{.value = chain.a, .tier = Tier::host, .after = 1, .need = 4}};
  EXPECT_EQ(held.trips, expected);
  EXPECT_EQ(bits(held, chain.a), ".1.....");  // place_trips adds the bits on the way
  // A replay of g in stage 3 wants a sooner, and g.grad still later.
  const Held sooner =
      Fates(chain.graph).set(chain.a, Fate::offload_disk).set(chain.b, Fate::recompute).hold();
  const std::vector<TripRequest> expected_sooner = {
      {.value = chain.a, .tier = Tier::disk, .after = 1, .need = 3}};
  EXPECT_EQ(sooner.trips, expected_sooner);
  EXPECT_EQ(bits(sooner, chain.a), ".1..1..");
}

// What the next op reads can't be let go of before: c is read by op 3, right after it was made.
TEST(Hold, WhatTheNextOpReadsStays) {
  const Chain chain;
  const Held held = Fates(chain.graph).set(chain.c, Fate::recompute).hold();
  EXPECT_EQ(bits(held, chain.c), "...1...");
  EXPECT_TRUE(Fates(chain.graph).set(chain.c, Fate::offload_host).hold().trips.empty());
}

// plan/testing.h, InPlace: s is overwritten by relu_ (op 1) and not read later; f made a and s. With a
// recomputed in stage 4, f's other output is no one's need.
TEST(Hold, OverwrittenValuesEndWithTheirOverwriter) {
  const InPlace step;
  const Held held = Fates(step.graph).hold();
  EXPECT_EQ(bits(held, step.s), ".1....");
  EXPECT_EQ(bits(held, step.a), ".1111.");  // read by f.grad, op 4
  const Held recomputed = Fates(step.graph).set(step.a, Fate::recompute).hold();
  EXPECT_EQ(bits(recomputed, step.a), "......");  // no reader in forward
  EXPECT_EQ(bits(recomputed, step.s), ".1....");
}

// s is overwritten in place by op 1 and read again by op 3: nobody can hold it till then. Whatever its fate
// says, f makes it again in stage 3.
TEST(Hold, LostValuesAreRecomputed) {
  GraphBuilder build("lost", Origin::trace);
  const auto forward = ProgramHold::to_last_forward_reader;
  const ValueId s = build.add_value({.name = "s", .bytes = Bytes{4}, .holdable = true}, forward);
  const ValueId t = build.add_value({.name = "t", .bytes = Bytes{4}, .holdable = true}, forward);
  build.add_op({.name = "f"}, {}, {{s}});
  build.add_op({.name = "relu_"}, {s}, {{.value = t, .overwrites = s}});
  build.add_op({.name = "loss"}, {t}, {});
  build.add_op({.name = "relu.grad", .phase = Phase::backward}, {s}, {});
  const Graph graph = built(std::move(build));
  for (const Fate fate : {Fate::keep, Fate::recompute, Fate::offload_host}) {
    const Held held = Fates(graph).set(s, fate).hold();
    EXPECT_EQ(bits(held, s), ".1...") << name_of(fate);
    EXPECT_TRUE(held.trips.empty()) << name_of(fate);
  }
}

}  // namespace
}  // namespace worktop::plan
