// Both outputs of one ledger, read back: the numbers are derived by hand in cost/ledger_test.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "format/json_cursor.h"
#include "format/ledger_json.h"
#include "format/ledger_text.h"

namespace worktop::format {
namespace {

cost::LedgerQuestion kitchen(double lambda, double bandwidth) {
  cost::LedgerQuestion question;
  question.kitchen = {
      .layers = 100, .activation_gb = 3, .base_gb = 12, .forward_s = 120, .bandwidth_gb_per_s = bandwidth};
  question.weights = cost::Weights::of(lambda);
  question.segments = 10;
  return question;
}

std::string json_of(const cost::LedgerQuestion& question) {
  return ledger_json(cost::make_ledger(question).value(), 0);
}

std::string text_of(const cost::LedgerQuestion& question) {
  return ledger_text(cost::make_ledger(question).value());
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(LedgerJson, CarriesEveryRowOfTheKitchen) {
  const std::string text = json_of(kitchen(0.5, 2));
  const auto document = JsonDocument::parse(text).value();
  const JsonObject ledger = document.root().object().value();
  EXPECT_TRUE(ledger.is_format("worktop-ledger", kLedgerVersion).has_value());
  EXPECT_EQ(ledger.string("best").value(), "checkpoint");
  EXPECT_EQ(ledger.integer("segments", 1, 100).value(), 10);
  const JsonArray rows = ledger.array("rows").value();
  ASSERT_EQ(rows.count(), 4);  // no hybrid without beta
  std::string names;
  for (const JsonCursor& row : rows) names += row.object().value().string("name").value() + " ";
  EXPECT_EQ(names, "keep_all checkpoint recompute_all offload_all ");
  JsonArray::Iterator second = rows.begin();
  const JsonObject checkpoint = (*++second).object().value();
  const auto number = [&](std::string_view key) { return checkpoint.number(key, -1, 1000).value(); };
  EXPECT_EQ(number("memory_gb"), 42);
  EXPECT_EQ(number("extra_compute_s"), 108);
  EXPECT_EQ(number("extra_transfer_s"), 0);
  EXPECT_EQ(number("cost"), 75);
  EXPECT_NEAR(number("r_mem"), 0.9, 1e-12);
  EXPECT_NEAR(number("r_mem_total"), 270.0 / 312, 1e-12);
  EXPECT_NEAR(number("r_cost"), 0.9, 1e-12);
  EXPECT_TRUE(checkpoint.boolean("fits").value());
}

TEST(LedgerJson, CarriesTheChangesAndTheReferencePoints) {
  const std::string text = json_of(kitchen(0.2, 2));
  EXPECT_TRUE(has(text, R"("bandwidth_gb_per_s":[{"from":0,"to":4,"winner":"keep_all"},)"
                        R"({"from":4,"to":null,"winner":"offload_all"}])"))
      << text;
  EXPECT_TRUE(has(text, R"({"name":"checkpoint+offload","memory_share":0.2,"extra_share":0.43})")) << text;
  EXPECT_TRUE(has(text, R"("checkpoint_true":{"memory_gb":72,"least_memory_gb":72,"least_at_segments":10})"))
      << text;
}

TEST(LedgerJson, WhatIsAbsentIsNull) {
  cost::LedgerQuestion question = kitchen(0.8, 2);  // offload would win with 12 GB and 150 s
  question.limits = {.memory_gb = 10, .time_s = 100};
  const std::string text = json_of(question);
  EXPECT_TRUE(has(text, R"("best":null,"best_without_limits":"offload_all","binding":["memory","time"])"))
      << text;
  EXPECT_TRUE(has(text, R"("within_limits":null)")) << text;
  EXPECT_TRUE(has(text, R"("winner":null)")) << text;
  EXPECT_TRUE(has(json_of(kitchen(0.2, 2)), R"("limits":{"memory_gb":null,"time_s":null})"));
}

TEST(LedgerText, SaysTheWinnerFirst) {
  EXPECT_TRUE(
      text_of(kitchen(0.5, 50))
          .starts_with("offload_all wins: cost 9.\n12 GB held, 0 s of recompute, 6 s of transfer.\n"));
}

TEST(LedgerText, SaysWhichLimitKeepsTheOtherOut) {
  cost::LedgerQuestion question = kitchen(0.2, 2);
  question.limits.memory_gb = 42;
  std::string text = text_of(question);
  EXPECT_TRUE(text.starts_with("checkpoint wins:")) << text;
  EXPECT_TRUE(has(text, "Without limits keep_all would win, but it breaks\nthe memory limit of 42 GB.\n"))
      << text;
  question.limits.time_s = 100;
  text = text_of(question);
  EXPECT_TRUE(text.starts_with("No competing strategy keeps the limits.\n")) << text;
}

TEST(LedgerText, SaysWhereTheWinnerChanges) {
  const std::string text = text_of(kitchen(0.5, 2));
  EXPECT_TRUE(has(text,
                  "  over lambda     keep_all       up to 0.2857\n"  // 2/7
                  "                  checkpoint     up to 0.5833\n"  // 7/12
                  "                  offload_all    from there on\n"));
}

TEST(LedgerText, StaysWithinEightyColumns) {
  cost::LedgerQuestion wide = kitchen(1, 1);
  wide.kitchen = {.layers = 999'983,
                  .activation_gb = 123456789.123,
                  .base_gb = 987654321.987,
                  .forward_s = 123456789012.3,
                  .bandwidth_gb_per_s = 1.23456789e-12};
  wide.weights = {.memory = 0.123456, .compute = 0.234567, .transfer = 0.345678};
  wide.segments = 999'979;
  wide.beta = 0.123456;
  wide.compete = cost::parse_competitors("all", true).value();
  wide.limits = {.memory_gb = 1.23456e11, .time_s = 1.23456e11};
  cost::LedgerQuestion free = wide;
  free.limits = {};
  for (const cost::LedgerQuestion& question : {kitchen(0.2, 2), wide, free}) {
    std::string text = text_of(question);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      ASSERT_NE(end, std::string::npos) << text;  // the last line ends too
      EXPECT_LE(end, 80U) << text.substr(0, end);
      text.erase(0, end + 1);
    }
  }
}

}  // namespace
}  // namespace worktop::format
