// The kitchens of the teaching scenarios, as step graphs: what the ledger only reckons is played here.
//
// A dish takes `cook` in forward and `taste` in backward, and leaves bytes on the worktop between. Of equal
// layers each is cooked from the one before, so that a replay needs it; named dishes are cooked from the
// store alone. The corridor is one link out and one in, of the same bandwidth and without latency; a disk
// lies behind the host, a tenth as fast. The worktop is as large as anyone may ask for, the store without
// end.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "advisor/advisor.h"
#include "cost/ledger.h"

namespace worktop::advisor {

inline constexpr std::int64_t kMostLayersPlayed = 512;  // beyond them nothing is simulated

struct Dish {
  std::string name;
  Bytes bytes;
  Nanoseconds cook{0};
  Nanoseconds taste{0};
};

struct Corridor {
  double gb_per_s = 50;
  bool host = false;
  bool disk = false;
};

// The kitchen of the ledger: L layers, a backward twice as long as the forward. Errors (usage): a kitchen
// that the ledger refuses, more than kMostLayersPlayed layers, amounts too large for a step graph.
[[nodiscard]] base::Result<Subject> kitchen(const cost::Kitchen& kitchen, const Corridor& corridor);

// A kitchen of named dishes beside a base of so many bytes.
[[nodiscard]] base::Result<Subject> mixed_kitchen(std::span<const Dish> dishes, Bytes base,
                                                  const Corridor& corridor);

// What `mixed_kitchen` was made of, from its graph and durations: forward ops that write one activation, and
// the backward op that reads it.
[[nodiscard]] std::vector<Dish> dishes_of(const graph::Graph& graph, const cost::Durations& durations);

// Keep-all as simulated: what a kitchen is read off.
struct KeepAll {
  Bytes peak;
  Bytes activations;  // resident at the peak
  Nanoseconds step_ns{0};
};
[[nodiscard]] base::Result<KeepAll> keep_all_of(const Subject& subject);

// The ledger's kitchen read off any step graph: as many layers as checkpointing sees, the activations and the
// base of its keep-all peak, the forward's time, the link out (without one: the least bandwidth there is).
[[nodiscard]] cost::Kitchen derived_kitchen(const Subject& subject, Bytes keep_all_peak,
                                            Bytes keep_all_activations);

}  // namespace worktop::advisor
