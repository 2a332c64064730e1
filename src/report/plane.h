// The plane of memory against time, as it is drawn: what beats what on an axis of one's choice, the region
// behind, lines of equal cost, and how far one has to look.
//
// Points are (bytes of peak, nanoseconds): of the step, of recompute, or of busy links. Cost is
// memory_weight * GB + time_weight * s, a straight line in the plane.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"

namespace worktop::report {

using base::Bytes;
using base::Nanoseconds;

struct Place {
  Bytes peak;
  Nanoseconds ns{0};
  friend bool operator==(const Place&, const Place&) = default;
};

struct Spot {
  std::string name;
  Place at;
  bool competes = true;
  bool fits = true;
  // Part of the whole trade-off: the view shows all of these; others only if they are near.
  bool essential = false;
};

struct View {
  Place from, to;
};

struct IsoCost {
  double cost = 0;
  Place from, to;       // where the line enters and leaves the view, from the left
  std::string through;  // the point of this cost; empty: none
};

struct AxisQuestion {
  double memory_weight = 0.5, time_weight = 0.5;
  Bytes least_possible;               // no plan has less
  Nanoseconds bound_ns{0};            // no plan is faster, on this axis
  std::optional<Bytes> memory_limit;  // shown if near
  std::optional<Nanoseconds> time_limit;
};

struct Axis {
  View view;
  std::vector<std::string> line;  // what no other point beats, ascending in peak
  std::vector<Place> line_at;
  std::vector<Place> dominated;     // steps from the upper left to the lower right
  std::vector<Place> bound;         // down along the least memory, right along the least time
  std::vector<IsoCost> iso_cost;    // the least first; none where neither weight counts
  std::optional<std::size_t> best;  // index of the spot of least cost of those that compete and fit; of
                                    // equals that of less memory
  std::string best_name;
  double best_cost = 0;
};

[[nodiscard]] Axis axis_of(std::span<const Spot> spots, const AxisQuestion& question);

[[nodiscard]] double cost_at(const AxisQuestion& question, const Place& place);

}  // namespace worktop::report
