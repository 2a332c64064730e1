#include "agreement/dull_clock.h"

#include <algorithm>
#include <vector>

namespace worktop::test {
namespace {

using base::ids;
using base::Nanoseconds;
using graph::OpId;
using graph::ValueId;
using machine::LinkId;
using machine::Tier;
using plan::Action;
using plan::ActionKind;
using plan::Boundary;

constexpr std::int64_t kMillion = 1'000'000;

// Millionths of a nanosecond's work that a job does in one nanosecond.
std::int64_t speed(double share) {
  return std::clamp(static_cast<std::int64_t>(share * 1e6 + 0.5), std::int64_t{1000}, kMillion);
}

class Ticks {
 public:
  Ticks(const Case& c, const plan::Plan& plan) : c_(c), plan_(plan) {}

  simulator::Timeline play() {
    std::int64_t micro_step = -1;
    for (OpId op : ids<OpId>(c_.graph.op_count())) {
      for (const Action& action : plan_.actions[Boundary{op.index()}]) act(action, op);
      wait_for_inputs(op);
      if (c_.graph.op(op).phase == graph::Phase::optimizer && micro_step < 0) micro_step = now_;
      run(op, false);
    }
    for (const Action& action : plan_.actions[Boundary{c_.graph.op_count()}]) act(action, OpId::none());
    if (micro_step < 0) micro_step = now_;
    wait([](const Copy&) { return true; });

    for (const Copy& copy : copies_)
      timeline_.copies.push_back(
          {copy.value, copy.link, Nanoseconds{copy.issued}, Nanoseconds{copy.start}, Nanoseconds{copy.end}});
    timeline_.micro_step_ns = Nanoseconds{micro_step};
    timeline_.step_ns = Nanoseconds{now_ + micro_step * (c_.graph.micro_steps() - 1)};
    return timeline_;
  }

 private:
  struct Copy {
    ValueId value;
    LinkId link;
    Tier from, to;
    std::int64_t left;  // millionths of a nanosecond
    std::int64_t issued, start = -1, end = -1;
    [[nodiscard]] bool running() const { return start >= 0 && end < 0; }
  };

  void act(const Action& action, OpId next) {
    const ValueId v = action.value;
    switch (action.kind) {
      case ActionKind::recompute:
        wait_for_inputs(action.op);
        return run(action.op, true);
      case ActionKind::copy_out:
      case ActionKind::copy_in: {
        const machine::Link& link = c_.machine.links[action.link];
        const std::int64_t ns = cost::copy_time(link, c_.graph.value(v).bytes).count();
        copies_.push_back({v, action.link, link.from, link.to, ns * kMillion, now_});
        return;
      }
      case ActionKind::release:
        wait([&](const Copy& c) { return c.value == v && c.from == action.tier && c.to > c.from; });
        [[fallthrough]];
      case ActionKind::drop: {
        // What the next op reads does not go yet.
        if (action.tier == Tier::device && next.exists() && std::ranges::count(c_.graph.reads(next), v) > 0)
          return;
        return wait(
            [&](const Copy& c) { return c.value == v && (c.to == action.tier || c.from == action.tier); });
      }
    }
  }

  void wait_for_inputs(OpId op) {
    wait([&](const Copy& c) {
      return c.to == Tier::device && std::ranges::count(c_.graph.reads(op), c.value) > 0;
    });
  }

  void run(OpId op, bool recompute) {
    const std::int64_t start = now_;
    std::int64_t left = c_.durations[op].count() * kMillion;
    while (left > 0) tick(&left);
    timeline_.runs.push_back({op, recompute, Nanoseconds{start}, Nanoseconds{now_}, {}});
  }

  template <class Which>
  void wait(Which which) {
    while (std::ranges::any_of(copies_, [&](const Copy& c) { return c.end < 0 && which(c); })) tick(nullptr);
  }

  [[nodiscard]] bool may_start(const Copy& copy) const {
    for (const Copy& earlier : copies_) {
      if (&earlier == &copy) return copy.start < 0;
      const bool source = earlier.value == copy.value && earlier.to == copy.from;
      if (earlier.end < 0 && (earlier.link == copy.link || source)) return false;
    }
    return false;
  }

  void tick(std::int64_t* compute) {
    for (Copy& copy : copies_)
      if (may_start(copy)) copy.start = now_;
    std::vector<std::int64_t> speeds;
    bool any = false;
    for (const Copy& copy : copies_) {
      const machine::Link& link = c_.machine.links[copy.link];
      const bool both = std::ranges::any_of(copies_, [&](const Copy& other) {
        return other.running() && other.from == copy.to && other.to == copy.from;
      });
      speeds.push_back(both ? speed(link.both_ways.per_second / link.bandwidth.per_second) : kMillion);
      any = any || copy.running();
    }
    ++now_;
    if (compute != nullptr) *compute -= any ? speed(1.0 - c_.machine.compute_slowdown) : kMillion;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      Copy& copy = copies_[i];
      if (!copy.running()) continue;
      copy.left -= speeds[i];
      if (copy.left <= 0) copy.end = now_;
    }
  }

  const Case& c_;
  const plan::Plan& plan_;
  std::int64_t now_ = 0;
  std::vector<Copy> copies_;
  simulator::Timeline timeline_;
};

}  // namespace

simulator::Timeline play_by_ticks(const Case& c, const plan::Plan& plan) {
  return Ticks(c, plan).play();
}

}  // namespace worktop::test
