// A maximum flow and the minimum cut that it proves: Dinic's algorithm (1970) with the current-arc rule, on
// 64-bit integers.
//
// The network stays, capacities change: `set_capacity`, then `run` from nothing. Sums of the capacities out
// of the source, or into the sink, must stay below 2^63.
#pragma once

#include <cstdint>
#include <vector>

namespace worktop::solver {

class MaxFlow {
 public:
  static constexpr std::int64_t kInfinite = INT64_MAX / 2;

  // Forgets nodes and edges.
  void clear();
  std::int32_t add_node();
  // The edge's number. Its capacity is 0 until it is set.
  std::int32_t add_edge(std::int32_t from, std::int32_t to);
  void set_capacity(std::int32_t edge, std::int64_t capacity) {
    residual_[static_cast<std::size_t>(2 * edge)] = capacity;
    residual_[static_cast<std::size_t>(2 * edge + 1)] = 0;
  }

  // The value of a maximum flow from `source` to `sink`. Afterwards `on_source_side` tells the cut nearest to
  // the source. Without a finite cut: at least kInfinite.
  std::int64_t run(std::int32_t source, std::int32_t sink);
  [[nodiscard]] bool on_source_side(std::int32_t node) const { return level_[at(node)] >= 0; }
  // Edges looked at by all runs so far: what the work is counted in.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  bool find_levels(std::int32_t source, std::int32_t sink);
  std::int64_t push_path(std::int32_t source, std::int32_t sink);

  // Arc 2e is edge e, arc 2e + 1 its reverse.
  std::vector<std::int32_t> first_, next_, to_;  // arcs of a node as a list: first_[node], next_[arc]
  std::vector<std::int64_t> residual_;
  std::vector<std::int32_t> level_, current_, queue_, path_;
  std::int64_t work_ = 0;
};

}  // namespace worktop::solver
