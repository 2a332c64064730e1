#include "format/step_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;
using base::Status;
using graph::GraphBuilder;
using graph::kMaxOps;
using graph::OpId;
using graph::Output;
using graph::Phase;
using graph::ProgramHold;
using graph::ValueId;
using graph::ValueKind;

constexpr Bytes kWrappedNumber{16};  // the widest scalar, complex128

struct Storage {
  Bytes bytes{0};
  OpId produced_by;     // none: there before the step
  OpId freed_after;     // none: never
  OpId only_user;       // of the ops that read or mutate it
  bool shared = false;  // more than one does
  bool mutated = false;
  ValueId version;  // the newest; none: not there yet, or a wrapped number

  [[nodiscard]] bool is_wrapped_number() const {
    return !produced_by.exists() && freed_after.exists() && only_user == freed_after && !shared && !mutated &&
           bytes <= kWrappedNumber;
  }
};

bool draws_random_numbers(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("backward")) return false;
  // "droupout": as the traces of one framework version spell it.
  return has("dropout") || has("droupout") || has("bernoulli") || has("multinomial") ||
         name.starts_with("rand") || name == "normal_" || name == "uniform_" || name == "exponential_" ||
         name == "random_";
}

class TraceReader {
 public:
  explicit TraceReader(const JsonObject& file) : file_(file), builder_("", graph::Origin::trace) {}

  Result<GraphFile> read() {
    WORKTOP_TRY(std::string name, file_.string("name"));
    builder_ = GraphBuilder(std::move(name), graph::Origin::trace);
    WORKTOP_TRY(const JsonArray ops, file_.array("ops"));
    op_count_ = ops.count();
    if (op_count_ == 0 || op_count_ > kMaxOps)
      return ops.cursor().fail(fmt::format("has {} ops, not between 1 and {}", op_count_, kMaxOps));
    WORKTOP_TRY(backward_, file_.integer("backward_starts_at", 0, op_count_));
    WORKTOP_CHECK(read_storages());
    WORKTOP_CHECK(find_users(ops));
    add_what_is_there_before();
    std::int64_t index = 0;
    for (const JsonCursor at : ops) {
      WORKTOP_TRY(const JsonObject op, at.object());
      WORKTOP_CHECK(read_op(op, OpId{static_cast<std::int32_t>(index++)}));
    }
    WORKTOP_CHECK(check_produced());
    state_needs();
    WORKTOP_CHECK(check_sum());
    WORKTOP_TRY(graph::Graph graph, std::move(builder_).build());
    return GraphFile{std::move(graph), std::move(durations_)};
  }

 private:
  Storage& storage(std::int64_t id) { return storages_[static_cast<std::size_t>(id)]; }

  Status read_storages() {
    WORKTOP_TRY(const JsonArray list, file_.array("storages"));
    if (list.count() > kMaxOps) return list.cursor().fail(fmt::format("has more than {} entries", kMaxOps));
    for (const JsonCursor at : list) {
      WORKTOP_TRY(const JsonObject object, at.object());
      Storage s;
      WORKTOP_TRY(s.bytes, object.quantity<Bytes>("bytes"));
      WORKTOP_TRY(const std::int64_t producer, object.integer("produced_by", -1, op_count_ - 1));
      WORKTOP_TRY(const std::int64_t freed,
                  object.integer_or("freed_after", -1, std::max<std::int64_t>(producer, 0), op_count_ - 1));
      s.produced_by = OpId{static_cast<std::int32_t>(producer)};
      s.freed_after = OpId{static_cast<std::int32_t>(freed)};
      storages_.push_back(s);
    }
    return {};
  }

  // Calls `use` with each storage that the list `key` of an op names.
  Status for_each_named(const JsonObject& op, std::string_view key,
                        const std::function<Status(JsonCursor, std::int64_t)>& use) const {
    const auto at = op.find_set(key);
    if (!at) return {};
    WORKTOP_TRY(const JsonArray list, at->array());
    for (const JsonCursor item : list) {
      WORKTOP_TRY(const std::int64_t id, item.integer(0, static_cast<std::int64_t>(storages_.size()) - 1));
      WORKTOP_CHECK(use(item, id));
    }
    return {};
  }

  Status find_users(const JsonArray& ops) {
    std::int32_t index = 0;
    for (const JsonCursor at : ops) {
      WORKTOP_TRY(const JsonObject op, at.object());
      const OpId user{index++};
      const auto note = [&](JsonCursor, std::int64_t id) -> Status {
        Storage& s = storage(id);
        s.shared = s.shared || (s.only_user.exists() && s.only_user != user);
        s.only_user = user;
        return {};
      };
      WORKTOP_CHECK(for_each_named(op, "reads", note));
      WORKTOP_CHECK(for_each_named(op, "mutates", [&](JsonCursor item, std::int64_t id) {
        storage(id).mutated = true;
        return note(item, id);
      }));
    }
    return {};
  }

  void add_what_is_there_before() {
    for (std::size_t i = 0; i < storages_.size(); ++i) {
      Storage& s = storages_[i];
      if (s.produced_by.exists() || s.is_wrapped_number()) continue;
      s.version = builder_.add_value({.name = fmt::format("storage#{}", i),
                                      .kind = s.freed_after.exists() ? ValueKind::input : ValueKind::weight,
                                      .bytes = s.bytes});
      builder_.set_held_until(s.version, s.freed_after);
    }
  }

  Status read_op(const JsonObject& object, OpId id) {
    WORKTOP_TRY(const std::string kind, object.string("name"));
    WORKTOP_TRY(const Nanoseconds time, object.quantity<Nanoseconds>("time_ns"));
    graph::Op op{.name = fmt::format("{}#{}", kind, named_[kind]++),
                 .kind = kind,
                 .phase = id.index() < backward_ ? Phase::forward : Phase::backward};
    op.flags.random = draws_random_numbers(kind);
    WORKTOP_CHECK(read_inputs(object, id, op));
    WORKTOP_CHECK(read_outputs(object, id, op));
    builder_.add_op(std::move(op), reads_, writes_);
    durations_.op.push_back(time);
    return {};
  }

  Status read_inputs(const JsonObject& object, OpId id, graph::Op& op) {
    reads_.clear();
    const auto read = [&](JsonCursor at, std::int64_t number) -> Status {
      const Storage& s = storage(number);
      if (s.is_wrapped_number()) {
        op.workspace += s.bytes;
        return {};
      }
      if (!s.version.exists())
        return at.fail(fmt::format("storage {} is used before it is produced", number));
      if (s.freed_after.exists() && s.freed_after < id)
        return at.fail(
            fmt::format("storage {} is used after op {} has freed it", number, s.freed_after.index()));
      reads_.push_back(s.version);
      return {};
    };
    WORKTOP_CHECK(for_each_named(object, "views", [](JsonCursor, std::int64_t) { return Status{}; }));
    WORKTOP_CHECK(for_each_named(object, "reads", read));
    return for_each_named(object, "mutates", read);
  }

  Status read_outputs(const JsonObject& object, OpId id, graph::Op& op) {
    writes_.clear();
    WORKTOP_CHECK(for_each_named(object, "writes", [&](JsonCursor at, std::int64_t number) -> Status {
      Storage& s = storage(number);
      if (s.produced_by != id || s.version.exists())
        return at.fail(fmt::format("storage {} is not produced here, or not first here", number),
                       "list a later write under 'mutates'");
      s.version = add_output(op, s);
      writes_.push_back({s.version});
      return {};
    }));
    return for_each_named(object, "mutates", [&](JsonCursor, std::int64_t number) -> Status {
      Storage& s = storage(number);
      const ValueId old = s.version;
      if (!s.produced_by.exists()) op.flags.side_effect = true;
      s.version = add_output(op, s);
      writes_.push_back({s.version, old});
      return {};
    });
  }

  ValueId add_output(const graph::Op& op, const Storage& s) {
    const bool persistent = !s.produced_by.exists();
    const ValueKind kind = persistent                   ? builder_.value(s.version).kind
                           : op.phase == Phase::forward ? ValueKind::activation
                           : s.freed_after.exists()     ? ValueKind::temporary
                                                        : ValueKind::gradient;
    const ValueId value = builder_.add_value({.name = fmt::format("{}/out#{}", op.name, writes_.size()),
                                              .kind = kind,
                                              .bytes = s.bytes,
                                              .holdable = !persistent},
                                             ProgramHold::producer_only);
    if (persistent) builder_.set_held_until(value, OpId::none());
    return value;
  }

  Status check_produced() const {
    for (std::size_t i = 0; i < storages_.size(); ++i)
      if (storages_[i].produced_by.exists() && !storages_[i].version.exists())
        return file_.cursor().fail(fmt::format("storage {} is produced by op {}, which does not write it", i,
                                               storages_[i].produced_by.index()));
    return {};
  }

  void state_needs() {
    for (const Storage& s : storages_)
      if (s.produced_by.exists()) builder_.set_needed_until(s.version, s.freed_after);
  }

  Status check_sum() const {
    const auto at = file_.find_set("sum_time_ns");
    if (!at) return {};
    WORKTOP_TRY(const std::int64_t stated, at->integer(0, INT64_MAX));
    if (Nanoseconds{stated} != durations_.total())
      return at->fail(fmt::format("states {}, but time_ns sums to {}", stated, durations_.total().count()));
    return {};
  }

  const JsonObject& file_;
  GraphBuilder builder_;
  std::int64_t op_count_ = 0;
  std::int64_t backward_ = 0;
  std::vector<Storage> storages_;
  std::map<std::string, std::int64_t> named_;
  cost::Durations durations_;
  std::vector<ValueId> reads_;  // of the op being read
  std::vector<Output> writes_;
};

}  // namespace

Result<GraphFile> read_step_trace(const JsonObject& file) {
  WORKTOP_CHECK(file.is_format(kStepTraceFormat, 1));
  return TraceReader(file).read();
}

}  // namespace worktop::format
