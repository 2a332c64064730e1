// The optimum of every lambda lies on the frontier in (memory, recompute, transfer).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "advisor/asked.h"
#include "advisor/testing.h"

namespace worktop::advisor {
namespace {

solver::Planned planned(std::int64_t gb, std::int64_t recompute_s, std::int64_t link_s) {
  solver::Planned p;
  p.peak[0] = base::kGB * gb;
  p.recompute_ns = base::kSecond * recompute_s;
  p.link_busy_ns = base::kSecond * link_s;
  return p;
}

bool beats(const solver::Planned& a, const solver::Planned& b) {
  const bool no_worse = a.device_peak() <= b.device_peak() && a.recompute_ns <= b.recompute_ns &&
                        a.link_busy_ns <= b.link_busy_ns;
  const bool equal = a.device_peak() == b.device_peak() && a.recompute_ns == b.recompute_ns &&
                     a.link_busy_ns == b.link_busy_ns;
  return no_worse && !equal;
}

// What fits is decided by budgets alone here: usable 1000 GB.
class Room {
 public:
  explicit Room(Lambda lambda) : subject_(testing::tiny_subject()) {
    subject_.machine.usable_bytes = base::kGB * 1000;
    question_.lambda = lambda;
    question_.budget = base::kGB * 1000;
  }
  [[nodiscard]] std::optional<solver::Planned> cheapest(
      const std::vector<solver::Planned>& candidates) const {
    return advisor::cheapest(*ask(subject_, question_), candidates);
  }

 private:
  Subject subject_;
  Question question_;
};

TEST(Cost, IsTheKitchens) {
  // The ledger's kitchen with the narrow corridor at lambda 0.3: 93.6 for keep-all, 88.2 for checkpoint (42
  // GB, 108 s), 108.6 for offload (12 GB, 150 s of transfer).
  const Lambda lambda{.memory = 0.3, .compute = 0.7, .transfer = 0.7};
  const std::vector kitchen = {planned(312, 0, 0), planned(42, 108, 0), planned(12, 0, 150)};
  EXPECT_NEAR(cost_of(lambda, kitchen[0]), 93.6, 1e-9);
  EXPECT_NEAR(cost_of(lambda, kitchen[1]), 88.2, 1e-9);
  EXPECT_NEAR(cost_of(lambda, kitchen[2]), 108.6, 1e-9);
  EXPECT_EQ(Room(lambda).cheapest(kitchen)->recompute_ns, base::kSecond * 108);
  EXPECT_EQ(Room({0.2, 0.8, 0.8}).cheapest(kitchen)->device_peak(), base::kGB * 312);
  EXPECT_EQ(Room({0.8, 0.2, 0.2}).cheapest(kitchen)->device_peak(), base::kGB * 12);
  EXPECT_FALSE(Room(lambda).cheapest({planned(1001, 0, 0)}).has_value());  // does not fit
}

TEST(Cost, AWeightOfZeroStillPrefersLess) {
  const std::vector candidates = {planned(5, 9, 0), planned(5, 3, 0), planned(5, 3, 1)};
  EXPECT_EQ(Room({.memory = 1, .compute = 0, .transfer = 0}).cheapest(candidates)->recompute_ns,
            base::kSecond * 3);
}

TEST(Cost, OptimumLiesOnTheFrontier) {
  EXPECT_TRUE(rc::check("nothing beats the optimum in all three", [] {
    const auto weight = [] { return *rc::gen::inRange(0, 4) / 3.0; };
    const Room room({.memory = weight(), .compute = weight(), .transfer = weight()});
    std::vector<solver::Planned> candidates;
    const int count = *rc::gen::inRange(1, 8);
    for (int i = 0; i < count; ++i)
      candidates.push_back(
          planned(*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4)));
    const auto best = room.cheapest(candidates);
    RC_ASSERT(best.has_value());
    for (const solver::Planned& candidate : candidates) RC_ASSERT(!beats(candidate, *best));
  }));
}

}  // namespace
}  // namespace worktop::advisor
