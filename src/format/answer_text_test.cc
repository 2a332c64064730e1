// Answers made by hand, as people and programs read them.
#include <gtest/gtest.h>

#include "format/frontier_json.h"
#include "format/frontier_text.h"
#include "format/json_cursor.h"
#include "format/plan_answer_text.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::kGiB;
using base::kMillisecond;

advisor::Choice choice(std::string name, std::int64_t gib, std::int64_t ms, bool fits) {
  advisor::Choice made{.name = std::move(name)};
  made.planned.peak[0] = gib * kGiB;
  made.planned.step_ns = ms * kMillisecond;
  made.fits = fits;
  return made;
}

// Keep-all: 40 GiB, 500 ms. The plan: 20 GiB, 516 ms, so +3.2 %; the bound is 514 ms, so 0.389 % above it.
advisor::PlanAnswer answer() {
  advisor::PlanAnswer made{.graph_name = "toy",
                           .machine_name = "card",
                           .leanest = choice("leanest", 12, 900, true),
                           .least_possible = 11 * kGiB,
                           .bound_ns = 514 * kMillisecond};
  made.budget = {.usable = 24 * kGiB, .context = kGiB, .margin = kGiB, .budget = 22 * kGiB};
  made.keep_all = choice("keep_all", 40, 500, false);
  made.strategies = {made.keep_all, choice("checkpoint(4)", 21, 650, true)};
  made.best = choice("plan", 20, 516, true);
  made.gap = 2.0 / 514;
  made.price_per_gib = 4 * kMillisecond;
  made.picks = {.least_memory = "plan", .fastest = "plan", .balanced = "plan"};
  return made;
}

TEST(PlanText, SaysTheResultThenItsPriceThenItsCertainty) {
  EXPECT_EQ(plan_answer_text(answer()),
            "Plan: 20.0 GiB, 516 ms, +3.2 % over keep-all, proven within 0.4 %.\n"
            "One more GiB would save 4.00 ms a step.\n"
            "\n"
            "toy on card\n"
            "Budget 22.0 GiB (usable 24.0 GiB, context 1.00 GiB, margin 1.00 GiB)\n"
            "\n"
            "  strategy       peak GiB  step ms  vs keep-all  fits\n"
            "* plan               20.0      516       +3.2 %  yes\n"
            "  keep_all           40.0      500       +0.0 %  no\n"
            "  checkpoint(4)      21.0      650      +30.0 %  yes\n"
            "Picks: least memory plan, balanced plan, fastest plan.\n");
}

TEST(PlanText, SaysWhenAStrategyIsTheAnswerAndWhenNothingIsFaster) {
  advisor::PlanAnswer made = answer();
  made.best = choice("keep_all", 40, 500, true);
  made.gap = 0;
  made.price_per_gib.reset();
  EXPECT_TRUE(plan_answer_text(made).starts_with(
      "Plan: 40.0 GiB, 500 ms, as fast as keep-all, and no plan is faster.\n"
      "That is the strategy keep_all.\n"));
}

TEST(PlanText, SaysWhatTheLargestIsWithAndWithoutATimeLimit) {
  advisor::PlanAnswer made = answer();
  EXPECT_TRUE(plan_answer_text(made, Largest{"batch", 12})
                  .starts_with("Largest batch that fits: 12.\nHowever long its step takes: --time-limit "
                               "asks for the largest that is fast enough.\nPlan: "));
  made.time_limit = 900 * kMillisecond;
  EXPECT_TRUE(
      plan_answer_text(made, Largest{"seq", 128}).starts_with("Largest sequence that fits: 128.\nPlan: "));
}

TEST(PlanText, SaysByHowMuchItDoesNotFit) {
  advisor::PlanAnswer made = answer();
  made.best.reset();
  made.gap.reset();
  made.budget.budget = 10 * kGiB;
  made.budget.asked = true;
  made.changes = {{.name = "batch 1",
                   .how = "--batch 1",
                   .fits = true,
                   .step_ns = 300 * kMillisecond,
                   .least_feasible = 9 * kGiB}};
  const std::string text = plan_answer_text(made);
  EXPECT_TRUE(text.starts_with("Does not fit: 12.0 GiB is the least found, 11.0 GiB the least possible.\n"))
      << text;
  EXPECT_NE(text.find("Budget 10.0 GiB as asked"), text.npos);
  EXPECT_NE(text.find("--batch 1"), text.npos);
  made.budget.budget = 22 * kGiB;  // memory is not what binds then
  made.time_limit = 400 * kMillisecond;
  EXPECT_TRUE(plan_answer_text(made).starts_with(
      "Does not fit: nothing found within 22.0 GiB takes at most 400 ms; the bound is\n514 ms.\n"))
      << plan_answer_text(made);
}

advisor::FrontierAnswer frontier() {
  advisor::FrontierAnswer made{.graph_name = "toy", .machine_name = "card"};
  const auto point = [](std::string name, std::int64_t gib, std::int64_t ms) {
    return report::FrontierPoint{.name = std::move(name), .peak = gib * kGiB, .step_ns = ms * kMillisecond};
  };
  made.points = {point("plan(1)", 10, 2000), point("plan(2)", 20, 600), point("keep_all", 40, 500)};
  made.points[0].price_per_gib = 140 * kMillisecond;  // 1400 ms over 10 GiB
  made.points[1].price_per_gib = 5 * kMillisecond;    // 100 ms over 20 GiB
  made.keep_all = choice("keep_all", 40, 500, true);
  made.strategies = {made.keep_all, choice("checkpoint(4)", 25, 550, true)};
  made.picks = {.least_memory = "plan(1)", .fastest = "keep_all", .balanced = "plan(2)"};
  return made;
}

TEST(FrontierText, DrawsWhatLiesOffTheScaleAtItsEdge) {
  const std::string text = frontier_text(frontier());
  EXPECT_TRUE(text.starts_with("Frontier: 3 plans, from 10.0 GiB at 2.00 s to 40.0 GiB at 500 ms.\n"))
      << text;
  EXPECT_NE(text.find("    600 ms |^                   *\n"), text.npos)
      << text;  // 10 of 30 GiB: a third of 59
  EXPECT_NE(text.find("    500 ms |" + std::string(59, ' ') + "o\n"), text.npos) << text;
  EXPECT_NE(text.find("* plan(2)       20.0      600      +20.0 %        -      5.00 ms\n"), text.npos)
      << text;
}

TEST(FrontierText, OnePointHasNoCurve) {
  advisor::FrontierAnswer made = frontier();
  made.points.resize(1);
  EXPECT_EQ(frontier_text(made).find("Step time"), std::string::npos);
  made.points.clear();
  EXPECT_EQ(frontier_text(made), "No plan was found.\n");
}

TEST(FrontierJson, HasEveryPointWithItsPrice) {
  const std::string text = frontier_json(frontier());
  const auto document = JsonDocument::parse(text).value();
  const JsonObject file = document.root().object().value();
  EXPECT_TRUE(file.is_format("worktop-answer-frontier", 1));
  EXPECT_EQ(file.array("points")->count(), 3);
  const JsonObject first = (*file.array("points")->begin()).object().value();
  EXPECT_EQ(first.quantity<base::Nanoseconds>("price_ns_per_gib"), 140 * kMillisecond);
  EXPECT_EQ(file.object("picks")->string("balanced"), "plan(2)");
}

}  // namespace
}  // namespace worktop::format
