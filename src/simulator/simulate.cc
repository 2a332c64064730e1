#include "simulator/simulate.h"

#include <utility>

#include "base/ensure.h"
#include "simulator/books.h"
#include "simulator/queues.h"

namespace worktop::simulator {
namespace {

using machine::Tier;
using plan::Action;
using plan::ActionKind;

// Plays a plan once, boundary by boundary: queues keep the time, books the bytes.
class Player {
 public:
  Player(const graph::Graph& graph, const machine::Machine& machine, const cost::Durations& durations,
         const plan::Plan& plan)
      : graph_(graph),
        machine_(machine),
        durations_(durations),
        plan_(plan),
        queues_(machine),
        books_(graph) {
    ensure(plan.actions.rows() == graph.op_count() + 1);
    ensure(durations.op.size() == graph.op_count());
  }

  [[nodiscard]] Timeline play() &&;

 private:
  // What has passed so far; the sums of a whole step are made of two such moments.
  struct Passed {
    Nanoseconds time, recompute, link_busy, stalled;
  };

  void act(const Action& action);
  void run_first(OpId op);
  void run_again(OpId op);
  void copy(ValueId value, LinkId link);
  void let_go(const Action& action);
  void wait_to_read(OpId op);
  template <class Touches>
  void wait_for_copies(ValueId value, OpId before, Touches touches);
  void wait_until_unused(ValueId value, Tier tier);
  void wait_for(std::int32_t copy, OpId before);
  [[nodiscard]] Run run_job(OpId op);
  [[nodiscard]] Passed passed() const {
    return {queues_.now(), recompute_ns_, queues_.link_busy(), stalled_ns_};
  }
  void add_up(const Passed& micro_step, const Passed& all);

  // Copies of a value, latest first: `latest_copy` then along `earlier_copy_`.
  [[nodiscard]] std::int32_t latest_copy(ValueId value) const {
    return latest_copy_.empty() ? -1 : latest_copy_[value];
  }
  [[nodiscard]] std::int32_t earlier_copy(std::int32_t copy) const {
    return earlier_copy_[static_cast<std::size_t>(copy)];
  }
  [[nodiscard]] const machine::Link& link_of(std::int32_t copy) const {
    return machine_.links[queues_.copy(copy).link];
  }

  const graph::Graph& graph_;
  const machine::Machine& machine_;
  const cost::Durations& durations_;
  const plan::Plan& plan_;
  Queues queues_;
  Books books_;
  base::IdVector<ValueId, std::int32_t> latest_copy_;  // empty until a first copy is issued
  std::vector<std::int32_t> earlier_copy_;             // by copy
  Nanoseconds recompute_ns_{0};
  Nanoseconds stalled_ns_{0};
  Timeline timeline_;
};

Timeline Player::play() && {
  timeline_.runs.reserve(static_cast<std::size_t>(graph_.op_count() + plan_.actions.items()));
  Passed micro_step{};
  bool in_optimizer = false;
  for (OpId op : base::ids<OpId>(graph_.op_count())) {
    const auto actions = plan_.actions[plan::Boundary{op.index()}];
    if (!actions.empty()) books_.expect(op);
    for (const Action& action : actions) act(action);
    wait_to_read(op);
    if (!in_optimizer && graph_.op(op).phase == graph::Phase::optimizer) {
      in_optimizer = true;
      micro_step = passed();
    }
    run_first(op);
  }
  for (const Action& action : plan_.actions[plan::Boundary{graph_.op_count()}]) act(action);
  if (!in_optimizer) micro_step = passed();
  queues_.drain();
  add_up(micro_step, passed());
  timeline_.peak = books_.peak();
  timeline_.copies = std::move(queues_).take_copies();
  return std::move(timeline_);
}

void Player::act(const Action& action) {
  switch (action.kind) {
    case ActionKind::recompute:
      return run_again(action.op);
    case ActionKind::drop:
    case ActionKind::release:
      return let_go(action);
    case ActionKind::copy_out:
    case ActionKind::copy_in:
      return copy(action.value, action.link);
  }
}

void Player::run_first(OpId op) {
  Run run = run_job(op);
  run.device_bytes = books_.run(op);
  timeline_.runs.push_back(run);
}

void Player::run_again(OpId op) {
  wait_to_read(op);
  Run run = run_job(op);
  run.recompute = true;
  run.device_bytes = books_.recompute(op);
  recompute_ns_ = saturating_add(recompute_ns_, run.end - run.start);
  timeline_.runs.push_back(run);
}

Run Player::run_job(OpId op) {
  const Nanoseconds start = queues_.now();
  queues_.run(durations_[op]);
  return {.op = op, .start = start, .end = queues_.now()};
}

void Player::copy(ValueId value, LinkId link) {
  if (latest_copy_.empty()) latest_copy_ = base::IdVector<ValueId, std::int32_t>(graph_.value_count(), -1);
  const machine::Link& along = machine_.links[link];
  std::int32_t source = latest_copy_[value];  // the copy that brings the bytes it reads
  while (source >= 0 && (queues_.ended(source) || link_of(source).to != along.from))
    source = earlier_copy(source);
  books_.copy_to(value, along.to);
  const std::int32_t index =
      queues_.issue(value, link, cost::copy_time(along, graph_.value(value).bytes), source);
  earlier_copy_.push_back(latest_copy_[value]);
  latest_copy_[value] = index;
}

void Player::let_go(const Action& action) {
  if (action.kind == ActionKind::release)
    wait_for_copies(action.value, OpId::none(),
                    [&](const machine::Link& link) { return link.from == action.tier && link.outward(); });
  if (books_.let_go(action.value, action.tier)) wait_until_unused(action.value, action.tier);
}

void Player::wait_to_read(OpId op) {
  if (latest_copy_.empty()) return;
  for (ValueId value : graph_.reads(op))
    wait_for_copies(value, op, [](const machine::Link& link) { return link.to == Tier::device; });
}

// Freed bytes may be given to another value at once, so no copy may be reading or writing them.
void Player::wait_until_unused(ValueId value, Tier tier) {
  wait_for_copies(value, OpId::none(),
                  [tier](const machine::Link& link) { return link.from == tier || link.to == tier; });
}

template <class Touches>
void Player::wait_for_copies(ValueId value, OpId before, Touches touches) {
  for (std::int32_t copy = latest_copy(value); copy >= 0; copy = earlier_copy(copy))
    if (!queues_.ended(copy) && touches(link_of(copy))) wait_for(copy, before);
}

void Player::wait_for(std::int32_t copy, OpId before) {
  const Nanoseconds start = queues_.now();
  queues_.wait_for(copy);
  const Nanoseconds end = queues_.now();
  timeline_.stalls.push_back({.start = start, .end = end, .copy = copy, .before = before});
  stalled_ns_ = saturating_add(stalled_ns_, end - start);
}

// `micro_step` has passed once for every micro-step, the rest of `all` once.
void Player::add_up(const Passed& micro_step, const Passed& all) {
  const std::int64_t more = graph_.micro_steps() - 1;
  const auto whole = [more](Nanoseconds of_micro_step, Nanoseconds of_all) {
    return saturating_add(saturating_mul(of_micro_step, more), of_all);
  };
  timeline_.micro_step_ns = micro_step.time;
  timeline_.step_ns = whole(micro_step.time, all.time);
  timeline_.recompute_ns = whole(micro_step.recompute, all.recompute);
  timeline_.link_busy_ns = whole(micro_step.link_busy, all.link_busy);
  timeline_.stalled_ns = whole(micro_step.stalled, all.stalled);
}

}  // namespace

Timeline simulate(const graph::Graph& graph, const machine::Machine& machine,
                  const cost::Durations& durations, const plan::Plan& plan) {
  return Player(graph, machine, durations, plan).play();
}

}  // namespace worktop::simulator
