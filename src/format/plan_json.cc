#include "format/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "format/graph_json.h"
#include "format/json_cursor.h"
#include "format/json_tables.h"
#include "format/machine_json.h"
#include "plan/legal.h"

namespace worktop::format {
namespace {

using base::ids;
using base::Result;
using base::Status;
using graph::Graph;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;
using machine::Machine;
using machine::Tier;
using plan::Action;
using plan::ActionKind;
using plan::Boundary;
using plan::Fate;
using plan::Plan;

constexpr std::int64_t kVersion = 1;
constexpr NamedValue<ActionKind> kActionKinds[] = {{"recompute", ActionKind::recompute},
                                                   {"drop", ActionKind::drop},
                                                   {"copy_out", ActionKind::copy_out},
                                                   {"release", ActionKind::release},
                                                   {"copy_in", ActionKind::copy_in}};
constexpr Fate kStatedFates[] = {Fate::recompute, Fate::offload_host, Fate::offload_disk};

// Finds ops or values by name.
template <class IdT>
class Names {
 public:
  // `name_of` answers the name of an id; the names outlive this.
  template <class NameOf>
  Names(std::string_view noun, std::int32_t count, NameOf name_of) : noun_(noun) {
    rows_.reserve(static_cast<std::size_t>(count));
    for (const IdT id : ids<IdT>(count)) rows_.push_back({name_of(id), id});
    std::ranges::sort(rows_);
  }

  [[nodiscard]] Result<IdT> find(JsonCursor at) const {
    WORKTOP_TRY(const std::string_view name, at.string());
    const auto row = std::ranges::lower_bound(rows_, name, {}, &std::pair<std::string_view, IdT>::first);
    if (row != rows_.end() && row->first == name) return row->second;
    const auto close = nearest(name);
    return at.fail(fmt::format("the graph has no {} '{}'", noun_, name.substr(0, kLongest)),
                   close ? fmt::format("did you mean '{}'?", *close) : "");
  }

 private:
  static constexpr std::size_t kLongest = 100;
  static constexpr std::size_t kMostCompared = 20'000;  // a hint is not worth more

  [[nodiscard]] std::optional<std::string> nearest(std::string_view name) const {
    if (rows_.size() > kMostCompared || name.size() > kLongest) return std::nullopt;
    std::vector<std::string> known;
    for (const auto& [candidate, id] : rows_)
      if (candidate.size() <= 2 * name.size()) known.emplace_back(candidate);
    return base::nearest(name, known);
  }

  std::string_view noun_;
  std::vector<std::pair<std::string_view, IdT>> rows_;
};

class PlanReader {
 public:
  PlanReader(const Graph& graph, const Machine& machine)
      : graph_(graph),
        machine_(machine),
        ops_("op", graph.op_count(), [&](OpId id) { return std::string_view(graph.op(id).name); }),
        values_("value", graph.value_count(),
                [&](ValueId id) { return std::string_view(graph.value(id).name); }) {}

  Result<Plan> read(const JsonObject& file) {
    plan_.graph = graph_.hash();
    WORKTOP_TRY(plan_.made_by, file.string_or("made_by", ""));
    plan_.fates = base::IdVector<ValueId, Fate>(graph_.value_count(), Fate::keep);
    if (const auto at = file.find_set("fates")) WORKTOP_CHECK(read_fates(*at));
    WORKTOP_TRY(const JsonArray rows, file.array("actions"));
    for (const JsonCursor row : rows) WORKTOP_CHECK(read_row(row));
    while (plan_.actions.rows() <= graph_.op_count()) plan_.actions.end_row();
    return std::move(plan_);
  }

 private:
  Status read_fates(JsonCursor at) {
    WORKTOP_TRY(const JsonObject fates, at.object());
    WORKTOP_CHECK(fates.only({"recompute", "offload_host", "offload_disk"}));
    for (const Fate fate : kStatedFates) {
      const auto list_at = fates.find_set(name_of(fate));
      if (!list_at) continue;
      WORKTOP_TRY(const JsonArray list, list_at->array());
      for (const JsonCursor item : list) {
        WORKTOP_TRY(const ValueId value, values_.find(item));
        if (plan_.fates[value] != Fate::keep) return item.fail("has a fate already");
        plan_.fates[value] = fate;
      }
    }
    return {};
  }

  Status read_row(JsonCursor at) {
    WORKTOP_TRY(const JsonObject row, at.object());
    WORKTOP_CHECK(row.only({"before", "do"}));
    WORKTOP_TRY(const JsonCursor before, row.at("before"));
    std::int32_t boundary = graph_.op_count();
    if (!before.is_null()) {
      WORKTOP_TRY(const OpId op, ops_.find(before));
      boundary = op.index();
    }
    if (boundary < plan_.actions.rows())
      return before.fail("comes after a later op, or a second time",
                         "list boundaries in program order, once each");
    while (plan_.actions.rows() < boundary) plan_.actions.end_row();
    WORKTOP_TRY(const JsonArray actions, row.array("do"));
    for (const JsonCursor item : actions) {
      WORKTOP_TRY(const Action action, read_action(item));
      plan_.actions.push_item(action);
    }
    plan_.actions.end_row();
    return {};
  }

  Result<Action> read_action(JsonCursor at) const {
    WORKTOP_TRY(const JsonArray words, at.array());
    const std::int64_t count = words.count();
    if (count < 2) return at.fail("is not an action", R"(write one such as ["drop", "VALUE", "device"])");
    auto it = words.begin();
    WORKTOP_TRY(const ActionKind kind, value_in(kActionKinds, *it));
    const std::int64_t wanted = kind == ActionKind::recompute                             ? 2
                                : kind == ActionKind::drop || kind == ActionKind::release ? 3
                                                                                          : 4;
    if (count != wanted) return at.fail(fmt::format("{} has {} words, not {}", name_of(kind), wanted, count));
    if (kind == ActionKind::recompute) {
      WORKTOP_TRY(const OpId op, ops_.find(*++it));
      return Action::recompute(op);
    }
    WORKTOP_TRY(const ValueId value, values_.find(*++it));
    WORKTOP_TRY(const Tier tier, value_in(kTiers, *++it));
    if (kind == ActionKind::drop) return Action::drop(value, tier);
    if (kind == ActionKind::release) return Action::release(value, tier);
    WORKTOP_TRY(const Tier to, value_in(kTiers, *++it));
    const LinkId link = machine_.link(tier, to);
    if (!link.exists())
      return at.fail(
          fmt::format("machine '{}' has no link from {} to {}", machine_.name, name_of(tier), name_of(to)));
    return kind == ActionKind::copy_out ? Action::copy_out(value, link) : Action::copy_in(value, link);
  }

  const Graph& graph_;
  const Machine& machine_;
  Names<OpId> ops_;
  Names<ValueId> values_;
  Plan plan_;
};

Result<graph::GraphHash> read_hash(JsonCursor at) {
  WORKTOP_TRY(const std::string_view text, at.string());
  graph::GraphHash hash;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data(), last, hash.bits, 16);
  if (text.size() != 16 || problem != std::errc{} || end != last)
    return at.fail("is not a hash of sixteen hexadecimal digits");
  return hash;
}

// The graph of the file, or the given one.
Result<Graph> find_graph(const JsonObject& file, const Graph* given) {
  WORKTOP_TRY(const JsonCursor hash_at, file.at("graph_hash"));
  WORKTOP_TRY(const graph::GraphHash hash, read_hash(hash_at));
  const auto check = [&](const Graph& graph) -> Status {
    if (graph.hash() == hash) return {};
    return std::unexpected(
        base::Error{base::ErrorCode::illegal,
                    fmt::format("the plan belongs to another graph than '{}', whose hash is {}", graph.name(),
                                print_hash(graph.hash())),
                    hash_at.error("").where, "plan again for this graph, or move the plan as a policy"});
  };
  if (file.find_set("graph")) {
    WORKTOP_TRY(const JsonObject object, file.object("graph"));
    WORKTOP_TRY(Graph graph, read_graph(object));
    WORKTOP_CHECK(check(graph));
    return graph;
  }
  if (given == nullptr)
    return file.cursor().fail("has no 'graph'", "give the model or graph that it was made for");
  WORKTOP_CHECK(check(*given));
  return *given;
}

Result<Machine> find_machine(const JsonObject& file, const Machine* given) {
  if (file.find_set("machine")) {
    WORKTOP_TRY(const JsonObject object, file.object("machine"));
    return read_machine(object);
  }
  if (given == nullptr)
    return file.cursor().fail("has no 'machine'", "give the machine that it was made for");
  return *given;
}

void write_fates(JsonWriter& w, const Plan& plan, const Graph& graph) {
  w.key("fates").begin_object();
  for (const Fate fate : kStatedFates) {
    w.key(name_of(fate)).begin_row();
    for (const ValueId id : ids<ValueId>(plan.fates.size()))
      if (plan.fates[id] == fate) w.value(graph.value(id).name);
    w.end();
  }
  w.end();
}

void write_action(JsonWriter& w, const Action& action, const Graph& graph, const Machine& machine) {
  w.begin_row().value(name_of(action.kind));
  w.value(action.kind == ActionKind::recompute ? graph.op(action.op).name : graph.value(action.value).name);
  if (action.kind == ActionKind::drop || action.kind == ActionKind::release)
    w.value(name_in(kTiers, action.tier));
  if (action.kind == ActionKind::copy_out || action.kind == ActionKind::copy_in) {
    const machine::Link& link = machine.links[action.link];
    w.value(name_in(kTiers, link.from)).value(name_in(kTiers, link.to));
  }
  w.end();
}

}  // namespace

std::string print_hash(graph::GraphHash hash) {
  return fmt::format("{:016x}", hash.bits);
}

Result<PlanFile> read_plan_file(std::string_view text, const Graph* given_graph,
                                const Machine* given_machine) {
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject file, document.root().object());
  WORKTOP_CHECK(file.is_format(kPlanFormat, kVersion));
  WORKTOP_CHECK(file.only({"format", "version", "made_by", "graph_hash", "fates", "actions", "machine",
                           "graph", "durations_ns"}));
  WORKTOP_TRY(Graph graph, find_graph(file, given_graph));
  WORKTOP_TRY(Machine machine, find_machine(file, given_machine));
  WORKTOP_TRY(Plan plan, PlanReader(graph, machine).read(file));
  PlanFile result{std::move(plan), std::move(graph), std::move(machine), std::nullopt};
  if (const auto at = file.find_set("durations_ns")) {
    WORKTOP_TRY(result.durations, read_durations(*at, result.graph.op_count()));
  }
  WORKTOP_CHECK(plan::legal(result.graph, result.machine, result.plan));
  return result;
}

void write_plan(JsonWriter& w, const Plan& plan, const Graph& graph, const Machine& machine,
                const PlanLuggage& luggage) {
  w.begin_object().member("format", kPlanFormat).member("version", kVersion).member("made_by", plan.made_by);
  w.member("graph_hash", print_hash(plan.graph));
  write_fates(w, plan, graph);
  w.key("actions").begin_array();
  for (const Boundary boundary : ids<Boundary>(plan.actions.rows())) {
    if (plan.actions[boundary].empty()) continue;
    w.begin_object_row().key("before");
    boundary.index() < graph.op_count() ? w.value(graph.op(OpId{boundary.index()}).name) : w.null();
    w.key("do").begin_row();
    for (const Action& action : plan.actions[boundary]) write_action(w, action, graph, machine);
    w.end().end();
  }
  w.end();
  if (luggage.machine) write_machine((w.key("machine"), w), machine);
  if (luggage.graph) write_graph((w.key("graph"), w), graph);
  if (luggage.graph && luggage.durations != nullptr)
    write_durations((w.key("durations_ns"), w), *luggage.durations);
  w.end();
}

std::string write_plan_file(const Plan& plan, const Graph& graph, const Machine& machine,
                            const PlanLuggage& luggage) {
  JsonWriter w(1);
  write_plan(w, plan, graph, machine, luggage);
  return std::move(w).take();
}

}  // namespace worktop::format
