#include "graph/builder.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace worktop::graph {
namespace {

using base::ids;

constexpr OpId later(OpId a, OpId b) {
  return a < b ? b : a;
}

// FNV-1a, 64 bits (Fowler, Noll and Vo). Integers go in as eight bytes, least first; texts after their
// length.
class Fnv1a {
 public:
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
  }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  [[nodiscard]] GraphHash hash() const { return {bits_}; }

 private:
  void add_byte(std::uint8_t byte) { bits_ = (bits_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t bits_ = 0xcbf29ce484222325ULL;
};

void add_op_to(Fnv1a& fnv, const Op& op) {
  fnv.add(op.name);
  fnv.add(op.kind);
  fnv.add(static_cast<std::int64_t>(op.phase));
  fnv.add(op.block.index());
  fnv.add(op.workspace.count());
  const OpFlags& flags = op.flags;
  for (bool flag : {flags.random, flags.side_effect, flags.collective, flags.opaque, flags.discrete})
    fnv.add(flag ? 1 : 0);
}

void add_value_to(Fnv1a& fnv, const Value& value) {
  fnv.add(value.name);
  fnv.add(static_cast<std::int64_t>(value.kind));
  fnv.add(value.bytes.count());
  fnv.add(value.storage.index());
  fnv.add(value.held_until.index());
  fnv.add(value.needed_until.index());
  fnv.add(value.holdable ? 1 : 0);
}

GraphHash hash_of(const Graph& graph) {
  Fnv1a fnv;
  fnv.add(graph.micro_steps());
  fnv.add(graph.op_count());
  fnv.add(graph.value_count());
  for (OpId op : ids<OpId>(graph.op_count())) {
    add_op_to(fnv, graph.op(op));
    fnv.add(static_cast<std::int64_t>(graph.reads(op).size()));
    for (ValueId read : graph.reads(op)) fnv.add(read.index());
    fnv.add(static_cast<std::int64_t>(graph.writes(op).size()));
    for (const Output& out : graph.writes(op)) fnv.add(out.value.index()), fnv.add(out.overwrites.index());
  }
  for (ValueId value : ids<ValueId>(graph.value_count())) add_value_to(fnv, graph.value(value));
  for (BlockId block : ids<BlockId>(graph.block_count())) {
    fnv.add(graph.block(block).name);
    fnv.add(graph.block(block).kind);
  }
  for (std::int32_t t = 0; t <= graph.op_count(); ++t) fnv.add(graph.is_trigger(t) ? 1 : 0);
  return fnv.hash();
}

// The index of the first item whose name an earlier one has, or -1.
template <class Items>
std::ptrdiff_t first_repeated(const Items& items) {
  std::vector<std::ptrdiff_t> order(static_cast<std::size_t>(items.size()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::ptrdiff_t>(i);
  const auto name = [&](std::ptrdiff_t i) -> const std::string& { return items.begin()[i].name; };
  std::ranges::sort(order, [&](auto a, auto b) {
    const int compared = name(a).compare(name(b));
    return compared < 0 || (compared == 0 && a < b);
  });
  std::ptrdiff_t first = -1;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (name(order[i]) == name(order[i - 1]) && (first < 0 || order[i] < first)) first = order[i];
  return first;
}

std::string quoted(std::string_view noun, const std::string& name) {
  return std::string(noun) + " '" + name + "'";
}

template <class Q>
bool sensible(Q quantity) {
  return quantity >= Q{0} && quantity <= Q::largest();
}

template <class IdT>
bool known(IdT id, std::int32_t count) {
  return id.exists() && id.index() < count;
}

}  // namespace

ValueId GraphBuilder::add_value(Value value, ProgramHold held) {
  value.producer = value.held_until = value.needed_until = OpId::none();
  holds_.push_back({.rule = held});
  return values_.push_back(std::move(value));
}

OpId GraphBuilder::add_op(Op op, std::span<const ValueId> reads, std::span<const Output> writes) {
  std::set<ValueId> seen;
  for (ValueId read : reads)
    if (seen.insert(read).second) reads_.push_item(read);
  reads_.end_row();
  writes_.push_row(writes);
  return ops_.push_back(std::move(op));
}

BlockId GraphBuilder::add_block(std::string name, std::string kind) {
  return blocks_.push_back({std::move(name), std::move(kind), OpId::none(), OpId::none()});
}

void GraphBuilder::set_held_until(ValueId value, OpId last) {
  values_[value].held_until = last;
  holds_[value].held_set = true;
}

void GraphBuilder::set_needed_until(ValueId value, OpId last) {
  values_[value].needed_until = last;
  holds_[value].needed_set = true;
}

base::Error GraphBuilder::input_error(std::string what, const std::string& where, std::string hint) const {
  const std::string prefix = name_.empty() ? "" : "graph '" + name_ + "': ";
  return {base::ErrorCode::input, std::move(what), prefix + where, std::move(hint)};
}

base::Status GraphBuilder::check_names() const {
  const auto check = [&](const auto& items, std::string_view noun) -> base::Status {
    std::int64_t number = 0;
    for (const auto& item : items) {
      if (item.name.empty())
        return std::unexpected(input_error(std::string(noun) + " has no name",
                                           std::string(noun) + " number " + std::to_string(number)));
      ++number;
    }
    const std::ptrdiff_t repeated = first_repeated(items);
    if (repeated < 0) return {};
    return std::unexpected(input_error("two of one name", quoted(noun, items.begin()[repeated].name),
                                       "names must be unique, for plans find values by them"));
  };
  WORKTOP_CHECK(check(ops_, "op"));
  WORKTOP_CHECK(check(values_, "value"));
  return check(blocks_, "block");
}

base::Status GraphBuilder::check_quantities() const {
  if (ops_.size() > kMaxOps || values_.size() > kMaxOps || blocks_.size() > kMaxOps)
    return std::unexpected(input_error("more than " + std::to_string(kMaxOps) + " ops, values or blocks", {},
                                       "join small ops into larger ones"));
  if (micro_steps_ < 1) return std::unexpected(input_error("micro_steps is below 1", {}));
  if (tokens_per_step_ < 0) return std::unexpected(input_error("tokens_per_step is negative", {}));
  for (const Op& op : ops_)
    if (!sensible(op.flops) || !sensible(op.traffic) || !sensible(op.workspace))
      return std::unexpected(
          input_error("flops, traffic or workspace is negative or above 2^53", quoted("op", op.name)));
  Bytes total{0};  // of all values: so that no sum of bytes anywhere can overflow
  for (const Value& value : values_) {
    if (!sensible(value.bytes))
      return std::unexpected(input_error("bytes is negative or above 2^53", quoted("value", value.name)));
    total = saturating_add(total, value.bytes);
    if (!sensible(total))
      return std::unexpected(input_error("the bytes of all values exceed 2^53", quoted("value", value.name)));
  }
  return {};
}

base::Status GraphBuilder::check_phases_and_blocks() {
  Phase phase = Phase::forward;
  OpId previous = OpId::none();
  for (OpId id : ids<OpId>(ops_.size())) {
    const Op& op = ops_[id];
    if (op.phase < phase)
      return std::unexpected(input_error("phases are out of order", quoted("op", op.name),
                                         "order ops as forward, backward, optimizer"));
    phase = op.phase;
    if (op.block.exists() && !known(op.block, blocks_.size()))
      return std::unexpected(input_error("unknown block", quoted("op", op.name)));
    if (!op.block.exists() || op.phase != Phase::forward) continue;
    Block& block = blocks_[op.block];
    previous = block.last;
    if (previous.exists() && previous.index() + 1 != id.index())
      return std::unexpected(
          input_error("block '" + block.name + "' is not contiguous in forward", quoted("op", op.name)));
    if (!block.first.exists()) block.first = id;
    block.last = id;
  }
  for (const Block& block : blocks_)
    if (!block.first.exists())
      return std::unexpected(input_error("a block without forward ops", quoted("block", block.name)));
  return {};
}

base::Status GraphBuilder::check_write(OpId op, const Output& out) const {
  const std::string where = quoted("op", ops_[op].name);
  if (!known(out.value, values_.size()))
    return std::unexpected(input_error("writes an unknown value", where));
  const Value& value = values_[out.value];
  const std::string writes = "writes " + quoted("value", value.name);
  if (value.producer.exists())
    return std::unexpected(
        input_error(writes + " a second time", where, "each version of a storage is a value of its own"));
  if (!out.overwrites.exists()) return {};
  if (!known(out.overwrites, values_.size()))
    return std::unexpected(input_error(writes + " in place of an unknown value", where));
  const Value& old = values_[out.overwrites];
  const std::string onto = writes + " in place of " + quoted("value", old.name) + ", ";
  if (last_reader_[out.overwrites] != op)
    return std::unexpected(input_error(onto + "which it does not read", where));
  if (graph_.overwritten_by_[out.overwrites].exists())
    return std::unexpected(input_error(onto + "which has been overwritten before", where));
  if (value.storage.exists() && value.storage != old.storage)
    return std::unexpected(input_error(onto + "which has another storage", where));
  if (value.bytes != old.bytes) return std::unexpected(input_error(onto + "which has another size", where));
  return {};
}

// Walks the ops in order: who makes each value, who reads it, who overwrites it; and gives storages.
base::Status GraphBuilder::link_producers_and_readers() {
  base::IdVector<ValueId, std::uint8_t> written(values_.size(), 0);
  for (const auto id : ids<OpId>(ops_.size()))
    for (const Output& out : writes_[id])
      if (known(out.value, values_.size())) written[out.value] = 1;
  for (ValueId id : ids<ValueId>(values_.size())) {
    StorageId& storage = values_[id].storage;
    if (storage.exists() && storage.index() >= storage_count_)
      return std::unexpected(input_error("unknown storage", quoted("value", values_[id].name)));
    if (!storage.exists() && !written[id]) storage = add_storage();
  }
  graph_.overwritten_by_ = base::IdVector<ValueId, OpId>(values_.size());
  last_reader_ = base::IdVector<ValueId, OpId>(values_.size());
  base::IdVector<ValueId, std::vector<OpId>> readers(values_.size());
  for (OpId op : ids<OpId>(ops_.size())) {
    for (ValueId read : reads_[op]) {
      if (!known(read, values_.size()))
        return std::unexpected(input_error("reads an unknown value", quoted("op", ops_[op].name)));
      if (written[read] && !values_[read].producer.exists())
        return std::unexpected(
            input_error("reads " + quoted("value", values_[read].name) + " before it is written",
                        quoted("op", ops_[op].name), "list ops in program order"));
      readers[read].push_back(op);
      last_reader_[read] = op;
    }
    for (const Output& out : writes_[op]) {
      WORKTOP_CHECK(check_write(op, out));
      Value& value = values_[out.value];
      value.producer = op;
      if (out.overwrites.exists()) {
        graph_.overwritten_by_[out.overwrites] = op;
        value.storage = values_[out.overwrites].storage;
      }
      if (!value.storage.exists()) value.storage = add_storage();
    }
  }
  for (const std::vector<OpId>& row : readers) graph_.readers_.push_row(row);
  return check_storages();
}

// All values of one storage are versions of it: each but the first replaces another in place.
base::Status GraphBuilder::check_storages() const {
  base::IdVector<ValueId, std::uint8_t> replaces(values_.size(), 0);
  for (OpId op : ids<OpId>(ops_.size()))
    for (const Output& out : writes_[op])
      if (out.overwrites.exists()) replaces[out.value] = 1;
  base::IdVector<StorageId, ValueId> first(storage_count_);
  for (ValueId id : ids<ValueId>(values_.size())) {
    if (replaces[id]) continue;
    ValueId& other = first[values_[id].storage];
    if (other.exists())
      return std::unexpected(input_error("shares its storage with " + quoted("value", values_[other].name) +
                                             ", though neither replaces the other in place",
                                         quoted("value", values_[id].name),
                                         "views are not values: read the value itself"));
    other = id;
  }
  return {};
}

base::Status GraphBuilder::resolve_holds() {
  for (ValueId id : ids<ValueId>(values_.size())) {
    Value& value = values_[id];
    const Hold& hold = holds_[id];
    const std::span<const OpId> readers = graph_.readers_[id];
    if (value.held_until.index() >= ops_.size() || value.needed_until.index() >= ops_.size())
      return std::unexpected(input_error("held or needed until an unknown op", quoted("value", value.name)));
    if (!hold.held_set && value.producer.exists()) {
      value.held_until = value.producer;
      if (hold.rule != ProgramHold::producer_only)
        for (OpId reader : readers)
          if (hold.rule == ProgramHold::to_last_reader || ops_[reader].phase == Phase::forward)
            value.held_until = later(value.held_until, reader);
    }
    if (value.held_until.exists() && value.held_until < value.producer)
      return std::unexpected(
          input_error("the program lets go before it is written", quoted("value", value.name)));
    const OpId overwriter = graph_.overwritten_by_[id];
    if (overwriter.exists() && (!value.held_until.exists() || overwriter < value.held_until))
      value.held_until = overwriter;
    const bool to_the_end = !value.held_until.exists() || (hold.needed_set && !value.needed_until.exists());
    const OpId last_reader = readers.empty() ? OpId::none() : readers.back();
    value.needed_until =
        to_the_end ? OpId::none() : later(value.needed_until, later(last_reader, value.held_until));
  }
  return {};
}

// A fixpoint that one pass in program order reaches, since ops read what was written before them.
void GraphBuilder::mark_recomputable() {
  graph_.recomputable_ = base::IdVector<ValueId, std::uint8_t>(values_.size(), 0);
  const auto can_be_there = [&](ValueId id) {
    const OpId overwriter = graph_.overwritten_by_[id];
    const bool lost = overwriter.exists() && ops_[overwriter].phase != Phase::optimizer;
    if (graph_.recomputable_[id] != 0) return true;
    const OpId held = values_[id].held_until;
    const bool stays =
        !held.exists() || ops_[held].phase == Phase::optimizer || held.index() + 1 == ops_.size();
    return !lost && (values_[id].holdable || stays);
  };
  for (OpId op : ids<OpId>(ops_.size())) {
    if (!ops_[op].flags.replayable() || !std::ranges::all_of(reads_[op], can_be_there)) continue;
    for (const Output& out : writes_[op]) graph_.recomputable_[out.value] = values_[out.value].holdable;
  }
}

void GraphBuilder::mark_decidable_and_triggers() {
  graph_.decidable_ = base::IdVector<ValueId, std::uint8_t>(values_.size(), 0);
  for (ValueId id : ids<ValueId>(values_.size())) {
    const Value& value = values_[id];
    const std::span<const OpId> readers = graph_.readers_[id];
    const bool read_after =
        !readers.empty() && value.held_until.exists() && value.held_until < readers.back();
    if (value.holdable && value.producer.exists() && value.bytes > Bytes{0} && read_after)
      graph_.decidable_[id] = 1;
  }
  graph_.triggers_.assign(static_cast<std::size_t>(ops_.size()) + 1, eager_triggers_ ? 0 : 1);
  graph_.triggers_.back() = 1;
  if (!eager_triggers_) return;
  for (OpId op : ids<OpId>(ops_.size())) {
    const auto holdable = [&](ValueId read) { return values_[read].holdable; };
    const bool moment = ops_[op].flags.opaque && reads_[op].empty() && writes_[op].empty();
    if (ops_[op].phase == Phase::forward && !moment) graph_.triggers_[op.at() + 1] = 1;
    if (ops_[op].phase == Phase::backward && std::ranges::any_of(reads_[op], holdable))
      graph_.triggers_[op.at()] = 1;
  }
}

// Every read must be possible in some plan: the program still holds the value, or the executor can.
base::Status GraphBuilder::check_program_order() const {
  for (OpId op : ids<OpId>(ops_.size())) {
    for (ValueId read : reads_[op]) {
      const Value& value = values_[read];
      if (!value.held_until.exists() || op <= value.held_until) continue;
      const std::string reads = "reads " + quoted("value", value.name);
      const std::string where = quoted("op", ops_[op].name);
      if (!value.holdable || !value.producer.exists())
        return std::unexpected(input_error(
            reads + " after the program has let go of it, and the executor cannot hold it", where));
      const OpId overwriter = graph_.overwritten_by_[read];
      const bool again = graph_.decidable_[read] && ops_[value.producer].flags.replayable();
      if (overwriter.exists() && overwriter < op && !again)
        return std::unexpected(input_error(reads + " after " + quoted("op", ops_[overwriter].name) +
                                               " has overwritten it, and it cannot be recomputed",
                                           where));
    }
  }
  return {};
}

base::Status GraphBuilder::check_triggers() const {
  for (OpId op : ids<OpId>(ops_.size())) {
    if (graph_.triggers_[op.at()]) continue;
    for (ValueId read : reads_[op])
      if (graph_.decidable_[read] && values_[read].held_until < op)
        return std::unexpected(input_error("reads " + quoted("value", values_[read].name) +
                                               ", whose fate a plan decides, where there is no trigger",
                                           quoted("op", ops_[op].name)));
  }
  return {};
}

base::Result<Graph> GraphBuilder::build() && {
  WORKTOP_CHECK(check_quantities());
  WORKTOP_CHECK(check_names());
  WORKTOP_CHECK(check_phases_and_blocks());
  WORKTOP_CHECK(link_producers_and_readers());
  WORKTOP_CHECK(resolve_holds());
  mark_recomputable();
  mark_decidable_and_triggers();
  WORKTOP_CHECK(check_program_order());
  WORKTOP_CHECK(check_triggers());
  graph_.name_ = std::move(name_);
  graph_.origin_ = origin_;
  graph_.micro_steps_ = micro_steps_;
  graph_.tokens_per_step_ = tokens_per_step_;
  graph_.ops_ = std::move(ops_);
  graph_.values_ = std::move(values_);
  graph_.blocks_ = std::move(blocks_);
  graph_.reads_ = std::move(reads_);
  graph_.writes_ = std::move(writes_);
  graph_.storage_count_ = storage_count_;
  graph_.hash_ = hash_of(graph_);
  return std::move(graph_);
}

}  // namespace worktop::graph
