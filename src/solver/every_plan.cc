#include "solver/every_plan.h"

#include <bit>
#include <utility>

#include "base/ensure.h"
#include "plan/legal.h"
#include "simulator/simulate.h"
#include "solver/hopeful_clock.h"

namespace worktop::solver {
namespace {

using base::Nanoseconds;
using machine::LinkId;
using plan::Action;
using plan::ActionKind;

// A plan as far as it has been made.
struct Branch {
  StepState state;
  ValueSet fresh = 0;    // the executor's hold was needed since it last could let go: to be decided now
  ValueSet copied = 0;   // has been copied out before
  ValueSet brought = 0;  // by a copy or recompute, and not used since
  HopefulClock clock;
  base::IdVector<OpId, std::int32_t> recomputes;
  base::IdVector<LinkId, ValueSet> sent;  // along this link, once
  std::vector<std::vector<Action>> actions;
};

constexpr bool is_copy(const Action& action) {
  return action.kind == ActionKind::copy_out || action.kind == ActionKind::copy_in;
}
constexpr bool is_letting_go(const Action& action) {
  return action.kind == ActionKind::drop || action.kind == ActionKind::release;
}

class Tree {
 public:
  Tree(const Graph& graph, const Machine& machine, const cost::Durations& durations,
       const plan::Budgets& budgets, base::Limit<Nanoseconds> faster_than, const EveryPlanLimits& limits)
      : graph_(graph),
        machine_(machine),
        durations_(durations),
        budgets_(budgets),
        faster_than_(faster_than),
        limits_(limits),
        step_(graph, machine) {}

  EveryPlan run();

 private:
  void arrive(Branch branch);
  void decide(Branch branch);
  void act(const Branch& branch);
  void go_on(Branch branch);
  void try_recompute(Branch branch, OpId op);
  void try_copy(Branch branch, const Action& action);
  void try_let_go(Branch branch, const Action& action);
  void finish(const Branch& branch);

  bool take(Branch& branch, const Action& action);
  bool move(Branch& branch, const std::optional<Moved>& moved);
  [[nodiscard]] bool in_order(const Branch& branch, const Action& action) const;
  [[nodiscard]] bool too_slow(const Branch& branch) const {
    return faster_than_ && branch.clock.least_step() >= *faster_than_;
  }
  // What the executor alone keeps there until op `next` comes.
  [[nodiscard]] ValueSet alone(const StepState& s, ValueSet set) const {
    return set & s.held[0] & ~step_.program(s.next);
  }

  const Graph& graph_;
  const Machine& machine_;
  const cost::Durations& durations_;
  const plan::Budgets& budgets_;
  base::Limit<Nanoseconds> faster_than_;
  const EveryPlanLimits limits_;
  const TinyStep step_;
  std::int64_t nodes_ = 0;
  EveryPlan answer_;
};

EveryPlan Tree::run() {
  const StepState start = step_.start();
  Branch root{.state = start,
              .clock = HopefulClock(graph_, machine_, durations_),
              .recomputes = base::IdVector<OpId, std::int32_t>(graph_.op_count(), 0),
              .sent = base::IdVector<LinkId, ValueSet>(machine_.links.size(), 0),
              .actions = std::vector<std::vector<Action>>(static_cast<std::size_t>(graph_.op_count()) + 1)};
  if (move(root, Moved{start, step_.bytes(step_.resident(start))})) arrive(std::move(root));
  return std::move(answer_);
}

// Takes one more action, with the same conditions as `move`.
bool Tree::take(Branch& branch, const Action& action) {
  branch.actions[static_cast<std::size_t>(branch.state.next)].push_back(action);
  branch.clock.act(action);
  return move(branch, step_.act(branch.state, action));
}

// Takes the branch to the new state, unless that is not possible, does not fit or is too slow.
bool Tree::move(Branch& branch, const std::optional<Moved>& moved) {
  if (!answer_.complete || !moved || !within(moved->device_bytes, budgets_.device) ||
      !within(step_.bytes(moved->state.held[1]), budgets_.host) ||
      !within(step_.bytes(moved->state.held[2]), budgets_.disk) || too_slow(branch))
    return false;
  if (++nodes_ > limits_.nodes) return answer_.complete = false;
  branch.state = moved->state;
  return true;
}

// At a boundary, before its first action.
void Tree::arrive(Branch branch) {
  const StepState& s = branch.state;
  if (step_.at_end(s)) return finish(branch);
  branch.fresh |= alone(s, step_.reads(OpId{s.next}));
  branch.brought &= ~s.running;
  if (graph_.is_trigger(s.next)) return decide(std::move(branch));
  go_on(std::move(branch));
}

// Of each fresh value that has never been copied: keep it, or let it go.
void Tree::decide(Branch branch) {
  const StepState& s = branch.state;
  const ValueSet open = s.held[0] & step_.with_bytes() & ~branch.copied;
  const ValueSet useless = open & ~step_.useful(s.next);
  const ValueSet undecided = useless != 0 ? useless : open & branch.fresh;
  if (undecided == 0) return act(branch);
  const ValueId v{std::countr_zero(undecided)};
  branch.fresh &= ~set_of(v);
  if (useless == 0) decide(branch);
  if (useless == 0 && contains(branch.brought & ~s.running, v)) return;
  if (take(branch, Action::drop(v))) decide(std::move(branch));
}

void Tree::act(const Branch& branch) {
  const StepState& s = branch.state;
  go_on(branch);
  for (const Action& action : step_.recomputes(s)) try_recompute(branch, action.op);
  for (const Action& action : step_.copies(s)) try_copy(branch, action);
  for (const Action& action : step_.let_gos(s, Tier::device))
    if (contains(branch.copied, action.value)) try_let_go(branch, action);
  if (budgets_.host)
    for (const Action& action : step_.let_gos(s, Tier::host)) try_let_go(branch, action);
  if (budgets_.disk)
    for (const Action& action : step_.let_gos(s, Tier::disk)) try_let_go(branch, action);
}

void Tree::go_on(Branch branch) {
  const OpId op{branch.state.next};
  branch.clock.run(op);
  if (!move(branch, step_.run(branch.state))) return;
  branch.brought &= ~step_.reads(op);
  branch.fresh |= step_.makes(op);
  arrive(std::move(branch));
}

void Tree::try_recompute(Branch branch, OpId op) {
  if (++branch.recomputes[op] > limits_.recomputes) return;
  const StepState& s = branch.state;
  const ValueSet made = step_.makes(op) & ~step_.resident(s);
  branch.fresh |= made | (alone(s, step_.reads(op)) & ~s.running);
  branch.brought &= ~step_.reads(op);
  // Of several outputs some may be by-products that nobody wants.
  if (std::has_single_bit(made)) branch.brought |= made;
  if (take(branch, Action::recompute(op))) decide(std::move(branch));
}

void Tree::try_copy(Branch branch, const Action& action) {
  if (!in_order(branch, action)) return;
  if (contains(branch.sent[action.link], action.value)) return;
  branch.sent[action.link] |= set_of(action.value);
  branch.copied |= set_of(action.value);
  if (machine_.links[action.link].to == Tier::device)
    branch.brought |= set_of(action.value);
  else
    branch.brought &= ~set_of(action.value);
  if (take(branch, action)) act(branch);
}

void Tree::try_let_go(Branch branch, const Action& action) {
  if (!in_order(branch, action)) return;
  if (action.tier == Tier::device && contains(branch.brought & ~branch.state.running, action.value)) return;
  if (take(branch, action)) act(branch);
}

// Whether `action` may follow the last one here: neighbours that commute come in ascending order.
bool Tree::in_order(const Branch& branch, const Action& action) const {
  const std::vector<Action>& row = branch.actions[static_cast<std::size_t>(branch.state.next)];
  if (row.empty() || row.back().value == action.value) return true;
  const Action& last = row.back();
  if (is_letting_go(last) && is_letting_go(action) && contains(branch.copied, last.value))
    return std::pair(last.tier, last.value) < std::pair(action.tier, action.value);
  if (is_copy(last) && is_copy(action)) return last.link <= action.link;
  return true;
}

void Tree::finish(const Branch& branch) {
  if (too_slow(branch)) return;
  plan::Plan made = plan_of(graph_, machine_, branch.actions, "exhaustive");
  ++answer_.plans_seen;
  if (!plan::legal(graph_, machine_, made)) return;
  const Nanoseconds step_ns = simulator::simulate(graph_, machine_, durations_, made).step_ns;
  ensure(step_ns >= branch.clock.least_step());
  if (faster_than_ && step_ns >= *faster_than_) return;
  faster_than_ = answer_.step_ns = step_ns;
  answer_.best = std::move(made);
}

}  // namespace

EveryPlan every_plan(const Graph& graph, const Machine& machine, const cost::Durations& durations,
                     const plan::Budgets& budgets, base::Limit<Nanoseconds> faster_than,
                     const EveryPlanLimits& limits) {
  return Tree(graph, machine, durations, budgets, faster_than, limits).run();
}

}  // namespace worktop::solver
