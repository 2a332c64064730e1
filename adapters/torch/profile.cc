#include "profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "graph/builder.h"
#include "moments.h"

namespace worktop::adapter {
namespace {

using base::Bytes;
using graph::GraphBuilder;
using graph::OpId;
using graph::ValueId;
using graph::ValueKind;

class Builder {
 public:
  Builder(const Record& capture, const Record& steady, const Standing& standing,
          const std::vector<std::string>& modules, const std::vector<std::string>& blocks, std::string name)
      : capture_(capture),
        steady_(steady),
        standing_(standing),
        modules_(modules),
        blocks_(blocks),
        managed_(find_managed()),
        natural_(capture, allocations_of(capture)),
        moments_(steady, allocations_of(steady)),
        builder_(std::move(name), graph::Origin::profile),
        layout_(std::make_shared<Layout>()) {}

  base::Result<Profiled> build(std::int64_t tokens) {
    WORKTOP_CHECK(check_same_program());
    layout_->graph_op_of.assign(capture_.ops.size(), OpId::none());
    layout_->graph_value_of.assign(capture_.values.size(), ValueId::none());
    find_units();
    add_blocks();
    add_standing();
    add_forward();
    add_backward();
    add_rest();
    set_program_holds();
    builder_.set_tokens_per_step(tokens);
    builder_.set_eager_triggers();
    layout_->tape_value_of.resize(value_count_, kNone);
    WORKTOP_TRY(graph::Graph graph, std::move(builder_).build());
    return Profiled{std::make_shared<const graph::Graph>(std::move(graph)), layout_, std::move(durations_)};
  }

 private:
  // --- which storages the plan decides about

  // Storages that code which nobody sees must have written: something is read from them that no op has put
  // there. A constant that is packed for backward is suspected too: it is how an output for a kernel is made.
  std::unordered_set<AllocationId> written_unseen() const {
    std::unordered_set<AllocationId> raw;
    const auto blank = [&](ValueIndex v) {
      const Record::Value& value = capture_.values[static_cast<size_t>(v)];
      return value.source == Source::op &&
             capture_.ops[static_cast<size_t>(value.producer)].facts->uninitialised;
    };
    for (size_t v = 0; v < capture_.values.size(); ++v) {
      const Record::Value& value = capture_.values[v];
      if (!value.packed || value.source != Source::op) continue;
      if (blank(static_cast<ValueIndex>(v)) ||
          capture_.ops[static_cast<size_t>(value.producer)].facts->constant)
        raw.insert(value.allocation);
    }
    for (const Record::Op& op : capture_.ops)
      for (const ValueIndex read : op.reads) {
        const bool overwritten = std::ranges::any_of(op.writes, [&](ValueIndex write) {
          return capture_.values[static_cast<size_t>(write)].overwrites == read;
        });
        if (!overwritten && blank(read)) raw.insert(capture_.values[static_cast<size_t>(read)].allocation);
      }
    return raw;
  }

  // A value is managed if an op of the tape allocated its storage while it ran, and wrote it; or wrote it
  // over such a value in place.
  std::vector<std::uint8_t> find_managed() const {
    std::vector<std::uint8_t> managed(capture_.values.size(), 0);
    std::unordered_map<AllocationId, OpIndex> allocated_in;
    OpIndex open = kNone;
    for (const Event& event : capture_.log) {
      if (event.kind == EventKind::op_begin) open = event.index;
      if (event.kind == EventKind::op_end) open = kNone;
      if (event.kind == EventKind::allocate && open != kNone) allocated_in[event.allocation] = open;
    }
    const std::unordered_set<AllocationId> raw = written_unseen();
    for (size_t v = 0; v < managed.size(); ++v) {
      const Record::Value& value = capture_.values[v];
      if (value.source != Source::op || value.allocation == 0 || value.bytes == 0) continue;
      if (value.overwrites != kNone) {
        managed[v] = managed[static_cast<size_t>(value.overwrites)];
      } else {
        const auto found = allocated_in.find(value.allocation);
        managed[v] =
            found != allocated_in.end() && found->second == value.producer && !raw.contains(value.allocation);
      }
    }
    return managed;
  }

  [[nodiscard]] bool managed(ValueIndex value) const { return managed_[static_cast<size_t>(value)] != 0; }

  std::unordered_set<AllocationId> allocations_of(const Record& record) const {
    std::unordered_set<AllocationId> allocations;
    for (size_t v = 0; v < managed_.size() && v < record.values.size(); ++v)
      if (managed_[v]) allocations.insert(record.values[v].allocation);
    return allocations;
  }

  base::Status check_same_program() const {
    const auto differs = [](std::string where) {
      return base::fail(base::ErrorCode::illegal, "the program is not the one that was captured",
                        std::move(where), "capture it anew");
    };
    if (capture_.ops.size() != steady_.ops.size() || capture_.values.size() != steady_.values.size())
      return differs("its forward has " + std::to_string(steady_.ops.size()) + " ops and had " +
                     std::to_string(capture_.ops.size()));
    for (size_t i = 0; i < capture_.ops.size(); ++i)
      if (capture_.ops[i].facts != steady_.ops[i].facts) return differs("op " + std::to_string(i));
    if (capture_.visits.size() != steady_.visits.size())
      return differs("its backward has " + std::to_string(steady_.visits.size()) + " nodes and had " +
                     std::to_string(capture_.visits.size()));
    for (size_t i = 0; i < capture_.visits.size(); ++i)
      if (capture_.visits[i].node != steady_.visits[i].node)
        return differs("node " + std::to_string(i) + " of backward, " + steady_.visits[i].node.name);
    return {};
  }

  // --- units: an op and those that follow it and only write on in place on what it made

  void find_units() {
    readers_.resize(capture_.values.size());
    for (size_t op = 0; op < capture_.ops.size(); ++op)
      for (const ValueIndex read : capture_.ops[op].reads)
        readers_[static_cast<size_t>(read)].push_back(static_cast<OpIndex>(op));
    unit_last_.resize(capture_.ops.size());
    for (size_t op = 0; op < capture_.ops.size(); ++op) {
      size_t last = op;
      while (last + 1 < capture_.ops.size() &&
             continues(static_cast<OpIndex>(last), static_cast<OpIndex>(last + 1)))
        ++last;
      for (size_t i = op; i <= last; ++i) unit_last_[i] = static_cast<OpIndex>(last);
      op = last;
    }
  }

  [[nodiscard]] bool continues(OpIndex op, OpIndex next) const {
    const Record::Op& first = capture_.ops[static_cast<size_t>(op)];
    const Record::Op& second = capture_.ops[static_cast<size_t>(next)];
    if (first.writes.size() != 1 || second.writes.size() != 1 || first.module != second.module) return false;
    const ValueIndex before = first.writes.front();
    const Record::Value& old = capture_.values[static_cast<size_t>(before)];
    const auto& readers = readers_[static_cast<size_t>(before)];
    return managed(before) && !old.packed &&
           capture_.values[static_cast<size_t>(second.writes.front())].overwrites == before &&
           readers.size() == 1 && readers.front() == next && !gap_allocates(Moments::of_op(op) + 1) &&
           first.replayable && second.replayable;
  }

  [[nodiscard]] bool gap_allocates(std::int32_t moment) const {
    return std::ranges::any_of(moments_[moment].changes,
                               [](const Change& change) { return change.bytes > 0; });
  }

  // --- ops

  struct Peak {
    std::int64_t most = 0, stays = 0;  // of what the moments allocate
    std::vector<Change> born;          // what outlives them, managed or not
  };

  Peak peak_of(std::int32_t first, std::int32_t last) const {
    Peak peak;
    std::int64_t sum = 0;
    for (std::int32_t moment = first; moment <= last; ++moment) {
      for (const Change& change : moments_[moment].changes) {
        sum += change.bytes;
        peak.most = std::max(peak.most, sum);
        if (change.bytes <= 0) continue;
        const std::int32_t death = moments_.death_of(change.allocation);
        const bool managed_birth = managed_allocations_steady_.contains(change.allocation);
        if (!managed_birth && death != kNone && death <= last) continue;
        peak.stays += change.bytes;
        if (!managed_birth) peak.born.push_back(change);
      }
    }
    return peak;
  }

  struct NewOp {
    std::string name, kind;
    graph::Phase phase = graph::Phase::forward;
    std::string block;
    graph::OpFlags flags;
    std::vector<ValueId> reads;
    std::vector<graph::Output> writes;
  };

  // The moments `first` to `last` as one op, or two; answers the first.
  OpId add(NewOp wish, std::int32_t first, std::int32_t last) {
    const Peak peak = peak_of(first, last);
    std::int64_t ns = 0;
    for (std::int32_t moment = first; moment <= last; ++moment) ns += moments_[moment].ns;
    std::map<std::int32_t, std::int64_t> born_by_death;
    for (const Change& born : peak.born) born_by_death[moments_.death_of(born.allocation)] += born.bytes;
    std::vector<graph::Output> own;
    for (const auto& [death, bytes] : born_by_death) {
      const ValueKind kind = wish.phase == graph::Phase::backward && death == kNone ? ValueKind::gradient
                             : wish.phase == graph::Phase::optimizer ? ValueKind::optimizer_state
                                                                     : ValueKind::temporary;
      const std::string until = death == kNone ? "end" : std::to_string(death);
      const ValueId value =
          add_value({.name = wish.name + "/until#" + until, .kind = kind, .bytes = Bytes{bytes}});
      own.push_back({value});
      holds_.push_back({value, death});
    }
    const bool split = peak.most < peak.stays && wish.writes.empty();
    graph::Op op{.name = wish.name, .kind = wish.kind, .phase = wish.phase, .flags = wish.flags};
    if (const auto block = block_ids_.find(wish.block); block != block_ids_.end()) op.block = block->second;
    op.workspace = Bytes{std::max<std::int64_t>(0, split ? peak.most : peak.most - peak.stays)};
    std::vector<graph::Output> writes = wish.writes;
    if (!split) writes.insert(writes.end(), own.begin(), own.end());
    graph::Op births = op;
    const OpId id = builder_.add_op(std::move(op), wish.reads, writes);
    durations_.push_back(ns);
    op_from_.push_back(first);
    if (split) {
      births.name += "/leaves";
      births.workspace = Bytes{0};
      builder_.add_op(std::move(births), std::vector<ValueId>{}, own);
      durations_.push_back(0);
      op_from_.push_back(last + 1);  // frees happen before
    }
    return id;
  }

  ValueId add_value(graph::Value value) {
    ++value_count_;
    return builder_.add_value(std::move(value));
  }

  std::string unique(std::string name) {
    const int count = names_[name]++;
    return count == 0 ? name : name + "#" + std::to_string(count);
  }

  // --- the parts of the step

  void add_blocks() {
    // Only blocks whose ops stand side by side: others would not be blocks of the graph.
    std::string open;
    std::set<std::string> seen, broken;
    std::vector<std::string> order;
    for (const Record::Op& op : capture_.ops) {
      const std::string block = block_of(op);
      if (block == open) continue;
      open = block;
      if (block.empty()) continue;
      if (!seen.insert(block).second)
        broken.insert(block);
      else
        order.push_back(block);
    }
    for (const std::string& block : order)
      if (!broken.contains(block))
        block_ids_[block] = builder_.add_block(block, block.substr(0, block.find_last_of('.')));
  }

  std::string block_of(const Record::Op& op) const {
    return op.module == kNone || static_cast<size_t>(op.module) >= blocks_.size()
               ? std::string{}
               : blocks_[static_cast<size_t>(op.module)];
  }

  // Of what lies between this op and the next: a block that goes on is not torn.
  std::string block_between(OpIndex op) const {
    const auto next = static_cast<size_t>(op) + 1;
    if (next >= capture_.ops.size()) return {};
    const std::string block = block_of(capture_.ops[next]);
    return block == block_of(capture_.ops[next - 1]) ? block : std::string{};
  }

  void add_standing() {
    std::map<std::int32_t, std::int64_t> dying;
    std::int64_t rest = steady_.live_at_begin + standing_.foreign;
    for (std::int32_t moment = 0; moment <= moments_.last(); ++moment)
      for (const Change& change : moments_[moment].changes)
        if (change.bytes < 0 && moments_.birth_of(change.allocation) == kNone) {
          dying[moment] -= change.bytes;
          rest += change.bytes;
        }
    std::int64_t gradients = standing_.gradients;
    const auto leaves = [&](std::string name_of_it, ValueKind kind, std::int64_t bytes, std::int32_t moment) {
      if (bytes <= 0) return;
      name_of_it += "/until#" + std::to_string(moment);
      holds_.push_back(
          {add_value({.name = std::move(name_of_it), .kind = kind, .bytes = Bytes{bytes}}), moment});
    };
    for (const auto& [moment, bytes] : dying) {
      // The gradients of the step before go together, when they are set to None.
      const std::int64_t old_gradients = bytes >= gradients ? gradients : 0;
      gradients -= old_gradients;
      leaves("gradients of the step before", ValueKind::gradient, old_gradients, moment);
      leaves("left over", ValueKind::buffer, bytes - old_gradients, moment);
    }
    const auto stand = [&](const std::string& name, ValueKind kind, std::int64_t bytes) {
      bytes = std::min(bytes, rest);
      rest -= bytes;
      if (bytes > 0) add_value({.name = name, .kind = kind, .bytes = Bytes{bytes}});
    };
    stand("weights", ValueKind::weight, standing_.weights);
    stand("gradients", ValueKind::gradient, gradients);
    stand("optimizer states", ValueKind::optimizer_state, standing_.optimizer_states);
    stand("other", ValueKind::buffer, rest);
  }

  void add_forward() {
    managed_allocations_steady_ = allocations_of(steady_);
    if (gap_allocates(0))
      add({.name = "before the forward", .kind = "unseen", .flags = {.opaque = true}}, 0, 0);
    for (OpIndex op = 0; op < static_cast<OpIndex>(capture_.ops.size()); ++op) {
      const OpIndex last = unit_last_[static_cast<size_t>(op)];
      add_unit(op, last);
      op = last;
      const std::int32_t gap = Moments::of_op(last) + 1;
      const bool outside = gap == moments_.after_forward();
      const bool unseen = outside || gap_allocates(gap);
      // What is let go of first is there still when the executor acts, and gone when the rest begins.
      if (unseen && lets_go_first(gap))
        add({.name = unique("let go"),
             .kind = "unseen",
             .block = block_between(last),
             .flags = {.opaque = true}},
            gap, gap - 1);
      if (unseen)
        add({.name = outside ? "outside the forward" : unique("unseen"),
             .kind = "unseen",
             .block = block_between(last),
             .flags = {.opaque = true}},
            gap, gap);
      else
        python_ns_ += moments_[gap].ns;
    }
    if (!durations_.empty()) durations_.back() += python_ns_;
  }

  // Does the program let go, between two ops, of what the plan decides about, before it allocates anything?
  [[nodiscard]] bool lets_go_first(std::int32_t gap) const {
    for (size_t v = 0; v < managed_.size(); ++v) {
      const AllocationId allocation = capture_.values[v].allocation;
      if (managed_[v] && natural_.death_of(allocation) == gap && natural_.frees_first(allocation, gap))
        return true;
    }
    return false;
  }

  void add_unit(OpIndex first, OpIndex last) {
    const Record::Op& head = capture_.ops[static_cast<size_t>(first)];
    const std::string module =
        head.module == kNone ? std::string{} : modules_[static_cast<size_t>(head.module)];
    const std::string kind = head.facts->name.substr(head.facts->name.find(':') + 2);
    NewOp wish{
        .name = unique((module.empty() ? "" : module + "/") + kind), .kind = kind, .block = block_of(head)};
    std::set<ValueIndex> made;
    std::vector<ValueIndex> written;
    for (OpIndex op = first; op <= last; ++op) {
      const Record::Op& part = capture_.ops[static_cast<size_t>(op)];
      layout_->ops.push_back({part.facts, {}});
      layout_->graph_op_of[static_cast<size_t>(op)] = OpId{builder_.op_count()};
      wish.flags.discrete = wish.flags.discrete || part.facts->discrete;
      wish.flags.side_effect = wish.flags.side_effect || part.facts->side_effect;
      wish.flags.random = wish.flags.random || (part.drawn && !part.replayable);
      for (const ValueIndex read : part.reads) {
        const Record::Value& value = capture_.values[static_cast<size_t>(read)];
        if (value.source == Source::opaque || value.mutated || (value.source == Source::op && !managed(read)))
          wish.flags.opaque = true;
        if (managed(read) && !made.contains(read))
          wish.reads.push_back(layout_->graph_value_of[static_cast<size_t>(read)]);
      }
      for (const ValueIndex write : part.writes) {
        made.insert(write);
        const Record::Value& value = capture_.values[static_cast<size_t>(write)];
        if (value.overwrites == kNone) layout_->ops.back().output_bytes.push_back(value.bytes);
        const bool final_version = op == last || !overwritten_within(write, last);
        if (managed(write) && final_version) written.push_back(write);
      }
    }
    int number = 0;
    for (const ValueIndex write : written) add_output(wish, write, made, number++);
    while (static_cast<size_t>(builder_.op_count()) > layout_->unit_of.size())
      layout_->unit_of.emplace_back();
    const OpId id = add(std::move(wish), Moments::of_op(first), Moments::of_op(last));
    while (static_cast<size_t>(id.index()) >= layout_->unit_of.size()) layout_->unit_of.emplace_back();
    layout_->unit_of[id.at()] = {first, last};
  }

  [[nodiscard]] bool overwritten_within(ValueIndex value, OpIndex last) const {
    for (const ValueIndex write : capture_.ops[static_cast<size_t>(last)].writes)
      if (capture_.values[static_cast<size_t>(write)].allocation ==
          capture_.values[static_cast<size_t>(value)].allocation)
        return write != value;
    return false;
  }

  void add_output(NewOp& wish, ValueIndex write, const std::set<ValueIndex>& made, int number) {
    const Record::Value& value = capture_.values[static_cast<size_t>(write)];
    ValueIndex older = value.overwrites;
    while (older != kNone && made.contains(older))
      older = capture_.values[static_cast<size_t>(older)].overwrites;
    const bool useful = value.packed || !readers_[static_cast<size_t>(write)].empty();
    const ValueId id = add_value({.name = wish.name + "/out#" + std::to_string(number),
                                  .kind = ValueKind::activation,
                                  .bytes = Bytes{value.bytes},
                                  .holdable = useful});
    layout_->graph_value_of[static_cast<size_t>(write)] = id;
    layout_->tape_value_of.resize(id.at() + 1, kNone);
    layout_->tape_value_of[id.at()] = write;
    graph::Output out{id};
    if (older != kNone) out.overwrites = layout_->graph_value_of[static_cast<size_t>(older)];
    wish.writes.push_back(out);
    // The program's hold of a storage belongs to its newest version; of older ones it ends when they are
    // overwritten, which the builder sees to.
    holds_.push_back({id, natural_.death_of(value.allocation), value.allocation});
  }

  void add_backward() {
    layout_->first_backward = OpId{builder_.op_count()};
    layout_->nodes.reserve(capture_.visits.size());
    std::int32_t waiting = kNone;  // the first moment that is not in an op yet
    std::string waiting_name;
    const auto flush = [&](std::int32_t last) {
      if (waiting == kNone) return;
      add({.name = unique(waiting_name), .kind = waiting_name, .phase = graph::Phase::backward}, waiting,
          last);
      waiting = kNone;
    };
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(capture_.visits.size()); ++node) {
      const Step::Visit& visit = capture_.visits[static_cast<size_t>(node)];
      layout_->nodes.push_back(visit.node);
      std::vector<ValueId> reads;
      for (const ValueIndex read : visit.reads)
        if (managed(read)) reads.push_back(layout_->graph_value_of[static_cast<size_t>(read)]);
      const std::int32_t moment = moments_.of_node(node);
      if (!reads.empty()) {
        if (visit.node.number >= 0) {
          auto& marks = layout_->reads_saved;
          marks.resize(std::max(marks.size(), static_cast<size_t>(visit.node.number) + 1), 0);
          marks[static_cast<size_t>(visit.node.number)] = 1;
        }
        flush(moment - 1);
        layout_->graph_op_of_node.push_back(OpId{builder_.op_count()});
        add({.name = unique(visit.node.name),
             .kind = visit.node.name,
             .phase = graph::Phase::backward,
             .reads = std::move(reads)},
            moment, moment);
        waiting = moment + 1;
        waiting_name = "engine";
      } else {
        if (waiting == kNone) waiting = moment;
        if (waiting_name == "engine" || waiting == moment) waiting_name = visit.node.name;
        layout_->graph_op_of_node.push_back(OpId{builder_.op_count()});
      }
    }
    if (waiting != kNone && waiting < moments_.last()) flush(moments_.last() - 1);
  }

  void add_rest() {
    add({.name = "after backward", .kind = "optimizer", .phase = graph::Phase::optimizer}, moments_.last(),
        moments_.last());
    while (static_cast<size_t>(builder_.op_count()) > layout_->unit_of.size())
      layout_->unit_of.emplace_back();
  }

  // The last op that has begun when the program lets go. An op that begins with a gap begins with what is let
  // go of there before anything is allocated, such as what the forward's function had in variables.
  void set_program_holds() {
    for (const auto& [value, moment, allocation] : holds_) {
      if (moment == kNone) {
        builder_.set_held_until(value, OpId::none());
        continue;
      }
      const auto after = std::ranges::upper_bound(op_from_, moment);
      auto op = static_cast<std::int32_t>(after - op_from_.begin()) - 1;
      if (const std::int32_t from = op < 0 ? 1 : op_from_[static_cast<size_t>(op)];
          allocation != 0 && from % 2 == 0 && natural_.frees_first(allocation, from))
        --op;
      builder_.set_held_until(value, OpId{std::max(op, 0)});
    }
  }

  struct ProgramHold {
    ValueId value;
    std::int32_t death;
    AllocationId allocation = 0;  // in the capture, of what the plan decides about
  };

  const Record& capture_;
  const Record& steady_;
  const Standing& standing_;
  const std::vector<std::string>& modules_;
  const std::vector<std::string>& blocks_;
  std::vector<std::uint8_t> managed_;
  Moments natural_;  // of the capture: when the program lets go
  Moments moments_;  // of the steady step
  GraphBuilder builder_;
  std::shared_ptr<Layout> layout_;
  std::unordered_set<AllocationId> managed_allocations_steady_;
  std::vector<std::vector<OpIndex>> readers_;
  std::vector<OpIndex> unit_last_;
  std::map<std::string, graph::BlockId> block_ids_;
  std::map<std::string, int> names_;
  std::vector<ProgramHold> holds_;
  std::vector<std::int64_t> durations_;
  std::vector<std::int32_t> op_from_;  // the first moment of each op, ascending
  std::int64_t python_ns_ = 0;
  std::size_t value_count_ = 0;
};

}  // namespace

Record record_of(const Step& step) {
  Record record;
  for (const TapeOp& op : step.tape.ops) {
    Record::Op seen{.facts = op.facts, .module = op.module, .replayable = op.replayable(), .drawn = op.drawn};
    for (const TapeArgument& argument : op.tensors) {
      const bool leave =
          std::ranges::find(op.facts->leave_out, argument.argument) != op.facts->leave_out.end();
      if (!leave && std::ranges::find(seen.reads, argument.tensor.value) == seen.reads.end())
        seen.reads.push_back(argument.tensor.value);
    }
    for (const TapeOutput& out : op.outputs)
      if (out.made != Made::view) seen.writes.push_back(out.tensor.value);
    record.ops.push_back(std::move(seen));
  }
  for (size_t v = 0; v < step.tape.values.size(); ++v) {
    const TapeValue& value = step.tape.values[v];
    const bool packed = v < step.packed.size() && step.packed[v];
    record.values.push_back({value.source, value.producer, value.overwrites, value.bytes, value.allocation,
                             packed, value.mutated});
  }
  record.visits = step.visits;
  record.counts = step.counts;
  record.mode = step.mode();
  return record;
}

base::Result<Profiled> profile(const Record& capture, const Record& steady, const Standing& standing,
                               const std::vector<std::string>& modules,
                               const std::vector<std::string>& blocks, std::string name,
                               std::int64_t tokens) {
  return Builder(capture, steady, standing, modules, blocks, std::move(name)).build(tokens);
}

}  // namespace worktop::adapter
