#include "report/frontier.h"

#include <algorithm>
#include <utility>

namespace worktop::report {

std::optional<Nanoseconds> price_per_gib(const FrontierPoint& less, const FrontierPoint& more) {
  if (more.peak <= less.peak || more.step_ns >= less.step_ns) return std::nullopt;
  const double per_gib =
      ratio(less.step_ns - more.step_ns, Nanoseconds{1}) / ratio(more.peak - less.peak, base::kGiB);
  if (!(per_gib < Nanoseconds::largest().as_double())) return Nanoseconds::largest();
  return Nanoseconds{static_cast<std::int64_t>(per_gib + 0.5)};
}

std::vector<FrontierPoint> non_dominated(std::vector<FrontierPoint> points) {
  std::ranges::stable_sort(points, {}, [](const FrontierPoint& p) { return std::pair(p.peak, p.step_ns); });
  std::vector<FrontierPoint> best;
  for (FrontierPoint& point : points)
    if (best.empty() || point.step_ns < best.back().step_ns) best.push_back(std::move(point));
  for (std::size_t i = 0; i < best.size(); ++i)
    best[i].price_per_gib = i + 1 < best.size() ? price_per_gib(best[i], best[i + 1]) : std::nullopt;
  return best;
}

Picks pick(std::span<const FrontierPoint> points) {
  const std::vector<FrontierPoint> best = non_dominated({points.begin(), points.end()});
  if (best.empty()) return {};
  const FrontierPoint& first = best.front();
  const FrontierPoint& last = best.back();
  Picks picks{.least_memory = first.name, .fastest = last.name, .balanced = last.name};
  // On the scaled axes the chord is x + y = 1, and 1 - x - y grows with the distance below it.
  double farthest = 0;
  for (const FrontierPoint& point : best) {
    if (&point == &first || &point == &last) continue;
    const double x = ratio(point.peak - first.peak, last.peak - first.peak);
    const double y = ratio(point.step_ns - last.step_ns, first.step_ns - last.step_ns);
    if (1 - x - y <= farthest) continue;
    farthest = 1 - x - y;
    picks.balanced = point.name;
  }
  return picks;
}

}  // namespace worktop::report
