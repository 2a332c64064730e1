// Plans as the page shows them: beside keep-all and the limits, with their fates, and how to ask for them
// again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advisor/asked.h"
#include "report/fate_shares.h"

namespace worktop::advisor {

// Which plan of a subject is meant.
enum class WhichKind : std::uint8_t { best, strategy, point, file };
struct Which {
  WhichKind kind = WhichKind::best;
  std::string name = {};    // of a strategy or a point
  std::int32_t points = 0;  // of the frontier that the point is of
  solver::Effort effort = solver::Effort::normal;
};

struct PlanView {
  std::string name;
  Which which;
  std::string family;  // "checkpoint" of "checkpoint(8)"
  bool competes = true;
  report::MainFate main_fate = report::MainFate::keep;
  Choice choice;
  double over_keep_all = 0;  // share of keep-all's step
  Nanoseconds over_keep_all_ns{0};
  std::optional<double> gap;
  Bytes over_bytes;        // beyond the memory limit; 0: within
  Nanoseconds over_ns{0};  // beyond the time limit
  bool on_frontier = false;
  std::optional<Nanoseconds> price_per_gib;
  std::vector<report::FateShare> fates;
};

class Viewer {
 public:
  // The references must outlive it.
  Viewer(const Asked& asked, const solver::Planned& keep_all, Nanoseconds bound_ns)
      : asked_(asked), keep_all_(keep_all), bound_ns_(bound_ns), shown_(asked, keep_all) {}
  [[nodiscard]] PlanView view(const solver::Planned& planned, std::string name, Which which) const;

 private:
  const Asked& asked_;
  const solver::Planned& keep_all_;
  Nanoseconds bound_ns_;
  Shown shown_;
};

[[nodiscard]] std::string family_of(const std::string& name);

// Lowers and simulates the strategy of this name. Error (usage): there is none.
[[nodiscard]] base::Result<solver::Planned> play_strategy(const Subject& subject, const std::string& name);

}  // namespace worktop::advisor
