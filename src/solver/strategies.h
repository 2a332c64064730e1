// The strategies people reason with, all of them policies: keep all, checkpointing, offloading, their mixes,
// and the selective lists that other tools have. They are always predicted and shown beside the plan; if no
// plan of ours beats the best of them, the best of them is the answer.
//
//   keep_all               every activation stays
//   checkpoint(K)          K segments of layers; each keeps what crosses into it and replays the rest at once
//                          (Chen et al. 2016; K near the square root of the layers holds least)
//   checkpoint_every(n)    segments of n layers; n = 1 is what frameworks call full recompute
//   recompute_all          nothing is held but the step's inputs: every need replays from there, O(L^2)
//   offload_all(tier)      every activation leaves after its last use in forward and comes back in time
//   hybrid(beta, K)        the first (1 - beta) of the layers offload, the rest checkpoint, segments of L / K
//   ratio(threshold)       recompute what frees more bytes a nanosecond than threshold times the average
//   selective lists, as other tools have them:
//   save_matmuls           PyTorch's selective checkpointing: keep what matrix units made, replay the rest
//   attention_core, mlp    Megatron's
//   norms_and_activations  what is cheap to make again
//
// A layer is a block of the graph; a graph without blocks is cut into forward ops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/durations.h"
#include "machine/machine.h"
#include "plan/holding.h"
#include "plan/policy.h"

namespace worktop::solver {

using graph::Graph;
using plan::Policy;

[[nodiscard]] Policy keep_all();
// K in [1, layers]: clamped. checkpoint(1) is one segment.
[[nodiscard]] Policy checkpoint(const Graph& graph, std::int32_t segments);
[[nodiscard]] Policy checkpoint_every(const Graph& graph, std::int32_t layers);
[[nodiscard]] Policy recompute_all();
[[nodiscard]] Policy offload_all(machine::Tier tier);
// beta in [0, 1] in thousandths.
[[nodiscard]] Policy hybrid(const Graph& graph, std::int32_t beta_permille, std::int32_t segments,
                            machine::Tier tier);
// threshold in thousandths: 2000 is twice the model's average.
[[nodiscard]] Policy ratio(const Graph& graph, const cost::Durations& durations,
                           std::int32_t threshold_permille);
[[nodiscard]] Policy save_matmuls(const Graph& graph);
[[nodiscard]] Policy attention_core();
[[nodiscard]] Policy mlp(const Graph& graph);
[[nodiscard]] Policy norms_and_activations();

// Two levels of checkpoints, a start for the search rather than a strategy (Griewank and Walther 2000 in two
// levels): what crosses between K segments stays; when backward reaches a segment, one replay brings back
// what crosses between its layers; each layer's inside is replayed when its own backward comes. About twice
// the forward again, for about 2 sqrt(L) crossings held instead of L.
// With `redo_inside`, nothing of a layer's inside outlives the stage that needed it: still fewer bytes, and
// each layer is replayed for each of its backward ops.
[[nodiscard]] plan::Holding nested_checkpoints(const Graph& graph, std::int32_t segments,
                                               bool redo_inside = false);

// How many layers `checkpoint` and its kin cut the graph into, and into how many segments where nobody says:
// the square root of that, rounded down.
[[nodiscard]] std::int32_t layer_count(const Graph& graph);
[[nodiscard]] std::int32_t usual_segments(const Graph& graph);

// The strategies that are shown for a graph on a machine, in the order above, without those that mean nothing
// there (no lower tier, a list that selects nothing is still shown). Deterministic.
[[nodiscard]] std::vector<Policy> standard_strategies(const Graph& graph, const machine::Machine& machine,
                                                      const cost::Durations& durations);

// The strategy of this name ("keep_all", "checkpoint(8)", "ratio(2)", ...), as the user types it after --as.
// Counts are whole numbers; ratio's threshold and hybrid's beta have up to three decimals. Errors (code
// usage): the names that are known; a number that is none, or not whole; more arguments than the strategy
// takes.
[[nodiscard]] base::Result<Policy> strategy_by_name(const std::string& name, const Graph& graph,
                                                    const machine::Machine& machine,
                                                    const cost::Durations& durations);

}  // namespace worktop::solver
