// The kitchen of the design document, reckoned by hand. L = 100, a = 3 GB, M0 = 12 GB, F = 120 s, K = 10:
// A = 300 GB; keep_all holds 312 GB; checkpoint 12 + 30 = 42 GB for 120 * 9/10 = 108 s; offload 12 GB for
// 300 / B s, which is 6 s at 50 GB/s and 150 s at 2 GB/s.
#include "cost/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace worktop::cost {
namespace {

using enum LedgerStrategy;

constexpr double kClose = 1e-9;

LedgerQuestion kitchen(double lambda, double bandwidth = 50) {
  LedgerQuestion question;
  question.kitchen = {
      .layers = 100, .activation_gb = 3, .base_gb = 12, .forward_s = 120, .bandwidth_gb_per_s = bandwidth};
  question.weights = Weights::of(lambda);
  question.segments = 10;
  return question;
}

Ledger answer(const LedgerQuestion& question) {
  const auto ledger = make_ledger(question);
  EXPECT_TRUE(ledger.has_value());
  return *ledger;
}

const LedgerRow& row(const Ledger& ledger, LedgerStrategy strategy) {
  for (const LedgerRow& candidate : ledger.rows)
    if (candidate.strategy == strategy) return candidate;
  ADD_FAILURE() << "no row " << name_of(strategy);
  return ledger.rows.front();
}

void expect_costs(double lambda, double bandwidth, double keep, double check, double offload,
                  LedgerStrategy winner) {
  const Ledger ledger = answer(kitchen(lambda, bandwidth));
  EXPECT_NEAR(row(ledger, keep_all).cost, keep, kClose);
  EXPECT_NEAR(row(ledger, checkpoint).cost, check, kClose);
  EXPECT_NEAR(row(ledger, offload_all).cost, offload, kClose);
  EXPECT_EQ(ledger.best, winner);
}

void expect_intervals(const std::vector<WinnerInterval>& intervals,
                      const std::vector<WinnerInterval>& expected) {
  ASSERT_EQ(intervals.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(intervals[i].from, expected[i].from, kClose) << i;
    EXPECT_EQ(intervals[i].to.has_value(), expected[i].to.has_value()) << i;
    EXPECT_NEAR(intervals[i].to.value_or(0), expected[i].to.value_or(0), kClose) << i;
    EXPECT_EQ(intervals[i].winner, expected[i].winner) << i;
  }
}

TEST(Ledger, OffloadWinsTheKitchenAtEveryLambdaOfTheTable) {
  // 0.3 * 312; 0.3 * 42 + 0.7 * 108; 0.3 * 12 + 0.7 * 6; and so on.
  expect_costs(0.3, 50, 93.6, 88.2, 7.8, offload_all);
  expect_costs(0.5, 50, 156, 75, 9, offload_all);
  expect_costs(0.8, 50, 249.6, 55.2, 10.8, offload_all);
}

TEST(Ledger, NarrowCorridorHasThreeWinners) {
  // Offload takes 150 s: 0.2 * 12 + 0.8 * 150 = 122.4 and so on.
  expect_costs(0.2, 2, 62.4, 94.8, 122.4, keep_all);
  expect_costs(0.3, 2, 93.6, 88.2, 108.6, checkpoint);
  expect_costs(0.5, 2, 156, 75, 81, checkpoint);
  expect_costs(0.8, 2, 249.6, 55.2, 39.6, offload_all);
}

TEST(Ledger, RecomputeAllIsShownAndWinsOnlyWhenItCompetes) {
  LedgerQuestion question = kitchen(0.3, 2);
  Ledger ledger = answer(question);
  EXPECT_NEAR(row(ledger, recompute_all).cost, 87.6, kClose);  // 0.3 * 12 + 0.7 * 120
  EXPECT_FALSE(row(ledger, recompute_all).competes);
  EXPECT_EQ(ledger.best, checkpoint);
  question.compete = parse_competitors("all", false).value();
  ledger = answer(question);
  EXPECT_EQ(ledger.best, recompute_all);
}

TEST(Ledger, RatiosOfTheKitchen) {
  const Ledger ledger = answer(kitchen(0.5));
  EXPECT_NEAR(row(ledger, checkpoint).r_mem, 0.9, kClose);
  EXPECT_NEAR(row(ledger, checkpoint).r_cost, 0.9, kClose);
  EXPECT_NEAR(row(ledger, checkpoint).r_mem_total, 270.0 / 312, kClose);
  EXPECT_EQ(row(ledger, offload_all).r_mem, 1);
  EXPECT_NEAR(row(ledger, offload_all).r_cost, 0.05, kClose);
  EXPECT_EQ(row(ledger, keep_all).r_mem, 0);
  EXPECT_EQ(row(ledger, keep_all).r_mem_total, 0);
  EXPECT_EQ(row(ledger, keep_all).r_cost, 0);
}

TEST(Ledger, HybridLiesBetweenCheckpointAndOffload) {
  LedgerQuestion question = kitchen(0.5);
  EXPECT_EQ(answer(question).rows.size(), 4U);  // no beta, no hybrid
  question.beta = 0.5;
  const Ledger ledger = answer(question);
  const LedgerRow& hybrid_row = row(ledger, hybrid);
  EXPECT_EQ(hybrid_row.memory_gb, 27);        // 12 + 0.5 * 30
  EXPECT_EQ(hybrid_row.extra_compute_s, 54);  // 0.5 * 108
  EXPECT_EQ(hybrid_row.extra_transfer_s, 3);  // 0.5 * 6
  EXPECT_EQ(hybrid_row.extra_s(), 57);
  EXPECT_NEAR(hybrid_row.cost, 42, kClose);     // 0.5 * (27 + 57)
  EXPECT_NEAR(hybrid_row.r_mem, 0.95, kClose);  // 1 - 15 / 300
  EXPECT_FALSE(hybrid_row.competes);
}

TEST(Ledger, TiesAreWonByTheEarlierRow) {
  LedgerQuestion question = kitchen(0.5);
  question.segments = 1;  // checkpoint with one segment drops nothing: it is keep_all
  question.compete = {{checkpoint, keep_all}};
  EXPECT_EQ(answer(question).best, keep_all);
  question = kitchen(0.5);
  question.beta = 0;  // a hybrid that recomputes nothing is offload_all
  question.compete = {{hybrid, offload_all}};
  EXPECT_EQ(answer(question).best, offload_all);
}

TEST(Ledger, LimitsChooseAmongWhatFitsAndSayWhichBinds) {
  // Narrow corridor at 0.2: keep_all (312 GB) would win; checkpoint is 42 GB and adds 108 s, offload 12 GB
  // and 150 s.
  LedgerQuestion question = kitchen(0.2, 2);
  question.limits.memory_gb = 42;
  Ledger ledger = answer(question);
  EXPECT_EQ(ledger.best, checkpoint);
  EXPECT_EQ(ledger.best_without_limits, keep_all);
  EXPECT_TRUE(ledger.memory_binds);
  EXPECT_FALSE(ledger.time_binds);

  question.limits.memory_gb = 41.9;
  EXPECT_EQ(answer(question).best, offload_all);

  question.limits.time_s = 149;
  ledger = answer(question);
  EXPECT_EQ(ledger.best, std::nullopt);
  EXPECT_TRUE(row(ledger, offload_all).over_time);
  EXPECT_FALSE(row(ledger, offload_all).over_memory);

  question = kitchen(0.8, 2);  // offload would win, but adds 150 s
  question.limits.time_s = 108;
  ledger = answer(question);
  EXPECT_EQ(ledger.best, checkpoint);
  EXPECT_TRUE(ledger.time_binds);
  EXPECT_FALSE(ledger.memory_binds);

  question.limits.memory_gb = 400;  // a limit that keeps nobody out does not bind
  question.limits.time_s = 400;
  ledger = answer(question);
  EXPECT_EQ(ledger.best, offload_all);
  EXPECT_FALSE(ledger.memory_binds || ledger.time_binds);
}

TEST(Ledger, ALimitAdmitsWhatOnlyRoundingPutsAboveIt) {
  EXPECT_TRUE(keeps_limit(0.1 + 0.2, 0.3));  // 0.30000000000000004
  EXPECT_FALSE(keeps_limit(0.3001, 0.3));
  EXPECT_TRUE(keeps_limit(1e12, std::nullopt));
}

TEST(Ledger, TheTimeLimitBoundsWhatIsAddedAndNotTheForward) {
  // 100 s are less than the forward of 120 s and still admit the 6 s of offload, but not the 108 s of
  // checkpoint.
  LedgerQuestion question = kitchen(0.3);
  question.limits.time_s = 100;
  const Ledger ledger = answer(question);
  EXPECT_EQ(ledger.best, offload_all);
  EXPECT_TRUE(row(ledger, keep_all).fits());
  EXPECT_FALSE(row(ledger, checkpoint).fits());
  EXPECT_FALSE(row(ledger, recompute_all).fits());
}

TEST(Ledger, BestSegmentsAreAtAnEndUnlessLimitsMoveThem) {
  // The cost of checkpoint is 0.5 * (12 + 120) + (0.5 * 300 - 0.5 * 120) / K: more segments, less cost.
  LedgerQuestion question = kitchen(0.5);
  question.segments = std::nullopt;
  Ledger ledger = answer(question);
  EXPECT_EQ(ledger.best_segments.without_limits, 100);
  EXPECT_EQ(ledger.best_segments.within_limits, 100);
  EXPECT_EQ(ledger.segments, 100);

  // 0.2 * 300 < 0.8 * 120: recompute is dear, so one segment, which drops nothing; but 62 GB ask for
  // 300 / K <= 50, so K = 6.
  question = kitchen(0.2);
  question.segments = std::nullopt;
  question.limits.memory_gb = 62;
  ledger = answer(question);
  EXPECT_EQ(ledger.best_segments.without_limits, 1);
  EXPECT_EQ(ledger.best_segments.within_limits, 6);
  EXPECT_EQ(ledger.segments, 6);

  // 120 (K-1)/K <= 90 asks for K <= 4.
  question = kitchen(0.5);
  question.segments = std::nullopt;
  question.limits.time_s = 90;
  EXPECT_EQ(answer(question).best_segments.within_limits, 4);

  // Both ends at once: K >= 6 and K <= 4.
  question.limits.memory_gb = 62;
  ledger = answer(question);
  EXPECT_EQ(ledger.best_segments.within_limits, std::nullopt);
  EXPECT_EQ(ledger.segments, 100);  // shown, and over its limits
  EXPECT_FALSE(row(ledger, checkpoint).fits());
}

TEST(Ledger, BetaLiesBetweenTheLinkAndTheComputeLimit) {
  LedgerQuestion question = kitchen(0.5);
  BetaRange range = answer(question).beta_range;
  EXPECT_EQ(range.least, 0);     // 50 GB/s for 120 s moves 6000 GB: all of it
  EXPECT_EQ(range.greatest, 1);  // no limit

  question = kitchen(0.5, 2);
  question.compute_limit_s = 54;
  range = answer(question).beta_range;
  EXPECT_NEAR(range.least, 0.2, kClose);     // 1 - 2 * 120 / 300
  EXPECT_NEAR(range.greatest, 0.5, kClose);  // 54 * 10 / (120 * 9)
  EXPECT_FALSE(range.empty());

  question.transfer_window_s = 60;  // half the window: 1 - 120 / 300
  range = answer(question).beta_range;
  EXPECT_NEAR(range.least, 0.6, kClose);
  EXPECT_TRUE(range.empty());

  question.compute_limit_s = std::nullopt;
  question.limits.time_s = 27;  // the limit on compute where none is given: 27 * 10 / (120 * 9)
  EXPECT_NEAR(answer(question).beta_range.greatest, 0.25, kClose);

  question.segments = 1;  // recomputes nothing, so no limit on compute bites
  EXPECT_EQ(answer(question).beta_range.greatest, 1);
}

TEST(Ledger, WinnerChangesInLambda) {
  // Wide corridor. keep_all against offload: 312 m = 12 m + 6 (1-m), so 306 m = 6. Checkpoint never wins: it
  // crosses offload where 42 m + 108 (1-m) = 12 m + 6 (1-m), which asks for a negative m.
  expect_intervals(answer(kitchen(0.5)).changes.lambda,
                   {{0, 6.0 / 306, keep_all}, {6.0 / 306, 1, offload_all}});
  // Narrow corridor. keep_all against checkpoint: 312 m = 42 m + 108 (1-m), so m = 108/378 = 2/7. Checkpoint
  // against offload: 42 m + 108 (1-m) = 12 m + 150 (1-m), so 30 m = 42 (1-m) and m = 7/12.
  expect_intervals(answer(kitchen(0.5, 2)).changes.lambda,
                   {{0, 2.0 / 7, keep_all}, {2.0 / 7, 7.0 / 12, checkpoint}, {7.0 / 12, 1, offload_all}});
  // With 42 GB at most, keep_all is out, and 7/12 is left.
  LedgerQuestion question = kitchen(0.5, 2);
  question.limits.memory_gb = 42;
  expect_intervals(answer(question).changes.lambda, {{0, 7.0 / 12, checkpoint}, {7.0 / 12, 1, offload_all}});
  // With 10 GB nobody is left.
  question.limits.memory_gb = 10;
  expect_intervals(answer(question).changes.lambda, {{0, 1, std::nullopt}});
}

TEST(Ledger, WinnerChangesInBandwidth) {
  // At 0.3, checkpoint costs 88.2 whatever the corridor; offload 3.6 + 0.7 * 300 / B; equal at
  // B = 210 / 84.6.
  expect_intervals(answer(kitchen(0.3)).changes.bandwidth,
                   {{0, 210 / 84.6, checkpoint}, {210 / 84.6, std::nullopt, offload_all}});
  // At 0.2, keep_all costs 62.4; offload 2.4 + 0.8 * 300 / B; equal at B = 240 / 60.
  expect_intervals(answer(kitchen(0.2)).changes.bandwidth,
                   {{0, 4, keep_all}, {4, std::nullopt, offload_all}});
  // A time limit of 30 s keeps checkpoint (108 s) out, and offload up to B = 300 / 30 = 10; with 100 GB of
  // memory keep_all is out too.
  LedgerQuestion question = kitchen(0.3);
  question.limits = {.memory_gb = 100, .time_s = 30};
  expect_intervals(answer(question).changes.bandwidth,
                   {{0, 10, std::nullopt}, {10, std::nullopt, offload_all}});
  // With no price on transfers the corridor does not matter.
  question = kitchen(0.3);
  question.weights = {.memory = 1, .compute = 1, .transfer = 0};
  expect_intervals(answer(question).changes.bandwidth, {{0, std::nullopt, offload_all}});
}

TEST(Ledger, RealCheckpointingHoldsItsInputsAndOneSegment) {
  const Kitchen k = kitchen(0.5).kitchen;
  EXPECT_EQ(checkpoint_memory_true(k, 10), 72);  // 12 + 3 * (10 + 10), where the ledger says 42
  EXPECT_EQ(checkpoint_memory_true(k, 1), 315);  // 12 + 3 * (1 + 100): one input more than keep_all
  EXPECT_EQ(checkpoint_memory_true(k, 100), 315);
  // Least at sqrt(100) = 10, and nowhere else.
  for (std::int64_t segments = 1; segments <= 100; ++segments)
    EXPECT_EQ(checkpoint_memory_true(k, segments) <= 72, segments == 10) << segments;
  EXPECT_EQ(best_segments_true(k), 10);
}

void expect_error(const LedgerQuestion& question, std::string_view where) {
  const auto ledger = make_ledger(question);
  ASSERT_FALSE(ledger.has_value()) << where;
  EXPECT_EQ(ledger.error().code, base::ErrorCode::usage);
  EXPECT_EQ(ledger.error().where, where);
  EXPECT_FALSE(ledger.error().hint.empty());
}

TEST(Ledger, BadKitchensAreErrors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto with = [](auto change) {
    LedgerQuestion question = kitchen(0.5);
    change(question.kitchen);
    return question;
  };
  for (std::int64_t layers : {std::int64_t{0}, std::int64_t{-1}, kMostLayers + 1, INT64_MAX})
    expect_error(with([=](Kitchen& k) { k.layers = layers; }), "layers");
  for (double bad : {nan, infinity, -1.0, 1e13}) {
    expect_error(with([=](Kitchen& k) { k.activation_gb = bad; }), "activation");
    expect_error(with([=](Kitchen& k) { k.base_gb = bad; }), "base");
    expect_error(with([=](Kitchen& k) { k.forward_s = bad; }), "forward");
    expect_error(with([=](Kitchen& k) { k.bandwidth_gb_per_s = bad; }), "bandwidth");
  }
  expect_error(with([](Kitchen& k) { k.activation_gb = 0; }), "activation");
  expect_error(with([](Kitchen& k) { k.forward_s = 0; }), "forward");
  expect_error(with([](Kitchen& k) { k.bandwidth_gb_per_s = 0; }), "bandwidth");
}

TEST(Ledger, BadWishesAreErrors) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto change) {
    LedgerQuestion question = kitchen(0.5);
    change(question);
    return question;
  };
  for (double bad : {nan, -0.1, 1.1}) {
    expect_error(with([=](LedgerQuestion& q) { q.weights = Weights::of(bad); }), "lambda");
    expect_error(with([=](LedgerQuestion& q) { q.weights.transfer = bad; }), "lambda");
    expect_error(with([=](LedgerQuestion& q) { q.beta = bad; }), "beta");
  }
  for (double bad : {nan, -1.0, 1e13}) {
    expect_error(with([=](LedgerQuestion& q) { q.limits.memory_gb = bad; }), "memory-limit");
    expect_error(with([=](LedgerQuestion& q) { q.limits.time_s = bad; }), "time-limit");
    expect_error(with([=](LedgerQuestion& q) { q.transfer_window_s = bad; }), "window");
    expect_error(with([=](LedgerQuestion& q) { q.compute_limit_s = bad; }), "compute-limit");
  }
  expect_error(with([](LedgerQuestion& q) { q.segments = 0; }), "segments");
  expect_error(with([](LedgerQuestion& q) { q.segments = 101; }), "segments");
  expect_error(with([](LedgerQuestion& q) { q.compete = {{hybrid}}; }), "compete");
  expect_error(with([](LedgerQuestion& q) { q.compete = std::vector<LedgerStrategy>{}; }), "compete");
}

TEST(Ledger, CompetitorsAreParsed) {
  EXPECT_EQ(parse_competitors("offload_all,keep_all", false).value(), (std::vector{offload_all, keep_all}));
  EXPECT_EQ(parse_competitors("keep_all,keep_all", false).value(), (std::vector{keep_all}));
  EXPECT_EQ(parse_competitors("all", true).value().size(), 5U);
  EXPECT_EQ(parse_competitors("all", false).value().size(), 4U);
  for (const char* bad : {"", ",", "keep_all,", "chekpoint"})
    EXPECT_FALSE(parse_competitors(bad, true)) << bad;
  EXPECT_EQ(parse_competitors("chekpoint", true).error().hint, "did you mean 'checkpoint'?");
}

LedgerQuestion random_question() {
  const auto number = [](int low, int high) { return *rc::gen::inRange(low, high); };
  LedgerQuestion question;
  question.kitchen = {.layers = number(1, 60),
                      .activation_gb = number(1, 40) / 8.0,
                      .base_gb = number(0, 40) / 2.0,
                      .forward_s = number(1, 200) / 2.0,
                      .bandwidth_gb_per_s = number(1, 400) / 16.0};
  question.weights = Weights::of(number(0, 65) / 64.0);
  if (number(0, 2)) question.limits.memory_gb = number(0, 200);
  if (number(0, 2)) question.limits.time_s = number(0, 300);
  question.segments = number(1, static_cast<int>(question.kitchen.layers) + 1);
  if (number(0, 2)) question.beta = number(0, 9) / 8.0;
  if (number(0, 2)) question.compete = parse_competitors("all", question.beta.has_value()).value();
  return question;
}

// The intervals cover the whole range without a gap, and neighbours differ.
void check_cover(const std::vector<WinnerInterval>& intervals, double from, std::optional<double> to) {
  RC_ASSERT(intervals.front().from == from);
  RC_ASSERT(intervals.back().to == to);
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    RC_ASSERT(intervals[i].from == intervals[i - 1].to);
    RC_ASSERT(intervals[i].winner != intervals[i - 1].winner);
  }
}

// The winner that the intervals name at `place` is the winner that a ledger finds there. Within 1e-6 of a
// change either side is right.
void check_winner(const std::vector<WinnerInterval>& intervals, double place, const Ledger& there) {
  for (const WinnerInterval& interval : intervals) {
    const double margin = 1e-6 * (1 + place);
    if (place <= interval.from + margin || (interval.to && place >= *interval.to - margin)) continue;
    RC_ASSERT(there.best == interval.winner);
  }
}

RC_GTEST_PROP(LedgerProperty, WinnerAtAnyLambdaIsItsIntervals, ()) {
  LedgerQuestion question = random_question();
  const Ledger ledger = answer(question);
  check_cover(ledger.changes.lambda, 0, 1);
  const double lambda = *rc::gen::inRange(0, 1000) / 999.0;
  question.weights = Weights::of(lambda);
  check_winner(ledger.changes.lambda, lambda, answer(question));
}

RC_GTEST_PROP(LedgerProperty, WinnerAtAnyBandwidthIsItsIntervals, ()) {
  LedgerQuestion question = random_question();
  const Ledger ledger = answer(question);
  check_cover(ledger.changes.bandwidth, 0, std::nullopt);
  question.kitchen.bandwidth_gb_per_s = *rc::gen::inRange(1, 2000) / 37.0;
  check_winner(ledger.changes.bandwidth, question.kitchen.bandwidth_gb_per_s, answer(question));
}

RC_GTEST_PROP(LedgerProperty, NoSegmentsBeatTheBestOnes, ()) {
  LedgerQuestion question = random_question();
  question.segments = std::nullopt;
  const BestSegments best = answer(question).best_segments;
  const auto checkpoint_with = [&](std::int64_t segments) {
    question.segments = segments;
    return row(answer(question), checkpoint);
  };
  const LedgerRow free = checkpoint_with(best.without_limits);
  for (std::int64_t k = 1; k <= question.kitchen.layers; ++k) {
    const LedgerRow other = checkpoint_with(k);
    RC_ASSERT(free.cost <= other.cost + kClose);
    if (!other.fits()) continue;
    RC_ASSERT(best.within_limits.has_value());
    const LedgerRow limited = checkpoint_with(*best.within_limits);
    RC_ASSERT(limited.fits());
    RC_ASSERT(limited.cost <= other.cost + kClose);
  }
}

}  // namespace
}  // namespace worktop::cost
