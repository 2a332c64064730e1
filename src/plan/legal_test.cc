#include "plan/legal.h"

#include <gtest/gtest.h>

#include <string>

#include "plan/testing.h"

namespace worktop::plan {
namespace {

using namespace draft;
using A = Action;

// Whether the plan breaks exactly this rule at this place (or part of it).
testing::AssertionResult breaks(const Graph& graph, const Plan& plan, const std::string& rule,
                                const std::string& where) {
  const base::Status judged = legal(graph, toy_machine(), plan);
  if (judged) return testing::AssertionFailure() << "the plan is legal";
  const base::Error& error = judged.error();
  if (error.code != base::ErrorCode::illegal || error.what != rule ||
      error.where.find(where) == std::string::npos || error.hint.empty())
    return testing::AssertionFailure() << error.what << " | " << error.where << " | " << error.hint;
  return testing::AssertionSuccess();
}
testing::AssertionResult breaks(const Graph& graph, const Draft& draft, const std::string& rule,
                                const std::string& where) {
  return breaks(graph, draft.plan(), rule, where);
}

testing::AssertionResult is_legal(const Graph& graph, const Draft& draft) {
  const base::Status judged = legal(graph, toy_machine(), draft.plan());
  if (judged) return testing::AssertionSuccess();
  return testing::AssertionFailure() << judged.error().what << " | " << judged.error().where;
}

// --- plans that are legal

TEST(Legal, KeepAll) {
  const Chain k;
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph)));
  // With a drop of each value where its last reader runs: that op holds it until it ends.
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph).at(3, {A::drop(k.b), A::drop(k.c)}).at(4, {A::drop(k.a)})));
  const Chain eager(Chain::Triggers::eager);
  EXPECT_TRUE(is_legal(eager.graph, Draft(eager.graph).at(3, {A::drop(eager.b)}).at(6, {A::drop(eager.a)})));
}

TEST(Legal, RecomputeChain) {
  const Chain k;
  // a and b go in forward; before h.grad both are made again, b from a.
  Draft draft(k.graph);
  draft.fate(k.a, Fate::recompute).fate(k.b, Fate::recompute);
  draft.at(2, {A::drop(k.a), A::drop(k.b)}).at(3, {A::recompute(k.f), A::recompute(k.g)});
  EXPECT_TRUE(is_legal(k.graph, draft));
}

TEST(Legal, RecomputeTwice) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::recompute).fate(k.b, Fate::recompute);
  draft.at(1, {A::drop(k.a)}).at(2, {A::drop(k.b)});
  draft.at(3, {A::recompute(k.f), A::recompute(k.g), A::drop(k.a)}).at(4, {A::recompute(k.f)});
  EXPECT_TRUE(is_legal(k.graph, draft));
}

TEST(Legal, InPlaceAndTwoOutputs) {
  const InPlace k;
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph)));
  // t is made again, in a buffer of its own, from an s that is made again; a is still there and only
  // duplicated.
  Draft draft(k.graph);
  draft.fate(k.t, Fate::recompute).at(2, {A::drop(k.t)});
  draft.at(3, {A::recompute(k.f), A::recompute(k.relu), A::drop(k.s)});
  EXPECT_TRUE(is_legal(k.graph, draft));
  EXPECT_TRUE(breaks(k.graph, draft.fate(k.a, Fate::recompute),
                     "a value whose fate is recompute is never recomputed", "value 'a'"));
}

TEST(Legal, ByProductsAreNoLie) {
  const InPlace k;
  // a is kept and dropped after its last use; then f is recomputed at the end for nobody. a was not
  // recomputed because it was missing: nobody reads it.
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph).at(5, {A::drop(k.a), A::recompute(k.f)})));
}

TEST(Legal, ARecomputeTakesHoldOfWhatTheProgramStillHolds) {
  const Chain k;
  // a is never missing: f only duplicates it at boundary 1, and the executor holds it again from there.
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph).at(1, {A::drop(k.a), A::recompute(k.f)})));
}

TEST(Legal, OffloadOneHop) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_host);
  draft.at(1, {A::copy_out(k.a, kDown)}).at(2, {A::release(k.a)}).at(4, {A::copy_in(k.a, kUp), A::drop(k.a)});
  EXPECT_TRUE(is_legal(k.graph, draft));
  Draft direct(k.graph);
  direct.fate(k.a, Fate::offload_disk);
  direct.at(1, {A::copy_out(k.a, kDownToDisk)})
      .at(2, {A::release(k.a)})
      .at(3, {A::copy_in(k.a, kUpFromDisk)});
  EXPECT_TRUE(is_legal(k.graph, direct));
}

TEST(Legal, OffloadTwoHops) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_disk);
  draft.at(1, {A::copy_out(k.a, kDown), A::copy_out(k.a, kSave)});
  draft.at(2, {A::release(k.a), A::release(k.a, Tier::host)});
  draft.at(3, {A::copy_in(k.a, kLoad), A::copy_in(k.a, kUp)});
  draft.at(5, {A::drop(k.a, Tier::host), A::drop(k.a), A::drop(k.a, Tier::disk)});
  EXPECT_TRUE(is_legal(k.graph, draft));
}

TEST(Legal, HostCopyOutlivesItsReload) {
  const Chain k;
  Draft draft(k.graph);
  draft.fate(k.b, Fate::offload_host).fate(k.a, Fate::recompute);
  draft.at(1, {A::drop(k.a)});
  draft.at(2, {A::copy_out(k.b, kDown), A::release(k.b)}).at(3, {A::copy_in(k.b, kUp), A::release(k.b)});
  // b goes when h.grad ends; its host copy brings it back once more without another copy out.
  draft.at(4, {A::recompute(k.f), A::copy_in(k.b, kUp)}).at(6, {A::drop(k.b, Tier::host)});
  EXPECT_TRUE(is_legal(k.graph, draft));
}

TEST(Legal, ProgramOutlivesTheExecutor) {
  const Chain k;
  // The executor drops a as soon as it is written; the program holds it until g has run.
  Draft draft(k.graph);
  draft.fate(k.a, Fate::recompute).at(1, {A::drop(k.a)}).at(4, {A::recompute(k.f)});
  EXPECT_TRUE(is_legal(k.graph, draft));
}

TEST(Legal, ADropAfterSomethingWaitedForTheCopy) {
  const Chain k;
  // release b waits for the copy of b on the same link, and so for the copy of a before it.
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_host).fate(k.b, Fate::offload_host);
  draft.at(2, {A::copy_out(k.a, kDown), A::copy_out(k.b, kDown), A::release(k.b), A::drop(k.a)});
  draft.at(3, {A::copy_in(k.b, kUp)}).at(4, {A::copy_in(k.a, kUp)});
  EXPECT_TRUE(is_legal(k.graph, draft));
  // g.grad reads a and so waits for its copy in: after it a may go at once.
  Draft op(k.graph);
  op.fate(k.a, Fate::offload_host).at(2, {A::copy_out(k.a, kDown), A::release(k.a)});
  op.at(3, {A::copy_in(k.a, kUp)}).at(5, {A::drop(k.a)});
  EXPECT_TRUE(is_legal(k.graph, op));
  // A drop on the host waits for the copy that reads there, and that one for the copy from the disk.
  Draft host(k.graph);
  host.fate(k.a, Fate::offload_disk).at(2, {A::copy_out(k.a, kDownToDisk), A::release(k.a)});
  host.at(3, {A::copy_in(k.a, kLoad), A::copy_in(k.a, kUp), A::drop(k.a, Tier::host)});
  EXPECT_TRUE(is_legal(k.graph, host));
}

// --- the plan's shape

TEST(Illegal, OfAnotherGraph) {
  const Chain k;
  Plan plan = Draft(k.graph).plan();
  plan.graph.bits ^= 1;
  EXPECT_TRUE(breaks(k.graph, plan, "the plan belongs to another graph", "graph 'chain'"));
}

TEST(Illegal, WrongShape) {
  const Chain k;
  Plan plan = Draft(k.graph).plan();
  plan.fates.push_back(Fate::keep);
  EXPECT_TRUE(breaks(k.graph, plan, "a plan has one fate per value of its graph", "8 fates for 7 values"));
  plan = Draft(k.graph).plan();
  plan.actions.end_row();
  EXPECT_TRUE(breaks(k.graph, plan, "a plan has one row of actions per boundary of its graph",
                     "8 rows for 7 boundaries"));
}

TEST(Illegal, UnknownIds) {
  const Chain k;
  const auto at_2 = [&](const Action& action) { return Draft(k.graph).at(2, {action}); };
  const std::string op = "an action names an op that does not exist";
  const std::string value = "an action names a value that does not exist";
  const std::string link = "an action names a link that does not exist";
  EXPECT_TRUE(breaks(k.graph, at_2(A::recompute(OpId{6})), op, "boundary 2: recompute"));
  EXPECT_TRUE(breaks(k.graph, at_2(A::recompute(OpId::none())), op, "boundary 2: recompute"));
  EXPECT_TRUE(breaks(k.graph, at_2(A::drop(ValueId{7})), value, "boundary 2: drop"));
  EXPECT_TRUE(breaks(k.graph, at_2(A::release(ValueId::none())), value, "boundary 2: release"));
  EXPECT_TRUE(breaks(k.graph, at_2(A::copy_out(k.a, LinkId{6})), link, "boundary 2: copy_out"));
  EXPECT_TRUE(breaks(k.graph, at_2(A::copy_in(k.a, LinkId::none())), link, "boundary 2: copy_in"));
}

TEST(Illegal, ActionsOffTriggers) {
  const Chain k(Chain::Triggers::eager);  // f.grad reads nothing that the executor can hold
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(5, {A::drop(k.a)}), "actions happen only at triggers",
                     "boundary 5 (before op 'f.grad'): drop of value 'a' on the device"));
}

// --- ops and recomputes

TEST(Illegal, AnOpReadsWhatIsGone) {
  const Chain k;
  const std::string rule = "an op reads a value that is not resident on the device";
  EXPECT_TRUE(
      breaks(k.graph, Draft(k.graph).at(2, {A::drop(k.a)}), rule, "boundary 4: op 'g.grad' reads value 'a'"));
  // A copy on the host is not on the device.
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_host).at(2, {A::copy_out(k.a, kDown), A::release(k.a)});
  EXPECT_TRUE(breaks(k.graph, draft, rule, "boundary 4: op 'g.grad' reads value 'a'"));
}

TEST(Illegal, RecomputeOfWhatHasNotRun) {
  const Chain k;
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(1, {A::recompute(k.g)}),
                     "only an op that has run can be recomputed",
                     "boundary 1 (before op 'g'): recompute of op 'g'"));
}

TEST(Illegal, RecomputeOfWhatIsNeverReplayed) {
  for (const graph::OpFlags flags : {graph::OpFlags{.random = true}, graph::OpFlags{.side_effect = true},
                                     graph::OpFlags{.collective = true}, graph::OpFlags{.opaque = true},
                                     graph::OpFlags{.discrete = true}}) {
    const Chain k(Chain::Triggers::everywhere, flags);
    EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(3, {A::recompute(k.g)}),
                       "an op that must not be replayed is recomputed", "recompute of op 'g'"));
  }
}

TEST(Illegal, RecomputeReadsWhatIsGone) {
  const Chain k;
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::drop(k.a)}).at(3, {A::recompute(k.g)}),
                     "an op reads a value that is not resident on the device",
                     "boundary 3: recompute of op 'g' reads value 'a'"));
}

TEST(Illegal, RecomputeInPlaceNeedsTheOldVersion) {
  const InPlace k;  // s is gone when relu_ has run
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::recompute(k.relu)}),
                     "an op reads a value that is not resident on the device",
                     "boundary 2: recompute of op 'relu_' reads value 's'"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::drop(k.s)}),
                     "only what the executor holds on a tier can be let go there", "drop of value 's'"));
}

// --- letting go

TEST(Illegal, DropOfWhatIsNotHeld) {
  const Chain k;
  const std::string on_device = "only what the executor holds on a tier can be let go there";
  const std::string below = "only what the executor holds on a tier can be dropped there";
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::drop(k.x)}), on_device, "drop of value 'x'"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(1, {A::drop(k.b)}), on_device, "drop of value 'b'"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(4, {A::drop(k.a), A::drop(k.a)}), on_device,
                     "boundary 4 (before op 'g.grad'): drop of value 'a' on the device"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::drop(k.a, Tier::host)}), below,
                     "drop of value 'a' on the host"));
}

TEST(Illegal, DropWhileACopyOutMayStillRun) {
  const Chain k;
  const std::string rule = "a value is dropped while a copy out of it may still run";
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::copy_out(k.a, kDown), A::drop(k.a)}), rule,
                     "drop of value 'a' on the device"));
  // Ops in between do not wait for it, however long they take.
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(1, {A::copy_out(k.a, kDown)}).at(5, {A::drop(k.a)}), rule,
                     "boundary 5"));
  // Neither does the release of a value on another link, nor of one copied before.
  Draft draft(k.graph);
  draft.at(2, {A::copy_out(k.b, kDown), A::copy_out(k.a, kDownToDisk), A::release(k.b), A::drop(k.a)});
  EXPECT_TRUE(breaks(k.graph, draft, rule, "boundary 2"));
  Draft earlier(k.graph);
  earlier.at(2, {A::copy_out(k.b, kDown), A::copy_out(k.a, kDown), A::release(k.b), A::drop(k.a)});
  EXPECT_TRUE(breaks(k.graph, earlier, rule, "boundary 2"));
}

TEST(Illegal, ReleaseWithoutACopyBelow) {
  const Chain k;
  const std::string rule = "a value is released without a copy on a lower tier";
  EXPECT_TRUE(
      breaks(k.graph, Draft(k.graph).at(2, {A::release(k.a)}), rule, "release of value 'a' on the device"));
  Draft draft(k.graph);
  draft.at(2, {A::copy_out(k.a, kDown), A::release(k.a, Tier::host)});
  EXPECT_TRUE(breaks(k.graph, draft, rule, "release of value 'a' on the host"));
}

TEST(Illegal, ReleaseOfWhatIsNotHeld) {
  const Chain k;
  Draft twice(k.graph);
  twice.at(2, {A::copy_out(k.a, kDown), A::release(k.a), A::release(k.a)});
  EXPECT_TRUE(breaks(k.graph, twice, "only what the executor holds on a tier can be let go there",
                     "release of value 'a' on the device"));
  Draft host(k.graph);
  host.at(2, {A::copy_out(k.a, kDownToDisk), A::release(k.a, Tier::host)});
  EXPECT_TRUE(breaks(k.graph, host, "only what the executor holds on a tier can be released there",
                     "release of value 'a' on the host"));
}

// --- copies

TEST(Illegal, CopiesAgainstTheLink) {
  const Chain k;
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::copy_out(k.a, kUp)}),
                     "a copy_out goes to a lower tier", "copy_out of value 'a' from host to device"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::copy_in(k.a, kDown)}),
                     "a copy_in comes from a lower tier", "copy_in of value 'a' from device to host"));
}

TEST(Illegal, CopiesOfWhatCannotBeCopied) {
  const Chain k;
  const std::string rule = "only values with bytes that the executor can hold are copied";
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(4, {A::copy_out(k.db, kDown)}), rule, "value 'db'"));
  GraphBuilder build("empty", Origin::trace);
  const ValueId none = build.add_value({.name = "none", .holdable = true}, ProgramHold::producer_only);
  build.add_op({.name = "f"}, {}, {{none}});
  const Graph empty = built(std::move(build));
  EXPECT_TRUE(breaks(empty, Draft(empty).at(1, {A::copy_out(none, kDown)}), rule, "value 'none'"));
}

TEST(Illegal, CopyOutOfWhatIsNotThere) {
  const Chain k;
  const std::string rule = "a value is copied out of a tier where it is not resident";
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(1, {A::copy_out(k.b, kDown)}), rule, "boundary 1"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::copy_out(k.a, kSave)}), rule, "from host to disk"));
}

TEST(Illegal, CopyOutToWhereItIs) {
  const Chain k;
  Draft draft(k.graph);
  draft.at(2, {A::copy_out(k.a, kDown)}).at(3, {A::copy_out(k.a, kDown)});
  EXPECT_TRUE(breaks(k.graph, draft, "a value is copied out to a tier that already has it", "boundary 3"));
}

TEST(Illegal, CopyInOfWhatIsNotBelow) {
  const Chain k;
  const std::string rule = "a value is copied in from a tier that does not have it";
  Draft never(k.graph);
  never.fate(k.a, Fate::offload_host).at(2, {A::drop(k.a), A::copy_in(k.a, kUp)});
  EXPECT_TRUE(breaks(k.graph, never, rule, "boundary 2"));
  Draft dropped(k.graph);
  dropped.fate(k.a, Fate::offload_host).at(2, {A::copy_out(k.a, kDown), A::release(k.a)});
  dropped.at(3, {A::drop(k.a, Tier::host), A::copy_in(k.a, kUp)});
  EXPECT_TRUE(breaks(k.graph, dropped, rule, "boundary 3"));
}

TEST(Illegal, CopyInToWhereItIs) {
  const Chain k;
  const std::string rule = "a value is copied in to a tier where it is still resident";
  Draft draft(k.graph);
  draft.fate(k.a, Fate::offload_host).at(2, {A::copy_out(k.a, kDown), A::copy_in(k.a, kUp)});
  EXPECT_TRUE(breaks(k.graph, draft, rule, "boundary 2"));
  // Released at the trigger of an op that reads it: that op still holds it.
  Draft held(k.graph);
  held.fate(k.a, Fate::offload_host).at(4, {A::copy_out(k.a, kDown), A::release(k.a), A::copy_in(k.a, kUp)});
  EXPECT_TRUE(breaks(k.graph, held, rule, "boundary 4"));
}

// --- bytes that a copy still uses

TEST(Illegal, TheLastHolderLetsGoWhileACopyOutMayRun) {
  const Chain k;
  const std::string rule = "a value's last holder lets go while a copy out of it may still run";
  // Only the program holds a, until g ends.
  Draft program(k.graph);
  program.fate(k.a, Fate::offload_host).at(1, {A::drop(k.a), A::copy_out(k.a, kDown)});
  EXPECT_TRUE(breaks(k.graph, program, rule, "boundary 1: end of op 'g', value 'a'"));
  // Only op h.grad holds c.
  Draft op(k.graph);
  op.at(3, {A::drop(k.c), A::copy_out(k.c, kDown)});
  EXPECT_TRUE(breaks(k.graph, op, rule, "boundary 3: end of op 'h.grad', value 'c'"));
}

TEST(Illegal, OverwrittenWhileACopyOutMayRun) {
  const InPlace k;
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(1, {A::copy_out(k.s, kDown)}),
                     "a value is overwritten while a copy out of it may still run",
                     "boundary 1: end of op 'relu_', value 's'"));
  EXPECT_TRUE(is_legal(k.graph, Draft(k.graph).at(1, {A::copy_out(k.s, kDown), A::release(k.s)})));
}

TEST(Illegal, LetGoBeforeItHasArrived) {
  const Chain k;
  Draft device(k.graph);
  device.fate(k.a, Fate::offload_host).at(2, {A::copy_out(k.a, kDown), A::release(k.a)});
  device.at(3, {A::copy_in(k.a, kUp), A::drop(k.a)});
  EXPECT_TRUE(breaks(k.graph, device, "a value's bytes go while the copy that brings them may still run",
                     "boundary 3 (before op 'h.grad'): drop of value 'a' on the device"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).at(2, {A::copy_out(k.a, kDown), A::drop(k.a, Tier::host)}),
                     "a copy is dropped before it has surely arrived", "drop of value 'a' on the host"));
  Draft host(k.graph);
  host.fate(k.a, Fate::offload_disk).at(2, {A::copy_out(k.a, kDownToDisk), A::release(k.a)});
  host.at(3, {A::copy_in(k.a, kLoad), A::release(k.a, Tier::host)});
  EXPECT_TRUE(breaks(k.graph, host, "a copy is released before it has surely arrived",
                     "release of value 'a' on the host"));
}

// --- the end of the step

TEST(Illegal, NeededToTheEndButNotThere) {
  GraphBuilder b("wanted", Origin::trace);
  const ValueId x = b.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{1}});
  const ValueId y =
      b.add_value({.name = "y", .bytes = Bytes{2}, .holdable = true}, ProgramHold::producer_only);
  const ValueId z =
      b.add_value({.name = "z", .bytes = Bytes{4}, .holdable = true}, ProgramHold::producer_only);
  const OpId f = b.add_op({.name = "f"}, {x}, {{y}});
  b.add_op({.name = "g"}, {y}, {{z}});
  b.set_needed_until(y, OpId::none());  // somebody asks for y after the step
  const Graph graph = built(std::move(b));
  EXPECT_TRUE(is_legal(graph, Draft(graph).at(2, {A::drop(z)})));
  EXPECT_TRUE(breaks(graph, Draft(graph).at(1, {A::drop(y)}),
                     "a value that is needed to the end of the step is not resident there", "value 'y'"));
  EXPECT_TRUE(
      is_legal(graph, Draft(graph).fate(y, Fate::recompute).at(1, {A::drop(y)}).at(2, {A::recompute(f)})));
}

// --- fates

TEST(Illegal, FatesThatLie) {
  const Chain k;
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).fate(k.a, Fate::recompute),
                     "a value whose fate is recompute is never recomputed", "value 'a'"));
  EXPECT_TRUE(breaks(k.graph, Draft(k.graph).fate(k.a, Fate::offload_host),
                     "a value whose fate is offload_host is never copied in from the host", "value 'a'"));
  Draft disk(k.graph);
  disk.at(2, {A::copy_out(k.a, kDown), A::release(k.a)}).at(3, {A::copy_in(k.a, kUp)});
  EXPECT_TRUE(is_legal(k.graph, Draft(disk).fate(k.a, Fate::offload_host)));
  EXPECT_TRUE(breaks(k.graph, Draft(disk).fate(k.a, Fate::offload_disk),
                     "a value whose fate is offload_disk is never copied in from the disk", "value 'a'"));
  EXPECT_TRUE(breaks(k.graph, disk, "a value whose fate is keep is copied in", "boundary 3"));
  Draft missing(k.graph);
  missing.at(2, {A::drop(k.a)}).at(3, {A::recompute(k.f)});
  EXPECT_TRUE(is_legal(k.graph, Draft(missing).fate(k.a, Fate::recompute)));
  EXPECT_TRUE(breaks(k.graph, missing, "a value whose fate is keep was missing and recomputed",
                     "boundary 4: op 'g.grad' reads value 'a'"));
}

}  // namespace
}  // namespace worktop::plan
