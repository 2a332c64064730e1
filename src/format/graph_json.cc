#include "format/graph_json.h"

#include <fmt/format.h>

#include <vector>

#include "format/json_names.h"
#include "format/json_tables.h"
#include "graph/builder.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Dtype;
using base::Flops;
using base::ids;
using base::Nanoseconds;
using base::Result;
using base::Status;
using graph::BlockId;
using graph::Engine;
using graph::Graph;
using graph::GraphBuilder;
using graph::kMaxOps;
using graph::Op;
using graph::OpFlags;
using graph::OpId;
using graph::Origin;
using graph::Output;
using graph::Phase;
using graph::ProgramHold;
using graph::StorageId;
using graph::Value;
using graph::ValueId;
using graph::ValueKind;

constexpr std::int64_t kVersion = 1;

constexpr NamedValue<Origin> kOrigins[] = {
    {"analytic", Origin::analytic}, {"profile", Origin::profile}, {"trace", Origin::trace}};
constexpr NamedValue<Phase> kPhases[] = {
    {"forward", Phase::forward}, {"backward", Phase::backward}, {"optimizer", Phase::optimizer}};
constexpr NamedValue<ValueKind> kKinds[] = {
    {"activation", ValueKind::activation}, {"weight", ValueKind::weight},
    {"gradient", ValueKind::gradient},     {"optimizer_state", ValueKind::optimizer_state},
    {"buffer", ValueKind::buffer},         {"input", ValueKind::input},
    {"temporary", ValueKind::temporary}};
constexpr NamedValue<Engine> kEngines[] = {
    {"matmul", Engine::matmul}, {"attention", Engine::attention}, {"vector", Engine::vector}};
constexpr NamedValue<bool> kTriggers[] = {{"every", false}, {"eager", true}};
constexpr NamedValue<ProgramHold> kHolds[] = {{"to_last_reader", ProgramHold::to_last_reader},
                                              {"to_last_forward_reader", ProgramHold::to_last_forward_reader},
                                              {"producer_only", ProgramHold::producer_only}};
constexpr NamedValue<bool OpFlags::*> kFlags[] = {{"random", &OpFlags::random},
                                                  {"side_effect", &OpFlags::side_effect},
                                                  {"collective", &OpFlags::collective},
                                                  {"opaque", &OpFlags::opaque},
                                                  {"discrete", &OpFlags::discrete}};

template <class IdT>
Result<IdT> read_id(JsonCursor at, std::int64_t count) {
  if (count == 0) return at.fail("names something where there is nothing to name");
  WORKTOP_TRY(const std::int64_t index, at.integer(0, count - 1));
  return IdT{static_cast<std::int32_t>(index)};
}

// An op's place, or null for none.
Result<OpId> read_op_or_null(JsonCursor at, std::int64_t ops) {
  return at.is_null() ? OpId::none() : read_id<OpId>(at, ops);
}

Result<JsonArray> read_list(const JsonObject& graph, std::string_view key) {
  WORKTOP_TRY(const JsonArray list, graph.array(key));
  if (list.count() > kMaxOps)
    return list.cursor().fail(fmt::format("has more than {} entries", kMaxOps),
                              "join small ops into larger ones");
  return list;
}

struct Counts {
  std::int64_t blocks, values, ops, storages;
};

Status read_value(const JsonObject& object, const Counts& counts, GraphBuilder& builder) {
  WORKTOP_CHECK(
      object.only({"name", "kind", "bytes", "storage", "held", "held_until", "needed_until", "holdable"}));
  Value value;
  WORKTOP_TRY(value.name, object.string("name"));
  WORKTOP_TRY(value.kind, value_or(kKinds, object, "kind", ValueKind::activation));
  WORKTOP_TRY(value.bytes, object.quantity_or("bytes", Bytes{0}));
  WORKTOP_TRY(value.holdable, object.boolean_or("holdable", false));
  if (const auto storage = object.find_set("storage")) {
    WORKTOP_TRY(value.storage, read_id<StorageId>(*storage, counts.storages));
  }
  WORKTOP_TRY(const ProgramHold held, value_or(kHolds, object, "held", ProgramHold::to_last_reader));
  const ValueId id = builder.add_value(std::move(value), held);
  if (const auto at = object.find("held_until")) {
    if (object.find("held")) return at->fail("'held' and 'held_until' are both there", "keep one of the two");
    WORKTOP_TRY(const OpId last, read_op_or_null(*at, counts.ops));
    builder.set_held_until(id, last);
  }
  if (const auto at = object.find("needed_until")) {
    WORKTOP_TRY(const OpId last, read_op_or_null(*at, counts.ops));
    builder.set_needed_until(id, last);
  }
  return {};
}

Result<Output> read_output(JsonCursor at, std::int64_t values) {
  if (at.kind() != JsonKind::array) {
    WORKTOP_TRY(const ValueId value, read_id<ValueId>(at, values));
    return Output{value};
  }
  WORKTOP_TRY(const JsonArray pair, at.array());
  if (pair.count() != 2) return at.fail("is not a pair [new version, old version]");
  auto it = pair.begin();
  WORKTOP_TRY(const ValueId value, read_id<ValueId>(*it, values));
  WORKTOP_TRY(const ValueId overwrites, read_id<ValueId>(*++it, values));
  return Output{value, overwrites};
}

Result<OpFlags> read_flags(const JsonObject& object) {
  OpFlags flags;
  const auto at = object.find_set("flags");
  if (!at) return flags;
  WORKTOP_TRY(const JsonArray names, at->array());
  for (const JsonCursor name : names) {
    WORKTOP_TRY(const auto flag, value_in(kFlags, name));
    flags.*flag = true;
  }
  return flags;
}

Status read_op(const JsonObject& object, const Counts& counts, GraphBuilder& builder) {
  WORKTOP_CHECK(object.only({"name", "kind", "phase", "block", "engine", "dtype", "flops", "traffic_bytes",
                             "workspace_bytes", "flags", "reads", "writes"}));
  Op op;
  WORKTOP_TRY(op.name, object.string("name"));
  WORKTOP_TRY(op.kind, object.string_or("kind", ""));
  WORKTOP_TRY(op.phase, value_or(kPhases, object, "phase", Phase::forward));
  WORKTOP_TRY(op.engine, value_or(kEngines, object, "engine", Engine::vector));
  WORKTOP_TRY(op.dtype, value_or(kDtypes, object, "dtype", Dtype::fp32));
  WORKTOP_TRY(op.flops, object.quantity_or("flops", Flops{0}));
  WORKTOP_TRY(op.traffic, object.quantity_or("traffic_bytes", Bytes{0}));
  WORKTOP_TRY(op.workspace, object.quantity_or("workspace_bytes", Bytes{0}));
  WORKTOP_TRY(op.flags, read_flags(object));
  if (const auto block = object.find_set("block")) {
    WORKTOP_TRY(op.block, read_id<BlockId>(*block, counts.blocks));
  }
  std::vector<ValueId> reads;
  std::vector<Output> writes;
  if (const auto at = object.find_set("reads")) {
    WORKTOP_TRY(const JsonArray list, at->array());
    for (const JsonCursor item : list) {
      WORKTOP_TRY(const ValueId value, read_id<ValueId>(item, counts.values));
      reads.push_back(value);
    }
  }
  if (const auto at = object.find_set("writes")) {
    WORKTOP_TRY(const JsonArray list, at->array());
    for (const JsonCursor item : list) {
      WORKTOP_TRY(const Output output, read_output(item, counts.values));
      writes.push_back(output);
    }
  }
  builder.add_op(std::move(op), reads, writes);
  return {};
}

Status read_block(JsonCursor at, GraphBuilder& builder) {
  WORKTOP_TRY(const JsonArray pair, at.array());
  if (pair.count() != 2) return at.fail("is not a pair [name, kind]");
  auto it = pair.begin();
  WORKTOP_TRY(const std::string_view name, (*it).string());
  WORKTOP_TRY(const std::string_view kind, (*++it).string());
  builder.add_block(std::string(name), std::string(kind));
  return {};
}

void write_place(JsonWriter& w, std::string_view key, OpId op) {
  w.key(key);
  op.exists() ? w.value(op.index()) : w.null();
}

void write_value(JsonWriter& w, const Value& value) {
  w.begin_object_row().member("name", value.name).member("kind", name_in(kKinds, value.kind));
  w.member("bytes", value.bytes).member("storage", value.storage.index());
  write_place(w, "held_until", value.held_until);
  write_place(w, "needed_until", value.needed_until);
  if (value.holdable) w.member("holdable", true);
  w.end();
}

void write_op(JsonWriter& w, const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  w.begin_object_row()
      .member("name", op.name)
      .member("kind", op.kind)
      .member("phase", name_in(kPhases, op.phase));
  if (op.block.exists()) w.member("block", op.block.index());
  w.member("engine", name_in(kEngines, op.engine)).member("dtype", name_in(kDtypes, op.dtype));
  if (op.flops.count() > 0) w.member("flops", op.flops);
  if (op.traffic.count() > 0) w.member("traffic_bytes", op.traffic);
  if (op.workspace.count() > 0) w.member("workspace_bytes", op.workspace);
  if (op.flags != OpFlags{}) {
    w.key("flags").begin_row();
    for (const auto& [name, flag] : kFlags)
      if (op.flags.*flag) w.value(name);
    w.end();
  }
  w.key("reads").begin_row();
  for (const ValueId read : graph.reads(id)) w.value(read.index());
  w.end().key("writes").begin_row();
  for (const Output& out : graph.writes(id)) {
    if (out.overwrites.exists())
      w.begin_row().value(out.value.index()).value(out.overwrites.index()).end();
    else
      w.value(out.value.index());
  }
  w.end().end();
}

bool every_boundary_is_trigger(const Graph& graph) {
  for (std::int32_t t = 0; t <= graph.op_count(); ++t)
    if (!graph.is_trigger(t)) return false;
  return true;
}

}  // namespace

Result<Graph> read_graph(const JsonObject& object) {
  WORKTOP_CHECK(object.only({"name", "origin", "micro_steps", "tokens_per_step", "triggers", "storages",
                             "blocks", "values", "ops"}));
  WORKTOP_TRY(std::string name, object.string("name"));
  WORKTOP_TRY(const Origin origin, value_or(kOrigins, object, "origin", Origin::trace));
  GraphBuilder builder(std::move(name), origin);
  WORKTOP_TRY(const std::int64_t micro_steps, object.integer_or("micro_steps", 1, 1, INT32_MAX));
  builder.set_micro_steps(static_cast<std::int32_t>(micro_steps));
  WORKTOP_TRY(const std::int64_t tokens,
              object.integer_or("tokens_per_step", 0, 0, Flops::largest().count()));
  builder.set_tokens_per_step(tokens);
  WORKTOP_TRY(const bool eager, value_or(kTriggers, object, "triggers", false));
  if (eager) builder.set_eager_triggers();
  WORKTOP_TRY(const std::int64_t storages, object.integer_or("storages", 0, 0, kMaxOps));
  WORKTOP_TRY(const JsonArray values, read_list(object, "values"));
  WORKTOP_TRY(const JsonArray ops, read_list(object, "ops"));
  Counts counts{0, values.count(), ops.count(), storages};
  for (std::int64_t i = 0; i < storages; ++i) builder.add_storage();
  if (object.find_set("blocks")) {
    WORKTOP_TRY(const JsonArray blocks, read_list(object, "blocks"));
    counts.blocks = blocks.count();
    for (const JsonCursor block : blocks) WORKTOP_CHECK(read_block(block, builder));
  }
  for (const JsonCursor at : values) {
    WORKTOP_TRY(const JsonObject value, at.object());
    WORKTOP_CHECK(read_value(value, counts, builder));
  }
  for (const JsonCursor at : ops) {
    WORKTOP_TRY(const JsonObject op, at.object());
    WORKTOP_CHECK(read_op(op, counts, builder));
  }
  return std::move(builder).build();
}

Result<cost::Durations> read_durations(JsonCursor at, std::int32_t op_count) {
  WORKTOP_TRY(const JsonArray list, at.array());
  const std::int64_t count = list.count();
  if (count != op_count) return at.fail(fmt::format("has {} entries for {} ops", count, op_count));
  cost::Durations durations;
  durations.op.reserve(op_count);
  for (const JsonCursor item : list) {
    WORKTOP_TRY(const Nanoseconds ns, item.quantity<Nanoseconds>());
    durations.op.push_back(ns);
  }
  return durations;
}

Result<GraphFile> read_graph_json(const JsonObject& file) {
  WORKTOP_CHECK(file.is_format(kGraphFormat, kVersion));
  WORKTOP_CHECK(file.only({"format", "version", "graph", "durations_ns"}));
  WORKTOP_TRY(const JsonObject object, file.object("graph"));
  WORKTOP_TRY(Graph graph, read_graph(object));
  GraphFile result{std::move(graph), std::nullopt};
  if (const auto at = file.find_set("durations_ns")) {
    WORKTOP_TRY(result.durations, read_durations(*at, result.graph.op_count()));
  }
  return result;
}

void write_graph(JsonWriter& w, const Graph& graph) {
  w.begin_object().member("name", graph.name()).member("origin", name_in(kOrigins, graph.origin()));
  w.member("micro_steps", graph.micro_steps()).member("tokens_per_step", graph.tokens_per_step());
  w.member("triggers", every_boundary_is_trigger(graph) ? "every" : "eager");
  w.member("storages", graph.storage_count());
  w.key("blocks").begin_array();
  for (const BlockId id : ids<BlockId>(graph.block_count()))
    w.begin_row().value(graph.block(id).name).value(graph.block(id).kind).end();
  w.end().key("values").begin_array();
  for (const ValueId id : ids<ValueId>(graph.value_count())) write_value(w, graph.value(id));
  w.end().key("ops").begin_array();
  for (const OpId id : ids<OpId>(graph.op_count())) write_op(w, graph, id);
  w.end().end();
}

void write_durations(JsonWriter& w, const cost::Durations& durations) {
  w.begin_row();
  for (const Nanoseconds ns : durations.op) w.value(ns);
  w.end();
}

std::string write_graph_json(const Graph& graph, const cost::Durations* durations) {
  JsonWriter w(1);
  w.begin_object().member("format", kGraphFormat).member("version", kVersion).key("graph");
  write_graph(w, graph);
  if (durations != nullptr) {
    w.key("durations_ns");
    write_durations(w, *durations);
  }
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
