// The step graph: one micro-step (forward, backward) and the optimizer, as ops in program order over values.
//
// One schema, whatever its origin (built from a model, profiled, traced, read from a file). A Graph is made
// by GraphBuilder (graph/builder.h), which checks everything below, and is never changed afterwards.
//
// Memory rule that the whole product shares (judged by plan/legal, summed by plan/memory, timed by
// simulator):
//   - At an op's start its outputs and workspace are allocated while all its inputs are resident; at its end
//   the
//     workspace goes. Nothing else is freed but by its last holder letting go.
//   - Holders of a value's bytes are: the PROGRAM, from the producer's start to the end of op `held_until`;
//   the
//     EXECUTOR, which takes hold of every `holdable` output when its producer ends (first run and every
//     recompute) and lets go only by a `drop` or `release` of the plan; the RUNNING OP, which holds what it
//     reads and writes until its own end. At trigger t, whatever op t reads is already held by op t: `drop v`
//     there lets v die when op t ends.
//   - An op that updates in place (`Output::overwrites`) turns the buffer of the old value into the new one:
//   nothing
//     is allocated on its first run, and the old value is gone when it ends. A recompute of any op, in-place
//     or not, writes fresh buffers that are charged in full, for every output; outputs that were resident
//     already are duplicates and go when that op ends.
//   - Views share their storage and are not values of their own: reading a view is reading the value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/flat.h"
#include "base/ids.h"
#include "base/units.h"

namespace worktop::graph {

using base::Bytes;
using base::Flops;
using base::Nanoseconds;

struct OpTag {};
struct ValueTag {};
struct StorageTag {};
struct BlockTag {};
using OpId = base::Id<OpTag>;
using ValueId = base::Id<ValueTag>;
using StorageId = base::Id<StorageTag>;
using BlockId = base::Id<BlockTag>;

// Where the graph came from. `analytic` graphs have no durations of their own: cost computes them from a
// machine.
enum class Origin : std::uint8_t { analytic, profile, trace };

enum class Phase : std::uint8_t { forward, backward, optimizer };

// What the bytes of a value are for. Residents at the peak are counted by this (DESIGN: weights, gradients,
// optimizer states, activations, workspace, other; `buffer`, `input` and `temporary` are "other").
enum class ValueKind : std::uint8_t {
  activation,       // written in forward
  weight,           // parameters, also their low-precision copies
  gradient,         // of a parameter
  optimizer_state,  //
  buffer,           // of the model, such as running statistics
  input,            // of the step
  temporary,        // written in backward and consumed there: gradients of activations
};

// What does the work, so that cost can choose a rate.
enum class Engine : std::uint8_t {
  matmul,     // matrix units: rate by dtype, measured efficiency
  attention,  // fused attention: matrix units at a lower efficiency
  vector,     // bound by memory: elementwise ops, norms, reductions, softmax, embedding, optimizer
};

struct OpFlags {
  bool random = false;       // draws random numbers: never replayed
  bool side_effect = false;  // changes something besides its outputs: never replayed
  bool collective = false;   // talks to other ranks: never replayed
  bool opaque = false;       // its producer is unseen code: never replayed
  bool discrete = false;     // top-k, sort, argmax, unique: never replayed
  [[nodiscard]] constexpr bool replayable() const {
    return !random && !side_effect && !collective && !opaque && !discrete;
  }
  friend bool operator==(const OpFlags&, const OpFlags&) = default;
};

struct Op {
  std::string
      name;  // stable and unique: "layers.3.mlp/down_proj"; backward of it: "layers.3.mlp/down_proj.grad"
  std::string kind;  // what it is, the same in every block: "linear", "rms_norm.scale", "attention"
  Phase phase = Phase::forward;
  BlockId block;  // none: outside every block
  Engine engine = Engine::vector;
  base::Dtype dtype = base::Dtype::fp32;  // the precision it computes in
  Flops flops{0};
  Bytes traffic{0};    // bytes read and written from device memory, for the roofline
  Bytes workspace{0};  // transient bytes on the device while it runs
  OpFlags flags;
};

struct Value {
  std::string name;  // stable and unique: "<producer's name>/out#k", weights and inputs by their own name
  ValueKind kind = ValueKind::activation;
  Bytes bytes{0};     // of its storage
  StorageId storage;  // versions of one storage, between in-place writes, are different values
  OpId producer;      // none: there before the step, resident from its start
  OpId
      held_until;  // the op after which the program itself lets go; none: never (held to the end of the step)
  OpId needed_until;  // the last op after which anybody may ask for it: its last reader, `held_until` if
                      // later, or later still where a trace says so. A keep-all plan drops it there. none: to
                      // the end.
  bool holdable = false;  // whether the executor can hold it (seen by the recorder; not opaque)
};

// A contiguous run of forward ops with its backward ops: a transformer layer, a ResNet stage.
struct Block {
  std::string name;  // "layers.3"
  std::string kind;  // blocks of one kind are alike: "decoder_layer"
  OpId first;        // first and last forward op
  OpId last;
};

struct Output {
  ValueId value;
  ValueId overwrites =
      ValueId::none();  // the older version of the same storage that this in-place write replaces
  friend bool operator==(const Output&, const Output&) = default;
};

struct GraphHash {
  std::uint64_t bits = 0;
  friend bool operator==(const GraphHash&, const GraphHash&) = default;
};

class Graph {
 public:
  // --- identity
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Origin origin() const { return origin_; }
  // FNV-1a over everything that a plan can depend on (names, sizes, edges, flags), not over durations.
  [[nodiscard]] GraphHash hash() const { return hash_; }
  // Micro-steps in a step (gradient accumulation): forward and backward run this often, the optimizer once.
  [[nodiscard]] std::int32_t micro_steps() const { return micro_steps_; }
  // What a step processes, for tokens per second; 0 where it isn't known.
  [[nodiscard]] std::int64_t tokens_per_step() const { return tokens_per_step_; }

  // --- ops, in program order
  [[nodiscard]] std::int32_t op_count() const { return ops_.size(); }
  [[nodiscard]] const Op& op(OpId id) const { return ops_[id]; }
  [[nodiscard]] std::span<const ValueId> reads(OpId id) const { return reads_[id]; }  // each once
  [[nodiscard]] std::span<const Output> writes(OpId id) const { return writes_[id]; }

  // --- values and storages
  [[nodiscard]] std::int32_t value_count() const { return values_.size(); }
  [[nodiscard]] const Value& value(ValueId id) const { return values_[id]; }
  [[nodiscard]] std::span<const OpId> readers(ValueId id) const { return readers_[id]; }  // ascending
  [[nodiscard]] std::int32_t storage_count() const { return storage_count_; }
  // The op that overwrites this value in place on its first run, or none.
  [[nodiscard]] OpId overwritten_by(ValueId id) const { return overwritten_by_[id]; }
  // Whether the value can be made again late in the step: it is holdable, its producer is replayable, and
  // each input of that can be there: it stays by itself, can be held (and is not overwritten in place), or
  // can be made again in turn.
  [[nodiscard]] bool recomputable(ValueId id) const { return recomputable_[id] != 0; }
  // An activation whose fate a plan decides: holdable, and read by an op after the program may have let go of
  // it.
  [[nodiscard]] bool decidable(ValueId id) const { return decidable_[id] != 0; }

  // --- blocks
  [[nodiscard]] std::int32_t block_count() const { return blocks_.size(); }
  [[nodiscard]] const Block& block(BlockId id) const { return blocks_[id]; }

  // --- triggers: the boundaries at which the executor can act. Boundary t is the moment before op t,
  // boundary op_count() the end of the step.
  [[nodiscard]] bool is_trigger(std::int32_t boundary) const {
    return triggers_[static_cast<std::size_t>(boundary)] != 0;
  }

 private:
  friend class GraphBuilder;
  std::string name_;
  Origin origin_ = Origin::analytic;
  GraphHash hash_;
  std::int32_t micro_steps_ = 1;
  std::int64_t tokens_per_step_ = 0;
  base::IdVector<OpId, Op> ops_;
  base::IdVector<ValueId, Value> values_;
  base::IdVector<BlockId, Block> blocks_;
  base::FlatRows<OpId, ValueId> reads_;
  base::FlatRows<OpId, Output> writes_;
  base::FlatRows<ValueId, OpId> readers_;
  base::IdVector<ValueId, OpId> overwritten_by_;
  base::IdVector<ValueId, std::uint8_t> recomputable_;
  base::IdVector<ValueId, std::uint8_t> decidable_;
  std::int32_t storage_count_ = 0;
  std::vector<std::uint8_t> triggers_;  // op_count() + 1
};

}  // namespace worktop::graph
