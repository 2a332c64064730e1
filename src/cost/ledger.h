// What does each way of treating the activations cost? The closed form that people reason with.
//
// For L layers of `a` GB of activation each (A = L * a), base memory M0, forward time F and link bandwidth B:
//
//   strategy                memory          extra compute      extra transfer
//   keep_all                M0 + A          0                  0
//   checkpoint, K segments  M0 + A/K        F (K-1)/K          0
//   recompute_all           M0              F                  0
//   offload_all             M0              0                  A/B
//   hybrid, beta and K      M0 + beta A/K   beta F (K-1)/K     (1-beta) A/B
//
// Cost = lambda_m * memory + lambda_c * extra compute + lambda_t * extra transfer. The least cost among the
// competing rows that keep the limits wins. Units are those people use: GB = 10^9 bytes, seconds, GB/s.
//
// This is a teaching model, and it says so: checkpointing really holds its K inputs plus one whole segment
// (`checkpoint_memory_true`), a replay of every layer from the network's input costs O(L^2), and transfers go
// both ways, share links and overlap compute. The simulated truth is src/simulator's.
//
// Always: the same question gives the same answer. Ties are won by the earlier row of the table above; two
// numbers that differ by less than kRounding of their size are taken as equal, because a limit of 40 GB must
// admit 40.000000000000007.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace worktop::cost {

using base::Result;

inline constexpr double kRounding = 1e-12;
inline constexpr std::int64_t kMostLayers = 1'000'000;  // the best K is found by trying each
inline constexpr double kLargestQuantity = 1e12;        // GB, s and GB/s
inline constexpr double kLeastQuantity = 1e-12;         // of what must be positive: a, F and B

struct Kitchen {
  std::int64_t layers = 0;        // L, 1 to kMostLayers
  double activation_gb = 0;       // a, of one layer, positive
  double base_gb = 0;             // M0, not negative
  double forward_s = 0;           // F, positive
  double bandwidth_gb_per_s = 0;  // B, positive
  [[nodiscard]] double activations_gb() const { return static_cast<double>(layers) * activation_gb; }
};

// What a GB held, a second of recompute and a second of a busy link cost; each from 0 to 1.
struct Weights {
  double memory = 0;
  double compute = 0;
  double transfer = 0;
  // One number m means (m, 1 - m, 1 - m).
  [[nodiscard]] static constexpr Weights of(double lambda) { return {lambda, 1 - lambda, 1 - lambda}; }
};

// In the order of the table, which is also the order that breaks ties.
enum class LedgerStrategy : std::uint8_t { keep_all, checkpoint, recompute_all, offload_all, hybrid };
[[nodiscard]] std::string_view name_of(LedgerStrategy strategy);

// "keep_all,offload_all", or "all": every row that is shown, so the hybrid only when there is one.
[[nodiscard]] Result<std::vector<LedgerStrategy>> parse_competitors(std::string_view text, bool with_hybrid);

// Absent means unlimited.
struct LedgerLimits {
  std::optional<double> memory_gb;  // M_lim: at most this much memory
  std::optional<double> time_s;     // T_lim: what may be added to the forward, extra compute + extra transfer
};

struct LedgerQuestion {
  Kitchen kitchen;
  Weights weights;
  LedgerLimits limits;
  std::optional<std::int64_t> segments;  // K, 1 to L; absent: the best one
  std::optional<double> beta;            // the share that is recomputed, 0 to 1; absent: no hybrid row
  // Absent: keep_all, checkpoint and offload_all compete, the other rows are shown beside them.
  std::optional<std::vector<LedgerStrategy>> compete;
  std::optional<double> transfer_window_s;  // the time that the link has; absent: the forward's
  std::optional<double> compute_limit_s;    // C_lim; absent: T_lim, if given
};

struct LedgerRow {
  LedgerStrategy strategy{};
  double memory_gb = 0;
  double extra_compute_s = 0;
  double extra_transfer_s = 0;
  double cost = 0;
  double r_mem = 0;        // share of the activations' memory that is saved: 1 - (memory - M0) / A
  double r_mem_total = 0;  // share of all memory that is saved: 1 - memory / (M0 + A)
  double r_cost = 0;       // both extras as a share of the forward
  bool competes = false;
  bool over_memory = false;                                                            // more than M_lim
  bool over_time = false;                                                              // more than T_lim
  [[nodiscard]] double extra_s() const { return extra_compute_s + extra_transfer_s; }  // one after the other
  [[nodiscard]] bool fits() const { return !over_memory && !over_time; }
};

// The K that makes checkpoint's cost least, found by trying 1 to L; ties: the smallest. The cost is a
// constant plus (lambda_m A - lambda_c F) / K, so without limits the best is one of the two ends: 1 (nothing
// is dropped) or L. Ever more segments would come to recompute_all.
struct BestSegments {
  std::int64_t without_limits = 1;
  std::optional<std::int64_t> within_limits;  // absent: no K keeps the limits
};

// The shares of recompute that a hybrid can have.
struct BetaRange {
  double least = 0;     // the link moves the rest in its window: beta >= 1 - B * window / A, from 0
  double greatest = 1;  // recompute keeps its limit: beta <= C_lim K / (F (K-1)), up to 1
  [[nodiscard]] bool empty() const { return least > greatest; }
};

// The winner for every value from `from` to `to`; at a change itself both cost the same.
struct WinnerInterval {
  double from = 0;
  std::optional<double> to;              // absent: without end
  std::optional<LedgerStrategy> winner;  // absent: no competing row keeps the limits
};

struct WinnerChanges {
  std::vector<WinnerInterval> lambda;     // over lambda from 0 to 1 meaning (m, 1 - m, 1 - m), K held
  std::vector<WinnerInterval> bandwidth;  // over B in GB/s from 0 without end, at the question's weights
};

struct Ledger {
  LedgerQuestion question;
  std::int64_t segments = 1;           // the K of the rows
  std::vector<LedgerRow> rows;         // in the order of the table
  std::optional<LedgerStrategy> best;  // absent: no competing row keeps the limits
  LedgerStrategy best_without_limits{};
  bool memory_binds = false;  // M_lim keeps best_without_limits from winning
  bool time_binds = false;    // T_lim does
  BestSegments best_segments;
  BetaRange beta_range;
  WinnerChanges changes;
};

// The answer to everything above. Errors (usage): a number that is not finite or outside its range, K beyond
// L, a competing hybrid without beta, no competitor at all.
[[nodiscard]] Result<Ledger> make_ledger(const LedgerQuestion& question);

// The winner among rows whose numbers are filled in: of those that compete, and fit unless `any_size`.
[[nodiscard]] std::optional<LedgerStrategy> winner_among(const std::vector<LedgerRow>& rows,
                                                         bool any_size = false);

// Whether `amount` keeps `limit`, up to kRounding.
[[nodiscard]] bool keeps_limit(double amount, std::optional<double> limit);

// What checkpointing with K segments really holds at its peak, in GB: the base, the input of each segment (as
// large as a layer's activation) and one whole segment of ceil(L/K) layers: M0 + a (K + ceil(L/K)). Its least
// is near K = sqrt(L), and it grows again beyond. `segments` must be 1 to L.
[[nodiscard]] double checkpoint_memory_true(const Kitchen& kitchen, std::int64_t segments);

// The K from 1 to L that really holds least; ties: the smallest.
[[nodiscard]] std::int64_t best_segments_true(const Kitchen& kitchen);

}  // namespace worktop::cost
