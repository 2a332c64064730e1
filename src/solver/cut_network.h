// What one moment asks for, as a minimum cut: which values are kept at op `a`, and which ops run again after
// it.
//
// While op a runs, what the program holds, what a reads and writes, and its workspace are on the device
// anyway; the rest of the budget, the *room*, is for values that later ops want. A value v made before a and
// wanted after it is kept at a, or the op that made it runs again after a; then that op's own inputs are kept
// or made again in turn. With X_v (kept at a), A_v (there after a) and R_o (runs again after a), all 0 or 1:
//
//   least  sum of c_o R_o   with   A_v = 1 for what is wanted after a;  A_u >= R_o where o reads u;
//                                  X_v >= A_v - R_o where o makes v;    sum of m_v X_v <= room
//
// With a price p per byte instead of the room, this is a minimum cut: source -> A_v (infinite, if wanted),
// A_v -> R_o (p m_v: kept), R_o -> A_u (infinite), R_o -> sink (c_o). Where an op is never replayed,
// A_v -> sink. A plan pays at least cut(p) - p * room for any p.
//
// True of every legal plan: the bytes counted here lie in buffers of their own at that moment, and R counts
// an op that runs again after a once, however often it does. Values that are resident at a anyway, have no
// bytes or no producer are free, wherever they come from.
//
// Costs are scaled to integers (`scale` units a nanosecond) and prices are whole units a byte, so that cut
// and bound are exact.
#pragma once

#include <vector>

#include "solver/max_flow.h"
#include "solver/portfolio.h"

namespace worktop::solver {

// A step as this sees it, the same for all moments. The problem must outlive it.
struct CutStep {
  explicit CutStep(const Problem& problem);
  const Graph& graph;
  const cost::Durations& durations;
  // The last stage that wants a value in its first life or later, as far as it counts: with several
  // micro-steps only what is wanted before the optimizer, so that what runs again for it runs again in each
  // of them.
  base::IdVector<graph::ValueId, std::int32_t> wanted;
  base::IdVector<graph::OpId, Bytes> needs;  // resident while the op runs, whatever the plan
  std::int64_t scale = 0;                    // 0: durations are too long for exact sums
  std::int64_t dearest = 1;                  // no price is above: sums stay below 2^62
};

class CutNetwork {
 public:
  // A value that the moment has to say something about.
  struct Item {
    graph::ValueId value;
    std::int64_t bytes = 0;
    bool wanted = false;      // after the moment, by a first run
    bool replayable = false;  // the op that made it may run again
  };
  enum class Fixed : std::uint8_t { free, kept, not_kept };
  // What is kept, by item, and what that costs (scaled) and takes.
  struct Choice {
    std::int64_t cost = 0;
    std::int64_t bytes = 0;
    std::vector<std::uint8_t> kept;
  };

  explicit CutNetwork(const CutStep& step);

  // Forgets the last moment. `items` then are in a fixed order, the wanted ones first.
  void build(graph::OpId moment);
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  // Bytes of everything that is wanted.
  [[nodiscard]] std::int64_t wanted_bytes() const;
  // The cheapest choice at a price per byte where some items are fixed (`fixed`: by item, or empty). False if
  // there is none.
  [[nodiscard]] bool cheapest(std::int64_t price, const std::vector<Fixed>& fixed, Choice& choice);
  // The least bytes that can be kept, whatever running again costs.
  [[nodiscard]] std::int64_t least_bytes();
  // Edges looked at so far.
  [[nodiscard]] std::int64_t work() const { return flow_.work(); }

 private:
  struct ItemEdges {
    std::int32_t node = 0, from_source = 0, keep = 0;
    std::int32_t rerun = -1;  // of the op that makes it, if that may run again
  };
  struct Rerun {
    graph::OpId op;
    std::int32_t node = 0, to_sink = 0;
    std::int64_t cost = 0;
  };
  [[nodiscard]] bool resident(graph::ValueId v, graph::OpId moment) const;
  std::int32_t item_of(graph::ValueId v, bool wanted);
  std::int32_t rerun_of(graph::OpId op);
  void set_capacities(std::int64_t price, const std::vector<Fixed>& fixed);

  const CutStep& step_;
  MaxFlow flow_;
  std::vector<Item> items_;
  std::vector<ItemEdges> edges_;  // by item
  std::vector<Rerun> reruns_;
  std::vector<std::int32_t> reads_;  // edges from an op that runs again to what it reads
  base::IdVector<graph::ValueId, std::int32_t> item_index_;
  base::IdVector<graph::OpId, std::int32_t> rerun_index_;
};

}  // namespace worktop::solver
