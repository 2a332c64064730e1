#include "solver/exhaustive.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/builder.h"
#include "plan/legal.h"
#include "plan/memory.h"
#include "simulator/simulate.h"
#include "support/random_graph.h"

namespace worktop::solver {
namespace {

using base::Nanoseconds;
using graph::GraphBuilder;
using graph::Origin;
using graph::Phase;
using graph::ProgramHold;
using test::CaseOptions;
using test::Flavour;
using test::Tiers;

cost::Durations lasting(std::initializer_list<std::int64_t> ns) {
  cost::Durations durations;
  for (std::int64_t n : ns) durations.op.push_back(Nanoseconds{n});
  return durations;
}

plan::Budgets device_budget(std::int64_t bytes) {
  plan::Budgets budgets;
  budgets.device = Bytes{bytes};
  return budgets;
}

// A chain of two forward ops whose values a and b come back in reverse order:
//
//   op     0 f         1 g         2 h           3 g.grad    4 f.grad
//   reads  x           a           b             b           a
//   makes  a (4 B)     b (4 B)     c (6 B)       -           -
//   ns     5           7           1             1           1
//
// x (2 B) is there throughout. c belongs to the program alone and goes with op 2; a and b are the executor's.
struct Chain {
  graph::Graph graph;
  ValueId a, b;
  cost::Durations durations = lasting({5, 7, 1, 1, 1});
  static Chain make() {
    GraphBuilder build("chain", Origin::profile);
    const ValueId x = build.add_value({.name = "x", .bytes = Bytes{2}});
    const ValueId a = build.add_value({.name = "a", .bytes = Bytes{4}, .holdable = true},
                                      ProgramHold::to_last_forward_reader);
    const ValueId b = build.add_value({.name = "b", .bytes = Bytes{4}, .holdable = true},
                                      ProgramHold::to_last_forward_reader);
    const ValueId c = build.add_value({.name = "c", .bytes = Bytes{6}});
    build.add_op({.name = "f"}, {x}, {{a}});
    build.add_op({.name = "g"}, {a}, {{b}});
    build.add_op({.name = "h"}, {b}, {{c}});
    build.add_op({.name = "g.grad", .phase = Phase::backward}, {b}, {});
    build.add_op({.name = "f.grad", .phase = Phase::backward}, {a}, {});
    return {*std::move(build).build(), a, b};
  }
};

// Keep all: at op h x, a, b, c are there: 2 + 4 + 4 + 6 = 16; nothing is recomputed: 15 ns.
TEST(Exhaustive, KeepsAllWhereItFits) {
  const Chain chain = Chain::make();
  const machine::Machine machine = test::toy_machine();
  const auto answer = exhaustive(chain.graph, machine, chain.durations, device_budget(16));
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.step_ns, Nanoseconds{15});
}

// Below 16, a cannot be there at op h. The least is 12: at h, x, b and c must be (2 + 4 + 6). With a dropped
// and b kept, 12 are enough: f again before f.grad needs x, a and b at most. So one f more: 15 + 5 = 20 ns.
TEST(Exhaustive, RecomputesWhatIsCheapest) {
  const Chain chain = Chain::make();
  const machine::Machine machine = test::toy_machine();
  for (std::int64_t budget : {15, 12}) {
    const auto answer = exhaustive(chain.graph, machine, chain.durations, device_budget(budget));
    ASSERT_TRUE(answer.best.has_value());
    EXPECT_EQ(answer.step_ns, Nanoseconds{20});
    EXPECT_EQ(answer.least_peak_possible, Bytes{12});
    EXPECT_EQ(answer.best->fates[chain.a], plan::Fate::recompute);
    EXPECT_EQ(answer.best->fates[chain.b], plan::Fate::keep);
  }
}

TEST(Exhaustive, NamesTheLeastPeakWhereNothingFits) {
  const Chain chain = Chain::make();
  const machine::Machine machine = test::toy_machine();
  const auto answer = exhaustive(chain.graph, machine, chain.durations, device_budget(11));
  EXPECT_FALSE(answer.best.has_value());
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.least_peak_possible, Bytes{12});
  ASSERT_TRUE(answer.lean.has_value());
  EXPECT_TRUE(plan::legal(chain.graph, machine, *answer.lean).has_value());
  EXPECT_EQ(plan::measure_memory(chain.graph, machine, *answer.lean).peak[0], Bytes{12});
}

// The same chain on a machine of one byte per nanosecond each way; budget 12, so a must be away at op h.
//
//   compute  |f 5  |g 7    |h 1|g.grad 1|f.grad 1|
//   out            |a 4|                              a is written at 5, may be copied from boundary 1 on
//   in                         |a 4     |
//
// a leaves at boundary 1 (5..9), before g ends at 12, so its release at boundary 2 waits for nothing. h runs
// 12..13 with x, b, c. a may come back as soon as c is gone, at boundary 3: 13..17; g.grad runs 13..14 with
// x, b and a. f.grad waits until 17 and ends at 18. Recomputing f costs 20.
TEST(Exhaustive, OffloadsWhatIsFasterThanRecompute) {
  const Chain chain = Chain::make();
  machine::Machine machine = test::toy_machine();
  test::add_toy_links(machine, Tier::device, Tier::host);
  const auto answer = exhaustive(chain.graph, machine, chain.durations, device_budget(12));
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.step_ns, Nanoseconds{18});
  EXPECT_EQ(answer.best->fates[chain.a], plan::Fate::offload_host);
  EXPECT_EQ(answer.best->fates[chain.b], plan::Fate::keep);

  // Without room on the host there is only the recompute.
  plan::Budgets no_host = device_budget(12);
  no_host.host = Bytes{3};
  EXPECT_EQ(exhaustive(chain.graph, machine, chain.durations, no_host).step_ns, Nanoseconds{20});
}

// A copy needs nothing else to be there: with it the peak can be lower than with recomputes. Here f needs w,
// which the program gives up after f, so that a cannot be made again where p (8 B) is:
//
//   op     0 f       1 p_op     2 use
//   reads  w         -          a
//   makes  a (4 B)   p (8 B)    -
//
// a kept: 4 + 8 = 12 at p_op. a on the host meanwhile: 8 at p_op; f itself had w and a: 3 + 4 = 7.
TEST(Exhaustive, LeastPeakCountsCopies) {
  GraphBuilder build("copy", Origin::profile);
  const ValueId w = build.add_value({.name = "w", .bytes = Bytes{3}});
  const ValueId a =
      build.add_value({.name = "a", .bytes = Bytes{4}, .holdable = true}, ProgramHold::producer_only);
  const ValueId p = build.add_value({.name = "p", .bytes = Bytes{8}});
  const OpId f = build.add_op({.name = "f"}, {w}, {{a}});
  build.add_op({.name = "p_op"}, {}, {{p}});
  build.add_op({.name = "use", .phase = Phase::backward}, {a}, {});
  build.set_held_until(w, f);
  const graph::Graph graph = *std::move(build).build();
  machine::Machine machine = test::toy_machine();
  EXPECT_EQ(exhaustive(graph, machine, lasting({1, 1, 1}), {}).least_peak_possible, Bytes{12});
  test::add_toy_links(machine, Tier::device, Tier::host);
  const auto answer = exhaustive(graph, machine, lasting({1, 1, 1}), device_budget(8));
  EXPECT_EQ(answer.least_peak_possible, Bytes{8});
  // f 0..1; a out 1..5, the release waits; p_op 5..6; a in 6..10; use 10..11.
  EXPECT_EQ(answer.step_ns, Nanoseconds{11});
}

// f writes u and v (1 B each, 2 ns); k needs 9 B for itself, so u and v are made again for their readers. One
// recompute brings both: 2 ns more, not 4.
//
//   op     0 f       1 k              2 use_v   3 use_u
//   reads  x         -                v         u
//   makes  u, v      workspace 9 B
//
// x 1 B. At k: 1 + 9 = 10 with both gone. Budget 10.
TEST(Exhaustive, OneRecomputeBringsAllOutputs) {
  GraphBuilder build("two", Origin::profile);
  const ValueId x = build.add_value({.name = "x", .bytes = Bytes{1}});
  const ValueId u =
      build.add_value({.name = "u", .bytes = Bytes{1}, .holdable = true}, ProgramHold::producer_only);
  const ValueId v =
      build.add_value({.name = "v", .bytes = Bytes{1}, .holdable = true}, ProgramHold::producer_only);
  build.add_op({.name = "f"}, {x}, {{u}, {v}});
  build.add_op({.name = "k", .workspace = Bytes{9}}, {}, {});
  build.add_op({.name = "use_v", .phase = Phase::backward}, {v}, {});
  build.add_op({.name = "use_u", .phase = Phase::backward}, {u}, {});
  build.set_micro_steps(3);
  const graph::Graph graph = *std::move(build).build();
  const machine::Machine machine = test::toy_machine();
  const auto answer = exhaustive(graph, machine, lasting({2, 1, 1, 1}), device_budget(10));
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_EQ(answer.step_ns, Nanoseconds{3 * (5 + 2)});
}

TEST(Exhaustive, SaysWhereItStopped) {
  const Chain chain = Chain::make();
  const auto answer = exhaustive(chain.graph, test::toy_machine(), chain.durations, device_budget(12),
                                 {.states = 2, .copies = {}});
  EXPECT_FALSE(answer.complete);
}

// --- the two ways of searching agree, and what they find is what they say

void expect_sound(const test::Case& c, const plan::Budgets& budgets, const ExhaustiveAnswer& answer) {
  if (answer.lean) {
    const base::Status legal = plan::legal(c.graph, c.machine, *answer.lean);
    EXPECT_TRUE(legal.has_value()) << legal.error().what << " at " << legal.error().where;
    EXPECT_EQ(plan::measure_memory(c.graph, c.machine, *answer.lean).peak[0], answer.least_peak_possible);
  }
  if (!answer.best) return;
  const base::Status legal = plan::legal(c.graph, c.machine, *answer.best);
  EXPECT_TRUE(legal.has_value()) << legal.error().what << " at " << legal.error().where;
  const plan::MemoryProfile memory = plan::measure_memory(c.graph, c.machine, *answer.best);
  EXPECT_TRUE(plan::fits(c.graph, memory, budgets).has_value());
  EXPECT_GE(memory.peak[0], answer.least_peak_possible);
  EXPECT_EQ(simulator::simulate(c.graph, c.machine, c.durations, *answer.best).step_ns, answer.step_ns);
}

std::int32_t most_recomputes(const graph::Graph& graph, const plan::Plan& plan) {
  base::IdVector<OpId, std::int32_t> counts(graph.op_count(), 0);
  std::int32_t most = 0;
  for (plan::Boundary t : base::ids<plan::Boundary>(graph.op_count() + 1))
    for (const plan::Action& action : plan.actions[t])
      if (action.kind == plan::ActionKind::recompute) most = std::max(most, ++counts[action.op]);
  return most;
}

// Budgets at the least peak, at the peak of the fastest plan of all, and between.
void agree(test::CaseId id, const CaseOptions& options) {
  SCOPED_TRACE("seed " + std::to_string(id.seed) + " size " + std::to_string(id.size));
  const test::Case c = test::random_case(id, options);
  SCOPED_TRACE(test::describe(c.graph));
  const ExhaustiveAnswer free = exhaustive(c.graph, c.machine, c.durations, {});
  ASSERT_TRUE(free.complete);
  ASSERT_TRUE(free.best.has_value());
  expect_sound(c, {}, free);
  const std::int64_t least = free.least_peak_possible.count();
  const std::int64_t most = plan::measure_memory(c.graph, c.machine, *free.best).peak[0].count();
  for (std::int64_t bytes : {least - 1, least, (least + most) / 2}) {
    const plan::Budgets budgets = device_budget(bytes);
    const ExhaustiveAnswer paths = exhaustive(c.graph, c.machine, c.durations, budgets);
    const EveryPlan plans = every_plan(c.graph, c.machine, c.durations, budgets, {});
    ASSERT_TRUE(paths.complete && plans.complete);
    expect_sound(c, budgets, paths);
    EXPECT_EQ(paths.best.has_value(), bytes >= least);
    if (!paths.best) {
      EXPECT_FALSE(plans.best.has_value());
    } else if (most_recomputes(c.graph, *paths.best) <= 2) {
      ASSERT_TRUE(plans.best.has_value());
      EXPECT_EQ(plans.step_ns, paths.step_ns) << "at " << bytes << " bytes";
    }
  }
}

TEST(Exhaustive, PathsAndEveryPlanAgreeOnEagerSteps) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    agree({.seed = seed, .size = 3}, {.flavour = Flavour::eager});
}

TEST(Exhaustive, PathsAndEveryPlanAgreeOnTensorDags) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    agree({.seed = seed, .size = 2}, {.flavour = Flavour::tensor_dag});
}

// --- every_plan leaves out orders that cannot differ; this leaves out nothing

// All sequences of actions, with at most one recompute of an op and one copy of a value along a link.
class EveryOrder {
 public:
  EveryOrder(const test::Case& c, const plan::Budgets& budgets)
      : c_(c), budgets_(budgets), step_(c.graph, c.machine) {
    actions_.resize(static_cast<std::size_t>(c.graph.op_count()) + 1);
    visit(step_.start());
  }
  [[nodiscard]] bool complete() const { return nodes_ < kMostNodes; }
  [[nodiscard]] std::optional<Nanoseconds> best() const { return best_; }

 private:
  static constexpr std::int64_t kMostNodes = 20'000;

  void visit(const StepState& s) {
    if (++nodes_ >= kMostNodes) return;
    if (step_.at_end(s)) return judge();
    if (const auto moved = step_.run(s); moved && within(moved->device_bytes, budgets_.device))
      visit(moved->state);
    if (!c_.graph.is_trigger(s.next)) return;
    std::vector<plan::Action> choices = step_.recomputes(s);
    for (const auto& more : {step_.copies(s), step_.let_gos(s, Tier::device), step_.let_gos(s, Tier::host)})
      choices.insert(choices.end(), more.begin(), more.end());
    for (const plan::Action& action : choices) {
      const auto moved = step_.act(s, action);
      if (done_before(action) || !within(moved->device_bytes, budgets_.device)) continue;
      actions_[static_cast<std::size_t>(s.next)].push_back(action);
      visit(moved->state);
      actions_[static_cast<std::size_t>(s.next)].pop_back();
    }
  }
  bool done_before(const plan::Action& action) const {
    if (action.kind == plan::ActionKind::drop || action.kind == plan::ActionKind::release) return false;
    return std::ranges::any_of(actions_,
                               [&](const auto& row) { return std::ranges::find(row, action) != row.end(); });
  }
  void judge() {
    const plan::Plan plan = plan_of(c_.graph, c_.machine, actions_, "every order");
    if (!plan::legal(c_.graph, c_.machine, plan)) return;
    const Nanoseconds ns = simulator::simulate(c_.graph, c_.machine, c_.durations, plan).step_ns;
    if (!best_ || ns < *best_) best_ = ns;
  }

  const test::Case& c_;
  const plan::Budgets& budgets_;
  const TinyStep step_;
  std::vector<std::vector<plan::Action>> actions_;
  std::int64_t nodes_ = 0;
  std::optional<Nanoseconds> best_;
};

TEST(Exhaustive, EveryPlanLosesNothingAgainstEveryOrder) {
  int compared = 0;
  int with_copies = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const test::Case c = test::random_case({.seed = seed, .size = 2}, {.tiers = Tiers::host, .slowdown = 30});
    const Path lean = leanest(c.graph, c.machine, {}, 100'000);
    for (std::int64_t more : {0, 2}) {
      const plan::Budgets budgets = device_budget(lean.device_peak.count() + more);
      const EveryOrder orders(c, budgets);
      if (!orders.complete()) continue;
      const EveryPlan plans = every_plan(c.graph, c.machine, c.durations, budgets, {}, {.recomputes = 1});
      ASSERT_TRUE(plans.complete);
      ASSERT_EQ(plans.best.has_value(), orders.best().has_value());
      if (!plans.best) continue;
      EXPECT_EQ(plans.step_ns, *orders.best())
          << "seed " << seed << " budget " << budgets.device->count() << "\n"
          << test::describe(c.graph);
      ++compared;
      if (std::ranges::find(plans.best->fates, plan::Fate::offload_host) != plans.best->fates.end())
        ++with_copies;
    }
  }
  EXPECT_GE(compared, 100);
  EXPECT_GE(with_copies, 3);
}

}  // namespace
}  // namespace worktop::solver
