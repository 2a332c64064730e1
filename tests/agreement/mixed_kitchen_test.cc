// The mixed kitchen, played: the ratio rule's best threshold is 2 when plans are simulated, as in the closed
// form (src/cost/mixed_kitchen_test.cc derives it by hand), and the search finds what no threshold reaches.
#include <gtest/gtest.h>

#include "format/builtin.h"
#include "format/graph_file.h"
#include "plan/lower.h"
#include "solver/portfolio.h"
#include "solver/strategies.h"

namespace worktop {
namespace {

constexpr base::Bytes kLimit{90'500'000'000};

format::GraphFile mixed_kitchen() {
  for (const format::BuiltinFile& file : format::builtin_files())
    if (file.name == "mixed-kitchen.json") return format::read_graph_file(file.text).value();
  ADD_FAILURE() << "scenarios/mixed-kitchen.json is not built in";
  return {};
}

class MixedKitchen : public testing::Test {
 protected:
  [[nodiscard]] solver::Problem problem() const {
    return {kitchen_.graph, machine_, *kitchen_.durations, {.device = kLimit, .host = {}, .disk = {}}};
  }
  [[nodiscard]] solver::Planned at(std::int32_t threshold_permille) const {
    const plan::Policy policy = solver::ratio(kitchen_.graph, *kitchen_.durations, threshold_permille);
    return predict(problem(), plan::lower(kitchen_.graph, machine_, policy, kitchen_.durations->op).value());
  }
  format::GraphFile kitchen_ = mixed_kitchen();
  machine::Machine machine_;
};

TEST_F(MixedKitchen, KeepingAllHolds129GBFor257Seconds) {
  const solver::Planned keep = predict(
      problem(), plan::lower(kitchen_.graph, machine_, solver::keep_all(), kitchen_.durations->op).value());
  EXPECT_EQ(keep.device_peak(), base::Bytes{129'600'000'000});
  EXPECT_EQ(keep.step_ns, base::Nanoseconds{256'710'000'000});
}

TEST_F(MixedKitchen, TheBestThresholdIsTwo) {
  EXPECT_EQ(at(2000).device_peak(), base::Bytes{84'600'000'000});
  EXPECT_EQ(at(2000).step_ns, base::Nanoseconds{267'010'000'000});  // 256.71 + 10.30 s
  for (std::int32_t threshold = 500; threshold <= 5000; threshold += 500) {
    if (threshold == 2000) continue;
    const solver::Planned other = at(threshold);
    EXPECT_TRUE(other.device_peak() > kLimit || other.step_ns > at(2000).step_ns) << threshold;
  }
}

TEST_F(MixedKitchen, AFreeChoiceBeatsTheRule) {
  const solver::Answer answer = fastest(problem(), {});
  ASSERT_TRUE(answer.best.has_value());
  EXPECT_EQ(answer.best->device_peak(), base::Bytes{90'000'000'000});
  EXPECT_EQ(answer.best->step_ns,
            base::Nanoseconds{265'510'000'000});  // 256.71 + 8.80 s: marinade instead of filling
}

}  // namespace
}  // namespace worktop
