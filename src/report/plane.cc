#include "report/plane.h"

#include <algorithm>
#include <tuple>

namespace worktop::report {
namespace {

constexpr double kRoom = 0.06;      // around what is shown, as a share of it
constexpr double kNear = 0.75;      // what lies at most so far beyond, as a share of it, is shown too
constexpr std::int32_t kLines = 5;  // of equal cost

std::int64_t scaled(std::int64_t amount, double by) {
  return static_cast<std::int64_t>(static_cast<double>(amount) * by);
}

// Indices, ascending in peak and strictly falling in time.
std::vector<std::size_t> unbeaten(std::span<const Spot> spots) {
  std::vector<std::size_t> order(spots.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tuple(spots[a].at.peak, spots[a].at.ns) < std::tuple(spots[b].at.peak, spots[b].at.ns);
  });
  std::vector<std::size_t> line;
  for (const std::size_t i : order)
    if (line.empty() || spots[i].at.ns < spots[line.back()].at.ns) line.push_back(i);
  return line;
}

// One dimension of the view: the essential range, what is near it, and some room.
struct Range {
  std::int64_t low = 0, high = 0;
  [[nodiscard]] bool near(std::int64_t at) const {
    const auto reach = std::max<std::int64_t>(1, scaled(high - low, kNear));
    return at >= low - reach && at <= high + reach;
  }
  void stretch(std::int64_t at) {
    low = std::min(low, at);
    high = std::max(high, at);
  }
  void add_room() {
    const std::int64_t room =
        std::max<std::int64_t>(std::max<std::int64_t>(1, high / 50), scaled(high - low, kRoom));
    low = std::max<std::int64_t>(0, low - room);
    high += room;
  }
};

template <class Amount>
Range range_of(std::span<const Spot> spots, Amount amount, std::int64_t bound,
               std::optional<std::int64_t> limit) {
  std::optional<Range> found;
  for (const Spot& spot : spots) {
    if (!spot.essential) continue;
    if (!found) found = Range{amount(spot), amount(spot)};
    found->stretch(amount(spot));
  }
  Range range = found.value_or(Range{bound, bound});
  const Range essential = range;
  for (const Spot& spot : spots)
    if (essential.near(amount(spot))) range.stretch(amount(spot));
  for (const std::int64_t at : {bound, limit.value_or(bound)})
    if (essential.near(at)) range.stretch(at);
  range.add_room();
  return range;
}

View view_of(std::span<const Spot> spots, const AxisQuestion& question) {
  const auto count = [](const auto& maybe) {
    return maybe ? std::optional(maybe->count()) : std::optional<std::int64_t>();
  };
  const Range memory = range_of(
      spots, [](const Spot& spot) { return spot.at.peak.count(); }, question.least_possible.count(),
      count(question.memory_limit));
  const Range time = range_of(
      spots, [](const Spot& spot) { return spot.at.ns.count(); }, question.bound_ns.count(),
      count(question.time_limit));
  return {{Bytes{memory.low}, Nanoseconds{time.low}}, {Bytes{memory.high}, Nanoseconds{time.high}}};
}

// The steps: a corner before each point of the line.
std::vector<Place> dominated_by(const std::vector<Place>& line, const View& view) {
  std::vector<Place> steps;
  for (const Place& place : line) {
    steps.push_back({place.peak, steps.empty() ? view.to.ns : steps.back().ns});
    steps.push_back(place);
  }
  if (!steps.empty()) steps.push_back({view.to.peak, steps.back().ns});
  return steps;
}

// The line of this cost within the view; none where it does not cross it.
std::optional<IsoCost> iso_line(const AxisQuestion& question, const View& view, double cost) {
  const double m = question.memory_weight, t = question.time_weight;
  const auto gb = [](Bytes bytes) { return ratio(bytes, base::kGB); };
  const auto seconds = [](Nanoseconds ns) { return ratio(ns, base::kSecond); };
  // Clipped in x first, then in y; weights of 0 leave a horizontal or vertical line.
  double left = gb(view.from.peak), right = gb(view.to.peak);
  const double low = seconds(view.from.ns), high = seconds(view.to.ns);
  if (t <= 0) {
    const double x = cost / m;
    if (x < left || x > right) return std::nullopt;
    const Bytes peak{static_cast<std::int64_t>(x * 1e9)};
    return IsoCost{cost, {peak, view.to.ns}, {peak, view.from.ns}, {}};
  }
  if (m > 0) {
    left = std::max(left, (cost - t * high) / m);
    right = std::min(right, (cost - t * low) / m);
  }
  if (left > right) return std::nullopt;
  const double y_left = (cost - m * left) / t, y_right = (cost - m * right) / t;
  if (m <= 0 && (y_left < low || y_left > high)) return std::nullopt;
  const auto place = [](double x, double y) {
    return Place{Bytes{static_cast<std::int64_t>(x * 1e9)}, Nanoseconds{static_cast<std::int64_t>(y * 1e9)}};
  };
  return IsoCost{cost, place(left, y_left), place(right, y_right), {}};
}

std::vector<IsoCost> iso_costs(const AxisQuestion& question, const Axis& axis, std::span<const Spot> spots) {
  std::vector<IsoCost> lines;
  if (question.memory_weight <= 0 && question.time_weight <= 0) return lines;
  const double least = axis.best ? axis.best_cost : cost_at(question, axis.view.from);
  const double most = cost_at(question, axis.view.to);
  for (std::int32_t i = 0; i < kLines; ++i) {
    auto line = iso_line(question, axis.view, least + (most - least) * i / kLines);
    if (!line) continue;
    if (i == 0 && axis.best) line->through = spots[*axis.best].name;
    lines.push_back(*std::move(line));
  }
  return lines;
}

}  // namespace

double cost_at(const AxisQuestion& question, const Place& place) {
  return question.memory_weight * ratio(place.peak, base::kGB) +
         question.time_weight * ratio(place.ns, base::kSecond);
}

Axis axis_of(std::span<const Spot> spots, const AxisQuestion& question) {
  Axis axis;
  axis.view = view_of(spots, question);
  for (const std::size_t i : unbeaten(spots)) {
    axis.line.push_back(spots[i].name);
    axis.line_at.push_back(spots[i].at);
  }
  axis.dominated = dominated_by(axis.line_at, axis.view);
  axis.bound = {{question.least_possible, axis.view.to.ns},
                {question.least_possible, question.bound_ns},
                {axis.view.to.peak, question.bound_ns}};
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (!spots[i].competes || !spots[i].fits) continue;
    const double cost = cost_at(question, spots[i].at);
    const bool better = !axis.best || cost < axis.best_cost ||
                        (cost == axis.best_cost && spots[i].at.peak < spots[*axis.best].at.peak);
    if (!better) continue;
    axis.best = i;
    axis.best_name = spots[i].name;
    axis.best_cost = cost;
  }
  axis.iso_cost = iso_costs(question, axis, spots);
  return axis;
}

}  // namespace worktop::report
