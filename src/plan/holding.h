// Which values the executor holds across which boundaries: the form in which solvers think of a plan.
//
// A Holding is one bit per value and boundary (Checkmate's S matrix; Jain et al. 2020). Bit (v, t) says that
// the executor holds v while boundary t is crossed into stage t; stage t is the actions of boundary t and op
// t. Any bits are a plan: what an op reads and nobody holds is made again by a replay (plan/replay.h). A
// value is *present* at a boundary when the executor or the program holds it there.
#pragma once

#include <cstdint>

#include "base/bit_rows.h"
#include "graph/graph.h"

namespace worktop::plan {

using graph::Graph;
using graph::OpId;
using graph::ValueId;

// The boundaries at which the program itself holds a value: [first, last], empty if last < first.
struct ProgramWindow {
  std::int32_t first = 0;
  std::int32_t last = -1;
  [[nodiscard]] bool holds(std::int32_t boundary) const { return first <= boundary && boundary <= last; }
};
[[nodiscard]] ProgramWindow program_window(const Graph& graph, ValueId value);

// Whether the op after the producer reads the value: then it is still there at that boundary, whoever lets
// go, because that op holds it already. Its first bit is always taken as set.
[[nodiscard]] bool read_at_once(const Graph& graph, ValueId value);

// Whether somebody may ask for the value after the last op though the program has let go of it (traces): it
// has to be there at the end of the step.
[[nodiscard]] bool needed_at_end(const Graph& graph, ValueId value);

class Holding {
 public:
  // Nothing held by the executor.
  explicit Holding(const Graph& graph);

  [[nodiscard]] std::int32_t boundaries() const { return bits_.columns(); }  // op_count() + 1
  [[nodiscard]] bool held(ValueId v, std::int32_t boundary) const { return bits_.get(v, boundary); }
  [[nodiscard]] bool present(ValueId v, std::int32_t boundary) const {
    return windows_[v].holds(boundary) || held(v, boundary);
  }
  [[nodiscard]] const ProgramWindow& window(ValueId v) const { return windows_[v]; }

  // Sets bits first .. last, both included; nothing if last < first.
  void hold(ValueId v, std::int32_t first, std::int32_t last) { bits_.fill(v, first, last, true); }
  void release(ValueId v, std::int32_t first, std::int32_t last) { bits_.fill(v, first, last, false); }
  // Makes the bits of `v` what they are in `from`, of the same graph.
  void copy_row(const Holding& from, ValueId v) { bits_.copy_row(from.bits_, v); }

  // Calls visit(first, last) for each longest run of set bits of `v`, in order; both are included.
  template <class Visit>
  void for_each_run(ValueId v, Visit&& visit) const {
    for (std::int32_t first = first_with(v, 0, true); first < boundaries();) {
      const std::int32_t after = first_with(v, first, false);
      visit(first, after - 1);
      first = first_with(v, after, true);
    }
  }

  // The last boundary <= `boundary` whose bit equals `bit`, or -1; the first >= `boundary`, or boundaries().
  [[nodiscard]] std::int32_t last_with(ValueId v, std::int32_t boundary, bool bit) const {
    return bits_.last_with(v, boundary, bit);
  }
  [[nodiscard]] std::int32_t first_with(ValueId v, std::int32_t boundary, bool bit) const {
    return bits_.first_with(v, boundary, bit);
  }

  friend bool operator==(const Holding& a, const Holding& b) { return a.bits_ == b.bits_; }

 private:
  base::BitRows<ValueId> bits_;
  base::IdVector<ValueId, ProgramWindow> windows_;
};

}  // namespace worktop::plan
