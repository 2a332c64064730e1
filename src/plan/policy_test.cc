#include "plan/policy.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::plan {
namespace {

using namespace draft;

// On Chain: a is made by f of kind "embed" outside every block; b by g of kind "linear" and c by h of kind
// "norm", both in block "layers.0" of kind "layer". The other values are not written in forward.
struct Fates {
  Fate a, b, c;
  friend bool operator==(const Fates&, const Fates&) = default;
};

Fates on(const Chain& k, const std::vector<Rule>& rules, Fate otherwise = Fate::keep) {
  const auto fates = fates_of({.name = "test", .rules = rules, .otherwise = otherwise}, k.graph);
  for (const ValueId v : {k.x, k.db, k.da, k.dw}) EXPECT_EQ(fates[v], Fate::keep);
  return {fates[k.a], fates[k.b], fates[k.c]};
}

Selector by_value(const char* name) {
  Selector select;
  select.value = name;
  return select;
}
Selector by_block(const char* name) {
  Selector select;
  select.block = name;
  return select;
}
Selector by_kinds(const char* block_kind, const char* op_kind) {
  Selector select;
  select.block_kind = block_kind;
  select.op_kind = op_kind;
  return select;
}

constexpr Fate kKeep = Fate::keep, kAgain = Fate::recompute, kHost = Fate::offload_host,
               kDisk = Fate::offload_disk;

TEST(FatesOf, WithoutRulesAllGetWhatIsOtherwise) {
  const Chain k;
  EXPECT_EQ(on(k, {}), (Fates{kKeep, kKeep, kKeep}));
  EXPECT_EQ(on(k, {}, kAgain), (Fates{kAgain, kAgain, kAgain}));
}

TEST(FatesOf, SelectorsMatchOnEveryFieldThatIsGiven) {
  const Chain k;
  EXPECT_EQ(on(k, {{{}, kHost}}), (Fates{kHost, kHost, kHost}));  // a rule with none matches all
  EXPECT_EQ(on(k, {{by_value("b"), kHost}}), (Fates{kKeep, kHost, kKeep}));
  EXPECT_EQ(on(k, {{by_block("layers.0"), kHost}}), (Fates{kKeep, kHost, kHost}));
  EXPECT_EQ(on(k, {{by_kinds("layer", "norm"), kHost}}), (Fates{kKeep, kKeep, kHost}));
  EXPECT_EQ(on(k, {{by_kinds("layer", "embed"), kHost}}), (Fates{kKeep, kKeep, kKeep}));
  EXPECT_EQ(on(k, {{by_block("layers.1"), kHost}, {by_value(""), kHost}}), (Fates{kKeep, kKeep, kKeep}));
}

TEST(FatesOf, TheFirstRuleThatMatchesDecides) {
  const Chain k;
  EXPECT_EQ(on(k, {{by_value("c"), kKeep}, {by_block("layers.0"), kAgain}, {{}, kDisk}}),
            (Fates{kDisk, kAgain, kKeep}));
  EXPECT_EQ(on(k, {{by_block("layers.0"), kAgain}, {by_value("c"), kKeep}, {{}, kDisk}}),
            (Fates{kDisk, kAgain, kAgain}));
  EXPECT_EQ(on(k, {{by_value("c"), kHost}, {by_value("c"), kDisk}}), (Fates{kKeep, kKeep, kHost}));
}

TEST(FatesOf, KeepsWhatCannotBeMadeAgain) {
  const Chain k(Chain::Triggers::everywhere, {.random = true});  // g, which makes b
  EXPECT_EQ(on(k, {}, kAgain), (Fates{kAgain, kKeep, kAgain}));
  EXPECT_EQ(on(k, {}, kHost), (Fates{kHost, kHost, kHost}));
}

TEST(FatesOf, KeepsWhatHasNoBytesOrCannotBeHeld) {
  GraphBuilder build("odd", Origin::trace);
  const ValueId empty = build.add_value({.name = "empty", .holdable = true});
  const ValueId unseen = build.add_value({.name = "unseen", .bytes = Bytes{1}});
  const ValueId plain = build.add_value({.name = "plain", .bytes = Bytes{1}, .holdable = true});
  build.add_op({.name = "f"}, {}, {{empty}, {unseen}, {plain}});
  const Graph graph = built(std::move(build));
  for (const Fate fate : {kAgain, kHost, kDisk}) {
    const auto fates = fates_of({.name = "all", .rules = {}, .otherwise = fate}, graph);
    EXPECT_EQ(fates[empty], kKeep);
    EXPECT_EQ(fates[unseen], kKeep);
    EXPECT_EQ(fates[plain], fate);  // nobody needs it in backward, but it is not for a policy to say so
  }
}

TEST(PolicyOf, NamesWhatIsNotKept) {
  const Chain k;
  const Plan plan = Draft(k.graph).fate(k.a, kAgain).fate(k.c, kDisk).plan();
  const Policy policy = policy_of(k.graph, plan);
  EXPECT_EQ(policy.name, "draft");
  EXPECT_EQ(policy.otherwise, kKeep);
  EXPECT_EQ(policy.rules, (std::vector<Rule>{{by_value("a"), kAgain}, {by_value("c"), kDisk}}));
  EXPECT_EQ(fates_of(policy, k.graph), plan.fates);
  // On another graph a name that is not there means nothing.
  const InPlace other;
  EXPECT_EQ(fates_of(policy, other.graph)[other.a], kAgain);
  EXPECT_EQ(fates_of(policy, other.graph)[other.t], kKeep);
}

}  // namespace
}  // namespace worktop::plan
