// Runs of bits, by hand.
#include "plan/holding.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::plan {
namespace {

std::string runs_of(const Holding& holding, ValueId v) {
  std::string text;
  holding.for_each_run(v, [&](std::int32_t first, std::int32_t last) {
    text += std::to_string(first) + "-" + std::to_string(last) + " ";
  });
  return text;
}

// Six ops, so boundaries 0 to 6.
TEST(Holding, VisitsRunsUpToTheEnds) {
  const draft::Chain chain;
  Holding holding(chain.graph);
  EXPECT_EQ(runs_of(holding, chain.a), "");
  holding.hold(chain.a, 0, 1), holding.hold(chain.a, 3, 3), holding.hold(chain.a, 5, 6);
  EXPECT_EQ(runs_of(holding, chain.a), "0-1 3-3 5-6 ");
  holding.hold(chain.b, 0, 6);
  EXPECT_EQ(runs_of(holding, chain.b), "0-6 ");
}

TEST(Holding, CopiesTheBitsOfOneValue) {
  const draft::Chain chain;
  Holding from(chain.graph), to(chain.graph);
  from.hold(chain.a, 2, 4), from.hold(chain.b, 2, 4);
  to.hold(chain.a, 0, 2), to.hold(chain.c, 1, 1);
  to.copy_row(from, chain.a);
  EXPECT_EQ(runs_of(to, chain.a), "2-4 ");
  EXPECT_EQ(runs_of(to, chain.b), "");
  EXPECT_EQ(runs_of(to, chain.c), "1-1 ");
}

}  // namespace
}  // namespace worktop::plan
