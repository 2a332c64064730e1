#include "plan/memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "plan/legal.h"
#include "plan/testing.h"

namespace worktop::plan {
namespace {

using namespace draft;
using A = Action;

MemoryProfile measured(const Graph& graph, const Draft& draft) {
  const Plan plan = draft.plan();
  const base::Status judged = legal(graph, toy_machine(), plan);
  EXPECT_TRUE(judged.has_value()) << judged.error().what << " | " << judged.error().where;
  return measure_memory(graph, toy_machine(), plan);
}

std::vector<std::int64_t> at_ops(const MemoryProfile& memory) {
  std::vector<std::int64_t> counts;
  for (const Bytes bytes : memory.device_at_op) counts.push_back(bytes.count());
  return counts;
}
using Counts = std::vector<std::int64_t>;

Bytes peak_on(const MemoryProfile& memory, Tier tier) {
  return memory.peak[static_cast<std::size_t>(tier)];
}

constexpr Moment first_run(std::int32_t op) {
  return {.boundary = Boundary{op}, .running = OpId{op}};
}

// Every draft below is on Chain (x 1, a 2, b 4, c 8, db 16, da 32, dw 64, workspace of f 128) or InPlace, see
// plan/testing.h: the binary digits of a sum say who is there.

TEST(Memory, KeepAllAndWorkspaceAtThePeak) {
  const Chain k;
  const MemoryProfile memory = measured(k.graph, Draft(k.graph));
  //   f       x a + workspace     1+2+128
  //   g       x a b               1+2+4          the executor holds a, b and c to the end
  //   h       x a b c             1+2+4+8
  //   h.grad  x a b c db          15+16
  //   g.grad  x a b c db da       15+16+32       db goes with g.grad
  //   f.grad  x a b c da dw       15+32+64
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 15, 31, 63, 111}));
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{131});
  EXPECT_EQ(memory.peak_moment, first_run(0));
  EXPECT_EQ(memory.residents.activations, Bytes{2});
  EXPECT_EQ(memory.residents.workspace, Bytes{128});
  EXPECT_EQ(memory.residents.other, Bytes{1});
  EXPECT_EQ(memory.residents.total(), Bytes{131});
  EXPECT_EQ(memory.resident_values, (std::vector{k.x, k.a}));
  EXPECT_EQ(peak_on(memory, Tier::host), Bytes{0});
  EXPECT_EQ(peak_on(memory, Tier::disk), Bytes{0});
}

TEST(Memory, ADropAtTheTriggerOfAReaderTakesEffectWhenItEnds) {
  const Chain k;
  const MemoryProfile memory =
      measured(k.graph, Draft(k.graph).at(3, {A::drop(k.b), A::drop(k.c)}).at(4, {A::drop(k.a)}));
  //   h.grad  x a b c db    31: it still holds b and c      g.grad  x a db da    1+2+16+32
  //   f.grad  x da dw       1+32+64
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 15, 31, 51, 97}));
}

TEST(Memory, TheProgramOutlivesTheExecutor) {
  const Chain k;
  // The executor drops b at once; the program holds it until h has run, so op h still sees it.
  Draft draft(k.graph);
  draft.fate(k.b, Fate::recompute).at(2, {A::drop(k.b)}).at(3, {A::recompute(k.g)});
  const MemoryProfile memory = measured(k.graph, draft);
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 15, 31, 63, 111}));
  // Dropped one boundary earlier, a is held by the program until g ends and is away while h runs: 1+4+8.
  Draft early(k.graph);
  early.fate(k.a, Fate::recompute).at(1, {A::drop(k.a)}).at(4, {A::recompute(k.f)});
  EXPECT_EQ(at_ops(measured(k.graph, early)), (Counts{131, 7, 13, 29, 63, 111}));
}

TEST(Memory, ARecomputeIsChargedWithItsWorkspace) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::recompute).at(2, {A::drop(k.a)}).at(4, {A::recompute(k.f)});
  const MemoryProfile memory = measured(k.graph, draft);
  // While f is made again before g.grad: x b c db and a fresh a, workspace: 1+4+8+16+2+128.
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{159});
  EXPECT_EQ(memory.peak_moment, (Moment{.boundary = Boundary{4}, .running = k.f, .recompute = true}));
  EXPECT_EQ(memory.residents.activations, Bytes{14});
  EXPECT_EQ(memory.residents.workspace, Bytes{128});
  EXPECT_EQ(memory.residents.other, Bytes{17});  // the input x and the temporary db
  EXPECT_EQ(memory.resident_values, (std::vector{k.x, k.a, k.b, k.c, k.db}));
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 13, 29, 63, 111}));
}

TEST(Memory, AFirstRunInPlaceAllocatesNothing) {
  const InPlace k;
  const MemoryProfile memory = measured(k.graph, Draft(k.graph));
  //   f  x a s    1+2+4      relu_  x a, and s that becomes t    1+2+4      loss  x a t l    7+8
  //   relu.grad  x a t l ds  15+16: l goes with it               f.grad  x a t ds dx   7+16+32
  // dx is needed by nobody and goes with f.grad.
  EXPECT_EQ(at_ops(memory), (Counts{7, 7, 15, 31, 55}));
  EXPECT_EQ(memory.peak_moment, first_run(4));
  EXPECT_EQ(memory.resident_values, (std::vector{k.x, k.a, k.t, k.ds, k.dx}));
}

TEST(Memory, WhileItIsOverwrittenTheOldValueIsTheResident) {
  GraphBuilder build("sgd", Origin::trace);
  const ValueId w = build.add_value({.name = "w", .kind = ValueKind::weight, .bytes = Bytes{1}});
  const ValueId next = build.add_value({.name = "w'", .kind = ValueKind::weight, .bytes = Bytes{1}});
  const OpId op = build.add_op({.name = "sgd", .phase = Phase::optimizer, .workspace = Bytes{2}}, {w},
                               {{.value = next, .overwrites = w}});
  const Graph graph = built(std::move(build));
  const MemoryProfile memory = measured(graph, Draft(graph));
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{3});
  EXPECT_EQ(memory.peak_moment, first_run(op.index()));
  EXPECT_EQ(memory.residents.weights, Bytes{1});
  EXPECT_EQ(memory.resident_values, (std::vector{w}));
}

TEST(Memory, ARecomputeInPlaceIsChargedInFullAndDuplicatesGo) {
  const InPlace k;
  Draft draft(k.graph);
  draft.fate(k.t, Fate::recompute).at(2, {A::drop(k.t)});
  draft.at(3, {A::recompute(k.f), A::recompute(k.relu), A::drop(k.s)});
  const MemoryProfile memory = measured(k.graph, draft);
  // Before relu.grad: x a l are there (11). f again: a second a and a fresh s, 11+2+4; the second a goes: 15.
  // relu_ again: a fresh t beside s, 19; s is dropped: 15. Then ds 31, and f.grad x a t ds dx 55.
  EXPECT_EQ(at_ops(memory), (Counts{7, 7, 15, 31, 55}));

  // Nothing but an update in place: 0 f: x 1 -> s 2     1 relu_: s -> t 2
  GraphBuilder build("update", Origin::trace);
  const ValueId x = build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
  const ValueId s = build.add_value({.name = "s", .bytes = Bytes{2}, .holdable = true});
  const ValueId t = build.add_value({.name = "t", .bytes = Bytes{2}, .holdable = true});
  const OpId f = build.add_op({.name = "f"}, {x}, {{s}});
  const OpId relu = build.add_op({.name = "relu_"}, {s}, {{.value = t, .overwrites = s}});
  const Graph update = built(std::move(build));
  // t dropped, then x and a fresh s, 3, then a fresh t beside them, 5.
  Draft fresh(update);
  fresh.at(2, {A::drop(t), A::recompute(f), A::recompute(relu)});
  EXPECT_EQ(peak_on(measured(update, fresh), Tier::device), Bytes{5});
  // t still there: x t, and a fresh s, 5, and a second t that goes again, 7.
  Draft duplicate(update);
  duplicate.at(2, {A::recompute(f), A::recompute(relu)});
  const MemoryProfile twice = measured(update, duplicate);
  EXPECT_EQ(at_ops(twice), (Counts{3, 3}));
  EXPECT_EQ(peak_on(twice, Tier::device), Bytes{7});
  EXPECT_EQ(twice.peak_moment, (Moment{.boundary = Boundary{2}, .running = relu, .recompute = true}));
}

// One op with two outputs and a workspace, made again while one of them is still there.
//   0 f: x -> p q    1 g: p q -> y    2 g.grad: p q -> z     x 1, p 2, q 4, workspace 64; y, z nothing
struct TwoOutputs {
  ValueId x, p, q, y, z;
  OpId f, g, g_grad;
  Graph graph;
  TwoOutputs() {
    GraphBuilder build("two", Origin::trace);
    x = build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
    const auto forward = ProgramHold::to_last_forward_reader;
    p = build.add_value({.name = "p", .bytes = Bytes{2}, .holdable = true}, forward);
    q = build.add_value({.name = "q", .bytes = Bytes{4}, .holdable = true}, forward);
    y = build.add_value({.name = "y"});
    z = build.add_value({.name = "z", .kind = ValueKind::temporary});
    f = build.add_op({.name = "f", .workspace = Bytes{64}}, {x}, {{p}, {q}});
    g = build.add_op({.name = "g"}, {p, q}, {{y}});
    g_grad = build.add_op({.name = "g.grad", .phase = Phase::backward}, {p, q}, {{z}});
    graph = built(std::move(build));
  }
};

TEST(Memory, DuplicatesCountAtThePeak) {
  const TwoOutputs k;
  Draft draft(k.graph);
  draft.fate(k.q, Fate::recompute).at(1, {A::drop(k.q)}).at(2, {A::recompute(k.f)});
  const MemoryProfile memory = measured(k.graph, draft);
  // f again: x, p, and fresh p and q, workspace: 1+2+2+4+64. First runs: 71, 7, 7.
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{73});
  EXPECT_EQ(memory.peak_moment, (Moment{.boundary = Boundary{2}, .running = k.f, .recompute = true}));
  EXPECT_EQ(memory.residents.activations, Bytes{8});  // p twice, q
  EXPECT_EQ(memory.residents.total(), Bytes{73});
  EXPECT_EQ(memory.resident_values, (std::vector{k.x, k.p, k.q}));  // each value once, only those with bytes
  EXPECT_EQ(at_ops(memory), (Counts{71, 7, 7}));
}

TEST(Memory, ARecomputeTakesHoldOfWhatTheProgramHolds) {
  const Chain k;
  // The program alone holds a at boundary 1; f's second a goes, but from there the executor holds the first.
  const MemoryProfile memory = measured(k.graph, Draft(k.graph).at(1, {A::drop(k.a), A::recompute(k.f)}));
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 15, 31, 63, 111}));
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{133});  // x, a twice, workspace
}

TEST(Memory, OffloadAllocatesWhenIssuedAndFreesAtRelease) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_host);
  draft.at(1, {A::copy_out(k.a, kDown)}).at(2, {A::release(k.a)}).at(3, {A::copy_in(k.a, kUp)});
  draft.at(4, {A::drop(k.a)}).at(5, {A::drop(k.a, Tier::host)});
  const MemoryProfile memory = measured(k.graph, draft);
  //   h       x b c             1+4+8: released before it
  //   h.grad  x a b c db        31: a's copy in was issued before, though only g.grad needs it
  //   f.grad  x b c da dw       1+4+8+32+64
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 13, 31, 63, 109}));
  EXPECT_EQ(peak_on(memory, Tier::host), Bytes{2});
  EXPECT_EQ(peak_on(memory, Tier::disk), Bytes{0});
}

TEST(Memory, ThePeakCanBeACopyThatIsBegun) {
  // 0 f: x 1 -> p 2     1 g: x -> q 4
  GraphBuilder build("away", Origin::trace);
  const ValueId x = build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
  const ValueId p = build.add_value({.name = "p", .bytes = Bytes{2}, .holdable = true});
  const ValueId q = build.add_value({.name = "q", .bytes = Bytes{4}, .holdable = true});
  build.add_op({.name = "f"}, {x}, {{p}});
  build.add_op({.name = "g"}, {x}, {{q}});
  const Graph graph = built(std::move(build));
  Draft draft(graph);
  draft.at(1, {A::copy_out(p, kDown), A::release(p)}).at(2, {A::copy_in(p, kUp)});
  const MemoryProfile memory = measured(graph, draft);
  EXPECT_EQ(at_ops(memory), (Counts{3, 5}));
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{7});
  EXPECT_EQ(memory.peak_moment, (Moment{.boundary = Boundary{2}, .running = {}}));
  EXPECT_EQ(memory.residents.total(), Bytes{7});
  EXPECT_EQ(memory.resident_values, (std::vector{x, p, q}));
  const base::Status fit = fits(graph, memory, {.device = Bytes{6}, .host = {}, .disk = {}});
  ASSERT_FALSE(fit.has_value());
  EXPECT_EQ(fit.error().where, "right after a copy was begun at boundary 2");
}

TEST(Memory, TwoHopsOnHostAndDisk) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_disk).fate(k.b, Fate::offload_host);
  draft.at(2, {A::copy_out(k.a, kDown), A::copy_out(k.b, kDown), A::copy_out(k.a, kSave)});
  draft.at(2, {A::release(k.b), A::release(k.a), A::release(k.a, Tier::host)});
  draft.at(3, {A::copy_in(k.b, kUp)}).at(4, {A::drop(k.b, Tier::host), A::copy_in(k.a, kLoad)});
  draft.at(4, {A::copy_in(k.a, kUp)});
  const MemoryProfile memory = measured(k.graph, draft);
  // Host: a 2, a b 6, then b alone 4, nothing, a 2. Disk: a 2 to the end.
  EXPECT_EQ(peak_on(memory, Tier::host), Bytes{6});
  EXPECT_EQ(peak_on(memory, Tier::disk), Bytes{2});
  // h still holds b; h.grad: x b c db; g.grad: x a b c db da.
  EXPECT_EQ(at_ops(memory), (Counts{131, 7, 13, 29, 63, 111}));
}

TEST(Memory, ResidentsByKind) {
  GraphBuilder build("kinds", Origin::trace);
  std::vector<ValueId> all;
  std::int64_t bytes = 1;
  for (const ValueKind kind : {ValueKind::weight, ValueKind::gradient, ValueKind::optimizer_state,
                               ValueKind::buffer, ValueKind::input}) {
    all.push_back(
        build.add_value({.name = "v" + std::to_string(bytes), .kind = kind, .bytes = Bytes{bytes}}));
    bytes *= 2;
  }
  const ValueId y = build.add_value({.name = "y", .bytes = Bytes{32}});
  const ValueId z = build.add_value({.name = "z", .kind = ValueKind::temporary, .bytes = Bytes{64}});
  build.add_op({.name = "f", .workspace = Bytes{128}}, all, std::vector<graph::Output>{{y}, {z}});
  const Graph graph = built(std::move(build));
  const Residents residents = measured(graph, Draft(graph)).residents;
  EXPECT_EQ(residents.weights, Bytes{1});
  EXPECT_EQ(residents.gradients, Bytes{2});
  EXPECT_EQ(residents.optimizer_states, Bytes{4});
  EXPECT_EQ(residents.activations, Bytes{32});
  EXPECT_EQ(residents.workspace, Bytes{128});
  EXPECT_EQ(residents.other, Bytes{8 + 16 + 64});
  EXPECT_EQ(residents.total(), Bytes{255});
}

TEST(Memory, OfAGraphWithoutOps) {
  GraphBuilder build("nothing runs", Origin::trace);
  build.add_value({.name = "w", .kind = ValueKind::weight, .bytes = Bytes{4}});
  const Graph graph = built(std::move(build));
  const MemoryProfile memory = measured(graph, Draft(graph));
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{4});
  EXPECT_EQ(memory.residents.weights, Bytes{4});
}

// 4,000 layers forward and backward, all recomputed in one go: instantaneous if linear, minutes if not.
TEST(Memory, LinearInOpsAndActions) {
  constexpr std::int32_t kLayers = 4000;
  GraphBuilder build("deep", Origin::trace);
  const auto forward = ProgramHold::to_last_forward_reader;
  std::vector<ValueId> y{build.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}})};
  for (std::int32_t i = 0; i < kLayers; ++i) {
    const std::string name = "f" + std::to_string(i);
    y.push_back(build.add_value({.name = name + "/out", .bytes = Bytes{1}, .holdable = true}, forward));
    build.add_op({.name = name}, {y[y.size() - 2]}, {{y.back()}});
  }
  for (std::int32_t i = kLayers; i-- > 0;) {
    const std::string name = "f" + std::to_string(i) + ".grad";
    const ValueId d = build.add_value({.name = name + "/out", .kind = ValueKind::temporary});
    build.add_op({.name = name, .phase = Phase::backward}, {y[static_cast<std::size_t>(i) + 1]}, {{d}});
  }
  const Graph graph = built(std::move(build));
  Draft draft(graph);
  for (std::int32_t i = 0; i + 1 < kLayers; ++i) {
    const auto layer = static_cast<std::size_t>(i);
    draft.fate(y[layer + 1], Fate::recompute).at(layer + 2, {A::drop(y[layer + 1])});
    draft.at(kLayers + 1, {A::recompute(OpId{i})});
  }
  const MemoryProfile memory = measured(graph, draft);
  EXPECT_EQ(memory.device_at_op[kLayers - 1], Bytes{3});         // x, its input, its output
  EXPECT_EQ(peak_on(memory, Tier::device), Bytes{1 + kLayers});  // all made again
}

TEST(Fits, NamesTierPeakBudgetAndMoment) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::recompute).at(2, {A::drop(k.a)}).at(4, {A::recompute(k.f)});
  draft.fate(k.b, Fate::offload_host)
      .at(2, {A::copy_out(k.b, kDown), A::release(k.b)})
      .at(3, {A::copy_in(k.b, kUp)});
  const MemoryProfile memory = measured(k.graph, draft);
  EXPECT_TRUE(fits(k.graph, memory, {}).has_value());  // unlimited
  EXPECT_TRUE(fits(k.graph, memory, {.device = Bytes{159}, .host = Bytes{4}, .disk = Bytes{0}}).has_value());

  const base::Status device = fits(k.graph, memory, {.device = Bytes{158}, .host = {}, .disk = {}});
  ASSERT_FALSE(device.has_value());
  EXPECT_EQ(device.error().code, base::ErrorCode::infeasible);
  EXPECT_EQ(device.error().what, "the plan needs 159 bytes on the device, its budget is 158");
  EXPECT_EQ(device.error().where, "while op 'f' is recomputed at boundary 4");
  EXPECT_EQ(device.error().hint, "make a plan for this budget, or raise it by 1 bytes");

  const base::Status host = fits(k.graph, memory, {.device = {}, .host = Bytes{0}, .disk = {}});
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().what, "the plan needs 4 bytes on the host, its budget is 0");
}

}  // namespace
}  // namespace worktop::plan
