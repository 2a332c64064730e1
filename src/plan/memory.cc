#include "plan/memory.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"
#include "plan/holders.h"

namespace worktop::plan {
namespace {

using base::ids;

constexpr std::size_t at(Tier tier) {
  return static_cast<std::size_t>(tier);
}

Bytes& share_of(Residents& residents, graph::ValueKind kind) {
  switch (kind) {
    case graph::ValueKind::activation:
      return residents.activations;
    case graph::ValueKind::weight:
      return residents.weights;
    case graph::ValueKind::gradient:
      return residents.gradients;
    case graph::ValueKind::optimizer_state:
      return residents.optimizer_states;
    case graph::ValueKind::buffer:
    case graph::ValueKind::input:
    case graph::ValueKind::temporary:
      return residents.other;
  }
  return residents.other;
}

// Walks the step and sums. It is walked twice: to find the first moment at which the device peak is reached,
// and again to say who was there then (noting that at every new height would not be linear).
class Walk {
 public:
  // `describe_at`: the number of the moment to describe, or -1.
  Walk(const Graph& graph, const machine::Machine& machine, const Plan& plan, std::int64_t describe_at)
      : graph_(graph), machine_(machine), plan_(plan), describe_at_(describe_at), holders_(graph) {
    profile_.device_at_op.resize(static_cast<std::size_t>(graph.op_count()));
    for (const ValueId v : ids<ValueId>(graph.value_count()))
      if (holders_.resident(v)) allocate(Tier::device, bytes_of(v));
  }

  void walk();
  [[nodiscard]] std::int64_t peak_number() const { return peak_number_; }
  [[nodiscard]] const MemoryProfile& profile() const { return profile_; }

 private:
  [[nodiscard]] Bytes bytes_of(ValueId v) const { return graph_.value(v).bytes; }
  void allocate(Tier tier, Bytes bytes) {
    Bytes& now = now_[at(tier)];
    now += bytes;
    profile_.peak[at(tier)] = std::max(profile_.peak[at(tier)], now);
  }
  void free(Tier tier, Bytes bytes) {
    now_[at(tier)] -= bytes;
    ensure(now_[at(tier)] >= Bytes{0});
  }
  void act(Boundary t, const Action& action);
  void recompute(Boundary t, OpId op);
  void run(Boundary t, OpId op);
  void see(Moment moment);
  void describe(Moment moment);

  const Graph& graph_;
  const machine::Machine& machine_;
  const Plan& plan_;
  const std::int64_t describe_at_;
  Holders holders_;
  std::array<Bytes, machine::kTierCount> now_{};
  std::int64_t moments_ = 0;  // seen so far
  std::int64_t peak_number_ = -1;
  Bytes highest_{-1};
  MemoryProfile profile_;
};

void Walk::walk() {
  if (graph_.op_count() == 0) see({.boundary = Boundary{0}, .running = {}});
  for (const Boundary t : ids<Boundary>(graph_.op_count() + 1)) {
    const OpId next{t.index()};
    const bool at_end = t.index() == graph_.op_count();
    if (!at_end) holders_.reach(next);
    for (const Action& action : plan_.actions[t]) act(t, action);
    if (!at_end) run(t, next);
  }
}

void Walk::act(Boundary t, const Action& action) {
  switch (action.kind) {
    case ActionKind::recompute:
      return recompute(t, action.op);
    case ActionKind::drop:
    case ActionKind::release:
      if (action.tier != Tier::device || holders_.drop(action.value))
        free(action.tier, bytes_of(action.value));
      break;
    case ActionKind::copy_out:
    case ActionKind::copy_in: {
      const Tier to = machine_.links[action.link].to;
      allocate(to, bytes_of(action.value));
      if (to == Tier::device) holders_.bring(action.value);
      break;
    }
  }
  see({.boundary = t, .running = {}});
}

void Walk::recompute(Boundary t, OpId op) {
  Bytes fresh = graph_.op(op).workspace;
  for (const graph::Output& output : graph_.writes(op)) fresh += bytes_of(output.value);
  allocate(Tier::device, fresh);
  see({.boundary = t, .running = op, .recompute = true});
  for (const ValueId v : holders_.recompute(op)) fresh -= bytes_of(v);
  free(Tier::device, fresh);
}

void Walk::run(Boundary t, OpId op) {
  const Bytes workspace = graph_.op(op).workspace;
  allocate(Tier::device, workspace);
  for (const ValueId v : holders_.start(op)) allocate(Tier::device, bytes_of(v));
  profile_.device_at_op[op.at()] = now_[at(Tier::device)];
  see({.boundary = t, .running = op});
  free(Tier::device, workspace);
  for (const ValueId v : holders_.finish(op)) free(Tier::device, bytes_of(v));
}

void Walk::see(Moment moment) {
  if (now_[at(Tier::device)] > highest_) {
    highest_ = now_[at(Tier::device)];
    profile_.peak_moment = moment;
    peak_number_ = moments_;
  }
  if (moments_ == describe_at_) describe(moment);
  ++moments_;
}

void Walk::describe(Moment moment) {
  Residents& residents = profile_.residents;
  base::IdVector<ValueId, std::uint8_t> fresh(graph_.value_count());  // by the recompute that runs
  if (moment.running.exists()) residents.workspace += graph_.op(moment.running).workspace;
  if (moment.recompute)
    for (const graph::Output& output : graph_.writes(moment.running)) fresh[output.value] = 1;
  for (const ValueId v : ids<ValueId>(graph_.value_count())) {
    const std::int64_t buffers = (holders_.resident(v) ? 1 : 0) + fresh[v];
    if (buffers == 0 || bytes_of(v) == Bytes{0}) continue;
    share_of(residents, graph_.value(v).kind) += buffers * bytes_of(v);
    profile_.resident_values.push_back(v);
  }
}

std::string describe_moment(const Graph& graph, Moment moment) {
  const std::string boundary = "boundary " + std::to_string(moment.boundary.index());
  if (!moment.running.exists()) return "right after a copy was begun at " + boundary;
  const std::string op = "op '" + graph.op(moment.running).name + "'";
  return moment.recompute ? "while " + op + " is recomputed at " + boundary : "while " + op + " runs";
}

}  // namespace

MemoryProfile measure_memory(const Graph& graph, const machine::Machine& machine, const Plan& plan) {
  ensure(plan.actions.rows() == graph.op_count() + 1);
  Walk first(graph, machine, plan, -1);
  first.walk();
  Walk second(graph, machine, plan, first.peak_number());
  second.walk();
  debug_ensure(second.profile().residents.total() == second.profile().peak[at(Tier::device)]);
  return second.profile();
}

base::Status fits(const Graph& graph, const MemoryProfile& memory, const Budgets& budgets) {
  for (const Tier tier : {Tier::device, Tier::host, Tier::disk}) {
    const base::Limit<Bytes>& budget = budgets.of(tier);
    const Bytes peak = memory.peak[at(tier)];
    if (within(peak, budget)) continue;
    return base::fail(
        base::ErrorCode::infeasible,
        "the plan needs " + std::to_string(peak.count()) + " bytes on the " + machine::name_of(tier) +
            ", its budget is " + std::to_string(budget->count()),
        tier == Tier::device ? describe_moment(graph, memory.peak_moment) : std::string(),
        "make a plan for this budget, or raise it by " + std::to_string((peak - *budget).count()) + " bytes");
  }
  return {};
}

}  // namespace worktop::plan
