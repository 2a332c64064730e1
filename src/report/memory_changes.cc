#include "report/memory_changes.h"

#include <algorithm>

#include "plan/holders.h"

namespace worktop::report {
namespace {

using base::ids;
using graph::Graph;
using graph::OpId;
using plan::Action;
using plan::ActionKind;
using plan::Boundary;

class Play {
 public:
  Play(const Graph& graph, const machine::Machine& machine, const plan::Plan& plan,
       const simulator::Timeline& timeline)
      : graph_(graph), machine_(machine), plan_(plan), timeline_(timeline), holders_(graph) {}

  std::vector<MemoryChange> play() {
    for (const ValueId v : ids<ValueId>(graph_.value_count()))
      if (holders_.resident(v)) add(Tier::device, v);
    for (const Boundary t : ids<Boundary>(graph_.op_count() + 1)) {
      const OpId next{t.index()};
      const bool at_end = t.index() == graph_.op_count();
      if (!at_end) holders_.reach(next);
      for (const Action& action : plan_.actions[t]) act(action);
      if (!at_end) run(next);
    }
    return std::move(changes_);
  }

 private:
  [[nodiscard]] Bytes bytes_of(ValueId v) const { return graph_.value(v).bytes; }
  void change(Tier tier, ValueId v, Bytes bytes) {
    if (bytes != Bytes{0}) changes_.push_back({now_, tier, v, bytes});
  }
  void add(Tier tier, ValueId v) { change(tier, v, bytes_of(v)); }
  void remove(Tier tier, ValueId v) { change(tier, v, -bytes_of(v)); }
  void reach(Nanoseconds at) { now_ = std::max(now_, at); }
  const simulator::Run& next_run() { return timeline_.runs[run_++]; }

  void act(const Action& action) {
    switch (action.kind) {
      case ActionKind::recompute:
        return recompute(action.op);
      case ActionKind::drop:
      case ActionKind::release:
        wait_for_release();
        if (action.tier != Tier::device || holders_.drop(action.value)) remove(action.tier, action.value);
        break;
      case ActionKind::copy_out:
      case ActionKind::copy_in: {
        reach(timeline_.copies[copy_++].issued);
        const Tier to = machine_.links[action.link].to;
        add(to, action.value);
        if (to == Tier::device) holders_.bring(action.value);
        break;
      }
    }
  }

  // A release or drop that made the compute queue wait happened when that wait was over.
  void wait_for_release() {
    while (stall_ < timeline_.stalls.size() && timeline_.stalls[stall_].start <= now_) {
      if (!timeline_.stalls[stall_].before.exists()) reach(timeline_.stalls[stall_].end);
      ++stall_;
    }
  }

  void recompute(OpId op) {
    const simulator::Run& run = next_run();
    reach(run.start);
    change(Tier::device, ValueId::none(), graph_.op(op).workspace);
    for (const graph::Output& out : graph_.writes(op)) add(Tier::device, out.value);
    reach(run.end);
    change(Tier::device, ValueId::none(), -graph_.op(op).workspace);
    const auto stay = holders_.recompute(op);
    for (const graph::Output& out : graph_.writes(op))
      if (std::ranges::find(stay, out.value) == stay.end()) remove(Tier::device, out.value);
  }

  void run(OpId op) {
    const simulator::Run& run = next_run();
    reach(run.start);
    change(Tier::device, ValueId::none(), graph_.op(op).workspace);
    for (const ValueId v : holders_.start(op)) add(Tier::device, v);
    reach(run.end);
    change(Tier::device, ValueId::none(), -graph_.op(op).workspace);
    for (const graph::Output& out : graph_.writes(op)) {
      if (!out.overwrites.exists()) continue;
      remove(Tier::device, out.overwrites);
      add(Tier::device, out.value);
    }
    for (const ValueId v : holders_.finish(op)) remove(Tier::device, v);
  }

  const Graph& graph_;
  const machine::Machine& machine_;
  const plan::Plan& plan_;
  const simulator::Timeline& timeline_;
  plan::Holders holders_;
  std::size_t run_ = 0, copy_ = 0, stall_ = 0;
  Nanoseconds now_{0};
  std::vector<MemoryChange> changes_;
};

}  // namespace

std::vector<MemoryChange> memory_changes(const graph::Graph& graph, const machine::Machine& machine,
                                         const plan::Plan& plan, const simulator::Timeline& timeline) {
  return Play(graph, machine, plan, timeline).play();
}

}  // namespace worktop::report
