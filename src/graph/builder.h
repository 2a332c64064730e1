// Building a step graph: the one door through which every graph comes, so that every Graph is well-formed.
//
//   GraphBuilder b("toy", Origin::trace);
//   ValueId x = b.add_value({.name = "x", .kind = ValueKind::input, .bytes = Bytes{4}});
//   ValueId y = b.add_value({.name = "y", .bytes = Bytes{8}, .holdable = true});
//   OpId f = b.add_op({.name = "f"}, {x}, {{y}});
//   Result<Graph> graph = std::move(b).build();
//
// What the builder fills in: `producer`; `storage` where none was given (the overwritten value's, else a new
// one); `held_until` and `needed_until`; readers; blocks' first and last ops; triggers; the hash. A value
// without a producer is held to the end of the step unless `set_held_until` says otherwise. The program's
// hold of a value ends at the latest with the op that overwrites it in place.
//
// What `build` refuses (code input, naming the op or value): an empty name, or two ops, values or blocks of
// one name; an op that reads a value not yet produced, or one that has been overwritten in place unless the
// executor can hold and recompute it (a plan then must); a value written twice; negative or too large
// quantities (each, and the bytes of all values, at most 2^53); an in-place write onto another storage,
// another size, a value that the op does not read or one overwritten before; values that share a storage
// without replacing each other; a value that is not holdable, or has no producer, but is read after the
// program lets go; a program that lets go before it writes; blocks without forward ops or not contiguous in
// forward; phases out of order (forward, backward, optimizer); more ops or values than kMaxOps; an op that
// reads a decidable value, after the program has let go of it, where there is no trigger.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "graph/graph.h"

namespace worktop::graph {

inline constexpr std::int32_t kMaxOps = 1 << 20;

// How long the program itself holds what an op writes, where the caller does not say:
enum class ProgramHold : std::uint8_t {
  to_last_reader,          // temporaries of backward, and everything an eager program passes along by hand
  to_last_forward_reader,  // forward values of an eager program: the caller's variables die with the forward
  producer_only,           // the executor alone holds it (tensor-dag and step-trace files)
};

class GraphBuilder {
 public:
  GraphBuilder(std::string name, Origin origin) : name_(std::move(name)), origin_(origin) {}

  // `producer`, `held_until` and `needed_until` of `value` are ignored: the builder fills them in. `held` is
  // for values with a producer.
  ValueId add_value(Value value, ProgramHold held = ProgramHold::to_last_reader);
  OpId add_op(Op op, std::span<const ValueId> reads, std::span<const Output> writes);
  OpId add_op(Op op, std::initializer_list<ValueId> reads, std::initializer_list<Output> writes) {
    return add_op(std::move(op), std::span(reads.begin(), reads.size()),
                  std::span(writes.begin(), writes.size()));
  }
  StorageId add_storage() { return StorageId{storage_count_++}; }
  // A block's ops are those added with its id; `first` and `last` are filled in by build.
  BlockId add_block(std::string name, std::string kind);

  // Overrides what `held` would give. none: the program never lets go.
  void set_held_until(ValueId value, OpId last);
  // Says that the value stays wanted beyond its last reader and `held_until` (traces); an earlier op changes
  // nothing. none: to the end of the step.
  void set_needed_until(ValueId value, OpId last);

  void set_micro_steps(std::int32_t n) { micro_steps_ = n; }
  void set_tokens_per_step(std::int64_t n) { tokens_per_step_ = n; }
  // By default every boundary is a trigger. `eager`: after every forward op, before every backward op that
  // reads a holdable value, and at the end of the step. Not after a forward op that is opaque and neither
  // reads nor writes: it stands for a moment of unseen code, of which nobody is told.
  void set_eager_triggers() { eager_triggers_ = true; }

  [[nodiscard]] std::int32_t op_count() const { return ops_.size(); }
  [[nodiscard]] const Value& value(ValueId id) const { return values_[id]; }
  [[nodiscard]] const Op& op(OpId id) const { return ops_[id]; }

  [[nodiscard]] base::Result<Graph> build() &&;

 private:
  struct Hold {
    ProgramHold rule = ProgramHold::to_last_reader;
    bool held_set = false;
    bool needed_set = false;
  };
  base::Status check_names() const;
  base::Status check_quantities() const;
  base::Status check_phases_and_blocks();
  base::Status check_write(OpId op, const Output& out) const;
  base::Status link_producers_and_readers();
  base::Status check_storages() const;
  base::Status resolve_holds();
  base::Status check_program_order() const;
  void mark_recomputable();
  void mark_decidable_and_triggers();
  base::Status check_triggers() const;
  base::Error input_error(std::string what, const std::string& where, std::string hint = {}) const;

  std::string name_;
  Origin origin_;
  std::int32_t micro_steps_ = 1;
  std::int64_t tokens_per_step_ = 0;
  bool eager_triggers_ = false;
  std::int32_t storage_count_ = 0;
  base::IdVector<OpId, Op> ops_;
  base::IdVector<ValueId, Value> values_;
  base::IdVector<ValueId, Hold> holds_;
  base::IdVector<BlockId, Block> blocks_;
  base::FlatRows<OpId, ValueId> reads_;
  base::FlatRows<OpId, Output> writes_;
  base::IdVector<ValueId, OpId> last_reader_;  // in build(): so far
  Graph graph_;                                // in build(): under construction
};

}  // namespace worktop::graph
