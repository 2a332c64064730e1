#include "solver/fewer_trips.h"

#include <algorithm>

#include "plan/legal.h"
#include "plan/lower.h"
#include "solver/evaluation.h"

namespace worktop::solver {
namespace {

using plan::Holding;
using plan::Trip;

// What taking a trip back would cost: by stage, the bytes above what the stage holds now.
class Stages {
 public:
  Stages(const Problem& problem, const Holding& holding, const std::vector<Trip>& trips) : problem_(problem) {
    const Evaluation state(problem.graph, problem.durations, holding, trips, Bytes{INT64_MAX / 4});
    for (std::int32_t t = 0; t < state.stage_count(); ++t) bytes_.push_back(state.stage_bytes(t));
  }

  void hold(const Trip& trip) { add(trip, bytes_of(trip)); }
  void let_go(const Trip& trip) { add(trip, -bytes_of(trip)); }
  [[nodiscard]] bool fits(const Trip& trip, std::int64_t budget) const {
    return std::all_of(bytes_.begin() + trip.release_at, bytes_.begin() + trip.in_at + 1,
                       [&](std::int64_t bytes) { return bytes + bytes_of(trip) <= budget; });
  }
  // The bytes above the budget, summed over the stages of the trip's absence.
  [[nodiscard]] double over(const Trip& trip, std::int64_t budget) const {
    double sum = 0;
    for (auto it = bytes_.begin() + trip.release_at; it != bytes_.begin() + trip.in_at + 1; ++it)
      sum += static_cast<double>(std::max<std::int64_t>(0, *it - budget));
    return sum;
  }

 private:
  [[nodiscard]] std::int64_t bytes_of(const Trip& trip) const {
    return problem_.graph.value(trip.value).bytes.count();
  }
  void add(const Trip& trip, std::int64_t bytes) {
    for (auto it = bytes_.begin() + trip.release_at; it != bytes_.begin() + trip.in_at + 1; ++it)
      *it += bytes;
  }

  const Problem& problem_;
  std::vector<std::int64_t> bytes_;
};

// The trips that need not be made, in the order in which they were taken back.
std::vector<Trip> needless(const Problem& problem, const Holding& holding, const std::vector<Trip>& trips) {
  if (!problem.budgets.device) return trips;
  const std::int64_t budget = problem.budgets.device->count();
  Stages stages(problem, holding, trips);
  for (const Trip& trip : trips) stages.hold(trip);
  struct Ranked {
    double help = 0;
    Bytes bytes{0};
    Trip trip;
  };
  std::vector<Ranked> ranked;
  for (const Trip& trip : trips)
    ranked.push_back({stages.over(trip, budget), problem.graph.value(trip.value).bytes, trip});
  for (const Trip& trip : trips) stages.let_go(trip);
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.help != b.help ? a.help < b.help : a.bytes > b.bytes;
  });
  std::vector<Trip> back;
  for (const Ranked& r : ranked) {
    if (!stages.fits(r.trip, budget)) continue;
    stages.hold(r.trip);
    back.push_back(r.trip);
  }
  return back;
}

}  // namespace

std::optional<Planned> realised(const Problem& problem, const Holding& holding,
                                const std::vector<Trip>& trips, std::string made_by) {
  auto plan = plan::lower(problem.graph, problem.machine, holding, trips, std::move(made_by));
  if (!plan || !plan::legal(problem.graph, problem.machine, *plan)) return std::nullopt;
  return predict(problem, *std::move(plan));
}

Planned with_fewer_trips(const Problem& problem, Holding holding, std::vector<Trip> trips,
                         const Planned& planned) {
  if (trips.empty()) return planned;
  std::vector<Trip> back = needless(problem, holding, trips);
  // All of them; should that be slower (links slow each other down, so it can be), half of them, ...
  for (; !back.empty(); back.resize(back.size() / 2)) {
    Holding held = holding;
    std::vector<Trip> made;
    for (const Trip& trip : trips) {
      if (std::ranges::find(back, trip) == back.end())
        made.push_back(trip);
      else
        held.hold(trip.value, trip.release_at + 1, trip.in_at);
    }
    std::optional<Planned> fewer = realised(problem, held, made, "search");
    if (fewer && fits(*fewer, problem.budgets) && better(*fewer, planned)) return *std::move(fewer);
  }
  return planned;
}

}  // namespace worktop::solver
