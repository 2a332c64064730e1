#include "report/residents.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::report {
namespace {

using plan::Action;
using plan::draft::Chain;
using plan::draft::Draft;

std::vector<ResidentGroup> at_peak(const Chain& chain, const plan::Plan& plan) {
  return residents_at_peak(chain.graph, plan,
                           plan::measure_memory(chain.graph, plan::draft::toy_machine(), plan));
}

TEST(ResidentsAtPeak, AreThoseOfTheFirstOp) {
  // Op f works in 128 bytes, reads x (1) and writes a (2): 131, more than at any later op.
  const Chain chain;
  const std::vector<ResidentGroup> expected = {
      {"f", Resident::workspace, 1, Bytes{128}, "needed while the op runs"},
      {"f", Resident::activations, 1, Bytes{2}, "written by the op that runs"},
      {"x", Resident::other, 1, Bytes{1}, "read by the op that runs"}};
  EXPECT_EQ(at_peak(chain, Draft(chain.graph).plan()), expected);
}

TEST(ResidentsAtPeak, CountsTheSecondBufferOfARecompute) {
  // f again before g.grad, with everything still there: x 1, a 2, b 4, c 8, db 16, workspace 128 and a second
  // a: 161.
  const Chain chain;
  const plan::Plan plan = Draft(chain.graph).at(4, {Action::recompute(chain.f)}).plan();
  const std::vector<ResidentGroup> expected = {
      {"f", Resident::workspace, 1, Bytes{128}, "needed while the op runs"},
      {"h.grad", Resident::other, 1, Bytes{16}, "held by the program"},
      {"h", Resident::activations, 1, Bytes{8}, "kept for a later op"},
      {"g", Resident::activations, 1, Bytes{4}, "kept for a later op"},
      {"f", Resident::activations, 1, Bytes{2}, "made again while still there: a second buffer"},
      {"f", Resident::activations, 1, Bytes{2}, "written by the op that runs"},
      {"x", Resident::other, 1, Bytes{1}, "read by the op that runs"}};
  EXPECT_EQ(at_peak(chain, plan), expected);
}

TEST(Attacks, LargestFirstWhateverItIs) {
  const Residents residents{.weights = Bytes{50},
                            .gradients = Bytes{0},
                            .optimizer_states = Bytes{20},
                            .activations = Bytes{20},
                            .workspace = Bytes{4},
                            .other = Bytes{6}};
  const auto list = attacks(residents);
  ASSERT_EQ(list.size(), 5U);  // nothing to attack in gradients of no bytes
  EXPECT_EQ(list[0].resident, Resident::weights);
  EXPECT_EQ(list[0].bytes, Bytes{50});
  EXPECT_DOUBLE_EQ(list[0].share, 0.5);
  EXPECT_EQ(list[1].resident, Resident::optimizer_states);  // of equals, in the order of the enum
  EXPECT_EQ(list[2].resident, Resident::activations);
  EXPECT_EQ(list[3].resident, Resident::other);
  EXPECT_EQ(list[4].resident, Resident::workspace);
}

TEST(Attacks, AdviceLeavesOutWhatIsDone) {
  const Residents residents{.gradients = Bytes{1}, .optimizer_states = Bytes{1}, .workspace = Bytes{1}};
  const auto advice = [&](const model::Settings& settings, std::size_t i) {
    return attacks(residents, settings)[i].advice;
  };
  const model::Settings plain;
  EXPECT_NE(advice(plain, 0).find("LoRA"), std::string::npos);
  EXPECT_NE(advice(plain, 1).find("adamw8bit"), std::string::npos);
  EXPECT_NE(advice(plain, 2).find("chunked"), std::string::npos);
  const model::Settings done{.optimizer = model::Optimizer::adamw8bit,
                             .cross_entropy = model::CrossEntropy::chunked,
                             .lora = model::Lora{}};
  EXPECT_EQ(advice(done, 0).find("LoRA"), std::string::npos);
  EXPECT_EQ(advice(done, 1).find("adamw8bit"), std::string::npos);
  EXPECT_EQ(advice(done, 2).find("chunked"), std::string::npos);
}

}  // namespace
}  // namespace worktop::report
