// Counting effort, and stopping: one unit is one evaluation of a change. Solvers ask the meter, never a
// clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "solver/portfolio.h"

namespace worktop::solver {

class Meter {
 public:
  Meter(std::int64_t units, const Options& options) : total_(units), on_progress_(options.on_progress) {}

  // Spends units; false once the effort is used up or the caller said stop.
  bool spend(std::int64_t units, const char* doing = "search") {
    spent_ += units;
    if (on_progress_ && spent_ >= next_report_) {
      next_report_ = spent_ + kReportEvery;
      if (!on_progress_({doing, std::min(spent_, total_), total_, best_})) stopped_ = true;
    }
    return !done();
  }
  [[nodiscard]] bool done() const { return stopped_ || spent_ >= total_; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  [[nodiscard]] std::int64_t left() const { return std::max<std::int64_t>(0, total_ - spent_); }
  void found(Nanoseconds step) {
    if (!best_ || step < *best_) best_ = step;
  }

 private:
  static constexpr std::int64_t kReportEvery = 5000;
  std::int64_t total_ = 0;
  std::int64_t spent_ = 0;
  std::int64_t next_report_ = 0;
  std::optional<Nanoseconds> best_;
  bool stopped_ = false;
  const std::function<bool(const Progress&)>& on_progress_;
};

}  // namespace worktop::solver
