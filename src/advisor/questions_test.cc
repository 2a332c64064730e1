#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "advisor/testing.h"
#include "plan/lower.h"
#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using testing::quick_question;
using testing::tiny_decoder;
using testing::tiny_machine;
using testing::tiny_settings;
using testing::tiny_subject;

TEST(Frontier, AscendsInPeakAndFallsInTime) {
  const auto answer = frontier(tiny_subject(), quick_question(), 6);
  ASSERT_TRUE(answer.has_value());
  const auto& points = answer->points;
  ASSERT_GE(points.size(), 2U);
  std::set<std::string> names;
  for (std::size_t i = 0; i < points.size(); ++i) {
    names.insert(points[i].name);
    EXPECT_EQ(points[i].price_per_gib.has_value(), i + 1 < points.size());
    if (i == 0) continue;
    EXPECT_LT(points[i - 1].peak, points[i].peak);
    EXPECT_GT(points[i - 1].step_ns, points[i].step_ns);
  }
  EXPECT_EQ(names.size(), points.size());
  EXPECT_GE(points.front().peak, answer->least_possible);
  EXPECT_EQ(points.back().step_ns, answer->keep_all.planned.step_ns);
  EXPECT_EQ(answer->picks.least_memory, points.front().name);
  EXPECT_EQ(answer->picks.fastest, points.back().name);
  EXPECT_EQ(names.count(answer->picks.balanced), 1U);
}

TEST(Frontier, LeavesOutWhatTheQuestionLimits) {
  const Subject subject = tiny_subject();
  Question question = quick_question();
  const auto whole = frontier(subject, question, 6);
  question.budget = whole->points.back().peak - Bytes{1};
  question.time_limit = whole->points.front().step_ns - Nanoseconds{1};
  const auto part = frontier(subject, question, 6);
  for (const report::FrontierPoint& point : part->points) {
    EXPECT_LE(point.peak, *question.budget);
    EXPECT_LE(point.step_ns, *question.time_limit);
  }
  EXPECT_LT(part->points.size(), whole->points.size());
}

TEST(Frontier, SameQuestionSameAnswer) {
  const Subject subject = tiny_subject();
  EXPECT_EQ(frontier(subject, quick_question(), 4)->points, frontier(subject, quick_question(), 4)->points);
}

TEST(Frontier, RefusesTooFewAndTooManyPoints) {
  for (const std::int32_t points : {-1, 1, 1001}) {
    const auto answer = frontier(tiny_subject(), quick_question(), points);
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().where, "--points");
  }
}

plan::Plan lowered(const Subject& subject, const plan::Policy& policy) {
  return *plan::lower(subject.graph, subject.machine, policy, subject.durations.op);
}

TEST(Explain, AccountsForEveryByte) {
  const Subject subject = tiny_subject();
  const auto answer = explain(subject, lowered(subject, solver::checkpoint_every(subject.graph, 1)));
  ASSERT_TRUE(answer.has_value()) << answer.error().what << " at " << answer.error().where;
  EXPECT_EQ(answer->made_by, "checkpoint_every(1)");
  EXPECT_EQ(answer->residents.total(), answer->peak);
  Bytes there{0}, decided{0}, expected{0};
  for (const report::ResidentGroup& group : answer->at_peak) there += group.bytes;
  EXPECT_EQ(there, answer->peak);
  for (const report::Reason& reason : answer->reasons) decided += reason.bytes;
  for (const graph::ValueId v : base::ids<graph::ValueId>(subject.graph.value_count()))
    if (subject.graph.decidable(v)) expected += subject.graph.value(v).bytes;
  EXPECT_EQ(decided, expected);
}

TEST(Explain, GroupsLayersTogether) {
  // Two layers, each with an up projection of 4 * 128 * 128 numbers of two bytes.
  const Subject subject = tiny_subject();
  const auto answer = explain(subject, lowered(subject, solver::keep_all()));
  const auto is_up = [](const report::Reason& reason) { return reason.label == "mlp/up_proj"; };
  const auto up = std::ranges::find_if(answer->reasons, is_up);
  ASSERT_NE(up, answer->reasons.end());
  EXPECT_EQ(up->count, 2);
  EXPECT_EQ(up->bytes, Bytes{2 * 4 * 128 * 128 * 2});
  EXPECT_EQ(up->fate, plan::Fate::keep);
}

TEST(Explain, RefusesAPlanOfAnotherGraph) {
  const Subject subject = tiny_subject();
  plan::Plan plan = lowered(subject, solver::keep_all());
  ++plan.graph.bits;
  const auto answer = explain(subject, plan);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, base::ErrorCode::illegal);
}

bool fits_with(std::int64_t batch) {
  model::Settings settings = tiny_settings();
  settings.batch = batch;
  return plan(*subject(tiny_decoder(), settings, tiny_machine()), quick_question())->best.has_value();
}

TEST(Largest, BatchIsTheLastThatFits) {
  const auto answer = largest(tiny_decoder(), tiny_settings(), tiny_machine(), quick_question(), Grow::batch);
  ASSERT_TRUE(answer.has_value());
  EXPECT_GT(answer->largest, 4);  // 4 fit without any recompute
  EXPECT_TRUE(answer->plan->best.has_value());
  EXPECT_TRUE(fits_with(answer->largest));
  EXPECT_FALSE(fits_with(answer->largest + 1));
}

TEST(Largest, SequenceGrowsInMultiplesOf128) {
  const auto answer =
      largest(tiny_decoder(), tiny_settings(), tiny_machine(), quick_question(), Grow::sequence);
  ASSERT_TRUE(answer.has_value());
  EXPECT_GE(answer->largest, 128);
  EXPECT_EQ(answer->largest % 128, 0);
  EXPECT_TRUE(answer->plan->best.has_value());
}

TEST(Largest, ATableOfPositionsEndsTheSequence) {
  // 256 learned positions, and room for far more: the model refuses longer sequences.
  model::Decoder decoder = tiny_decoder();
  decoder.position = model::Position::learned;
  decoder.max_positions = 256;
  model::Settings settings = tiny_settings();
  settings.batch = 1;
  EXPECT_EQ(largest(decoder, settings, tiny_machine(), quick_question(), Grow::sequence)->largest, 256);
}

TEST(Largest, NothingFits) {
  Question question = quick_question();
  question.budget = Bytes{1000};  // less than the weights
  const auto answer = largest(tiny_decoder(), tiny_settings(), tiny_machine(), question, Grow::batch);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->largest, 0);
  EXPECT_FALSE(answer->plan.has_value());
}

TEST(Largest, PassesErrorsOn) {
  EXPECT_FALSE(largest({}, tiny_settings(), tiny_machine(), quick_question(), Grow::batch).has_value());
  EXPECT_FALSE(largest(tiny_decoder(), tiny_settings(), tiny_machine(), {.budget = Bytes{-1}}, Grow::batch)
                   .has_value());
}

}  // namespace
}  // namespace worktop::advisor
