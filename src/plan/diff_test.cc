#include "plan/diff.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::plan {
namespace {

using namespace draft;
using A = Action;

TEST(Diff, OfAPlanWithItselfIsNone) {
  const Chain k;
  const Plan plan = Draft(k.graph).fate(k.a, Fate::recompute).plan();
  const Difference same = diff(k.graph, plan, plan).value();
  EXPECT_TRUE(same.none());
  EXPECT_EQ(same.amount(Fate::recompute, Fate::recompute), (Amount{1, Bytes{2}}));
  EXPECT_EQ(same.amount(Fate::keep, Fate::keep),
            (Amount{2, Bytes{4 + 8}}));  // b and c; a plan decides no others
}

TEST(Diff, NamesWhatChangedAndSumsIt) {
  const Chain k;
  const Plan first = Draft(k.graph).fate(k.a, Fate::recompute).plan();
  const Plan second =
      Draft(k.graph).fate(k.b, Fate::offload_host).fate(k.c, Fate::offload_host).at(2, {A::drop(k.a)}).plan();
  const Difference d = diff(k.graph, first, second).value();
  EXPECT_FALSE(d.none());
  EXPECT_FALSE(d.same_actions);
  const std::vector<FateChange> expected = {
      {k.a, "a", Bytes{2}, Fate::recompute, Fate::keep},
      {k.b, "b", Bytes{4}, Fate::keep, Fate::offload_host},
      {k.c, "c", Bytes{8}, Fate::keep, Fate::offload_host},
  };
  EXPECT_EQ(d.changes, expected);
  EXPECT_EQ(d.amount(Fate::recompute, Fate::keep), (Amount{1, Bytes{2}}));
  EXPECT_EQ(d.amount(Fate::keep, Fate::offload_host), (Amount{2, Bytes{12}}));
  EXPECT_EQ(d.amount(Fate::keep, Fate::keep), Amount{});
  EXPECT_EQ(d.amount(Fate::offload_host, Fate::keep), Amount{});
}

TEST(Diff, EqualFatesMayActAtOtherTimes) {
  const Chain k;
  const Plan first = Draft(k.graph).at(4, {A::drop(k.a)}).plan();
  const Plan second = Draft(k.graph).at(5, {A::drop(k.a)}).plan();
  const Difference d = diff(k.graph, first, second).value();
  EXPECT_TRUE(d.changes.empty());
  EXPECT_FALSE(d.same_actions);
  EXPECT_FALSE(d.none());
}

TEST(Diff, RefusesAPlanOfAnotherGraph) {
  const Chain k;
  const InPlace other;
  const auto d = diff(k.graph, Draft(k.graph).plan(), Draft(other.graph).plan());
  ASSERT_FALSE(d.has_value());
  EXPECT_EQ(d.error().code, base::ErrorCode::usage);
  EXPECT_EQ(d.error().where, "plan by 'draft' is not of graph 'chain'");
}

}  // namespace
}  // namespace worktop::plan
