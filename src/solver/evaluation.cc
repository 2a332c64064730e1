#include "solver/evaluation.h"

#include <algorithm>

#include "base/ensure.h"

namespace worktop::solver {
namespace {
constexpr std::uint8_t kMade = 1, kGone = 2, kArriving = 4;

// About the most that a stage can hold: everything at once.
std::int64_t all_bytes(const Graph& graph) {
  std::int64_t sum = 1;
  for (ValueId v : base::ids<ValueId>(graph.value_count())) sum += graph.value(v).bytes.count();
  return sum;
}
}  // namespace

Evaluation::Evaluation(const Graph& graph, const cost::Durations& durations, plan::Holding holding,
                       const std::vector<plan::Trip>& trips, Bytes budget)
    : graph_(graph),
      durations_(durations),
      holding_(std::move(holding)),
      bytes_(graph.value_count(), 0),
      movable_(graph.value_count(), 0),
      stages_(at(graph.op_count() + 1)),
      memory_(stage_count(), all_bytes(graph), budget.count()),
      touches_(graph.value_count(), graph.op_count() + 1),
      starting_(stages_.size()),
      ending_(stages_.size()),
      arriving_(stages_.size()),
      wanted_(stages_.size()),
      is_dirty_(stages_.size(), 0),
      is_saved_(stages_.size(), 0),
      replay_(graph),
      last_use_(graph.value_count(), -1),
      first_use_(graph.value_count(), -1),
      state_(graph.value_count(), 0) {
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    const graph::Value& value = graph.value(v);
    bytes_[v] = value.bytes.count();
    movable_[v] = value.holdable && value.producer.exists() && bytes_[v] > 0;
    if (plan::needed_at_end(graph, v)) wanted_.back().push_back(v);
    if (movable_[v]) make_canonical(v);
    const plan::ProgramWindow& window = holding_.window(v);
    memory_.add(window.first, window.last, bytes_[v]);
  }
  for (const plan::Trip& trip : trips) {
    arriving_[at(trip.in_at)].push_back(trip.value);
    movable_[trip.value] = 0;
  }
  for (ValueId v : base::ids<ValueId>(graph.value_count()))
    holding_.for_each_run(v, [&](std::int32_t first, std::int32_t last) {
      add_bytes(v, first, last, bytes_[v]);
      if (first > 0) starting_[at(first - 1)].push_back(v);
      ending_[at(last)].push_back(v);
    });
  for (std::int32_t t = stage_count() - 1; t >= 0; --t) {
    evaluate(t, stages_[at(t)]);
    replay_ns_ += stages_[at(t)].cost;
    impossible_ += !stages_[at(t)].possible;
    set_touches(t, stages_[at(t)].touched, true);
    memory_.add(t, stages_[at(t)].extra);
  }
  for (std::int32_t t = stage_count() - 1; t >= 0; --t) trim(t);
  settle();
  commit();
}

// The two rules of the header for the bits around a value's birth.
void Evaluation::make_canonical(ValueId v) {
  const plan::ProgramWindow& window = holding_.window(v);
  const std::int32_t born = graph_.value(v).producer.index() + 1;
  if (window.first <= window.last && window.last + 1 < stage_count()) {
    if (holding_.held(v, window.last + 1))
      holding_.hold(v, window.first, window.last);
    else
      holding_.release(v, window.first, window.last);
  }
  if (window.last < window.first && plan::read_at_once(graph_, v)) holding_.hold(v, born, born);
}

Bytes Evaluation::peak() const {
  return Bytes{stage_bytes(peak_stage())};
}

std::int32_t Evaluation::peak_stage() const {
  std::int32_t best = 0;
  for (std::int32_t t = 1; t < stage_count(); ++t)
    if (stage_bytes(t) > stage_bytes(best)) best = t;
  return best;
}

// ---------------------------------------------------------------------------------------------- changes

void Evaluation::change(ValueId v, std::int32_t first, std::int32_t last, bool bit) {
  const OpId overwriter = graph_.overwritten_by(v);
  if (const std::int32_t gone = overwriter.index() + 1;
      bit && overwriter.exists() && first <= gone && gone <= last) {
    change(v, first, gone - 1, bit);
    return change(v, gone + 1, last, bit);
  }
  const plan::ProgramWindow& window = holding_.window(v);
  if (window.first <= window.last) {
    if (last <= window.last) return;
    if (first <= window.last + 1) first = window.first;
  } else if (!bit && plan::read_at_once(graph_, v)) {
    first = std::max(first, graph_.value(v).producer.index() + 2);
  }
  if (last < first) return;
  for (std::int32_t from = holding_.first_with(v, first, !bit); from <= last;) {
    const std::int32_t to = std::min(last, holding_.first_with(v, from, bit) - 1);
    flips_.push_back({v, from, to, bit});
    flip(v, from, to, bit);
    mark_dirty(from - 1);
    mark_dirty(to);
    for (std::int32_t t = touches_.first_with(v, from, true); t < to; t = touches_.first_with(v, t + 1, true))
      mark_dirty(t);
    from = holding_.first_with(v, to + 1, !bit);
  }
}

void Evaluation::flip(ValueId v, std::int32_t first, std::int32_t last, bool bit) {
  if (bit)
    holding_.hold(v, first, last);
  else
    holding_.release(v, first, last);
  add_bytes(v, first, last, bit ? bytes(v) : -bytes(v));
  work_ += 2 + (last - first) / 16;
  refresh_edges(v, first - 1);
  refresh_edges(v, last);
}

// What the program holds is there anyway.
void Evaluation::add_bytes(ValueId v, std::int32_t first, std::int32_t last, std::int64_t added) {
  const plan::ProgramWindow& window = holding_.window(v);
  memory_.add(first, std::min(last, window.first - 1), added);
  memory_.add(std::max(first, window.last + 1), last, added);
}

// Puts v into or out of the lists of runs that start or end in `stage`.
void Evaluation::refresh_edges(ValueId v, std::int32_t stage) {
  if (stage < 0) return;
  const bool before = holding_.held(v, stage);
  const bool after = stage + 1 < stage_count() && holding_.held(v, stage + 1);
  const auto set = [v](std::vector<ValueId>& list, bool in) {
    const auto it = std::find(list.begin(), list.end(), v);
    if (in && it == list.end()) list.push_back(v);
    if (!in && it != list.end()) *it = list.back(), list.pop_back();
  };
  set(starting_[at(stage)], !before && after);
  set(ending_[at(stage)], before && !after);
}

void Evaluation::mark_dirty(std::int32_t stage) {
  if (stage < 0 || is_dirty_[at(stage)]) return;
  is_dirty_[at(stage)] = 1;
  dirty_.push_back(stage);
  std::push_heap(dirty_.begin(), dirty_.end());
}

void Evaluation::settle() {
  while (!dirty_.empty()) {
    std::pop_heap(dirty_.begin(), dirty_.end());
    const std::int32_t t = dirty_.back();
    dirty_.pop_back();
    is_dirty_[at(t)] = 0;
    evaluate(t, fresh_);
    replace(t, fresh_);
  }
}

// Swaps the record of stage t with `stage`.
void Evaluation::install(std::int32_t t, Stage& stage) {
  Stage& current = stages_[at(t)];
  replay_ns_ += stage.cost - current.cost;
  impossible_ += current.possible - stage.possible;
  memory_.add(t, stage.extra - current.extra);
  set_touches(t, current.touched, false);
  set_touches(t, stage.touched, true);
  std::swap(current, stage);
}

// Installs the new record of stage t and follows what it changes: touches, and runs that lost their last
// touch.
void Evaluation::replace(std::int32_t t, Stage& stage) {
  install(t, stage);
  trim(t);
  if (is_saved_[at(t)]) return;
  is_saved_[at(t)] = 1;
  if (saved_count_ == saved_.size()) saved_.emplace_back();
  saved_[saved_count_].stage = t;
  std::swap(saved_[saved_count_++].before, stage);
}

// Runs that end in stage t untouched are cut back to the touch before.
void Evaluation::trim(std::int32_t t) {
  trimmed_.assign(ending_[at(t)].begin(), ending_[at(t)].end());
  for (ValueId v : trimmed_) {
    if (!movable(v) || touches_.get(v, t)) continue;
    const std::int32_t before = std::max(touch_before(v, t), graph_.value(v).producer.index());
    const std::int32_t run = holding_.last_with(v, t, false) + 1;
    release(v, std::max(before + 1, run), t);
  }
}

void Evaluation::set_touches(std::int32_t t, const std::vector<ValueId>& values, bool bit) {
  for (ValueId v : values) touches_.fill(v, t, t, bit);
}

void Evaluation::undo() {
  for (std::int32_t t : dirty_) is_dirty_[at(t)] = 0;
  dirty_.clear();
  while (!flips_.empty()) {
    const Change f = flips_.back();
    flips_.pop_back();
    flip(f.value, f.first, f.last, !f.bit);
  }
  for (Saved& s : saved()) {
    install(s.stage, s.before);
    is_saved_[at(s.stage)] = 0;
  }
  saved_count_ = 0;
}

void Evaluation::commit() {
  flips_.clear();
  for (const Saved& s : saved()) is_saved_[at(s.stage)] = 0;
  saved_count_ = 0;
}

// ---------------------------------------------------------------------------------------------- one stage

void Evaluation::evaluate(std::int32_t t, Stage& stage) {
  stage.ops.clear(), stage.touched.clear();
  stage.cost = 0;
  for (ValueId v : arriving_[at(t)]) state_[v] |= kArriving, marked_.push_back(v);
  find_replay(t, stage);
  find_last_uses(t, stage);
  stage.extra = walk(t, stage);
  work_ += 4 + 2 * std::ssize(stage.ops) + std::ssize(used_);
  for (ValueId v : marked_) state_[v] = 0;
  for (ValueId v : used_) last_use_[v] = -1;
  marked_.clear(), used_.clear();
}

void Evaluation::find_replay(std::int32_t t, Stage& stage) {
  const auto present = [&](ValueId v) { return holding_.present(v, t) || (state_[v] & kArriving) != 0; };
  replay_.begin();
  if (t < graph_.op_count())
    for (ValueId v : graph_.reads(OpId{t})) replay_.need(v, present);
  for (ValueId v : starting_[at(t)])
    if (graph_.value(v).producer.index() < t) replay_.need(v, present);
  for (ValueId v : wanted_[at(t)]) replay_.need(v, present);
  const auto ops = replay_.ops();
  stage.ops.assign(ops.begin(), ops.end());
  stage.possible = replay_.feasible() && (ops.empty() || graph_.is_trigger(t));
  for (OpId op : ops) stage.cost += durations_[op].count();
}

// Also collects the touched values.
void Evaluation::find_last_uses(std::int32_t t, Stage& stage) {
  const auto use = [&](ValueId v, std::int32_t position) {
    if (last_use_[v] < 0) used_.push_back(v), first_use_[v] = position;
    last_use_[v] = position;
  };
  std::int32_t position = 0;
  for (OpId op : stage.ops) {
    for (ValueId v : graph_.reads(op)) use(v, position);
    ++position;
  }
  if (t < graph_.op_count())
    for (ValueId v : graph_.reads(OpId{t})) use(v, position);
  for (ValueId v : wanted_[at(t)]) use(v, position);
  const auto touch = [&](ValueId v) {
    if (movable_[v]) stage.touched.push_back(v);
  };
  for (ValueId v : used_) touch(v);
  for (OpId op : stage.ops)
    for (const graph::Output& out : graph_.writes(op))
      if (last_use_[out.value] < 0) touch(out.value);
  if (t < graph_.op_count())
    for (const graph::Output& out : graph_.writes(OpId{t})) touch(out.value);
}

// Most bytes within stage t, above those present at its start; the same order of events as plan/lower.h.
std::int64_t Evaluation::walk(std::int32_t t, const Stage& stage) {
  const auto outlives = [&](ValueId v) { return t + 1 < stage_count() && holding_.present(v, t + 1); };
  const auto resident = [&](ValueId v) {
    return (state_[v] & kGone) == 0 && ((state_[v] & kMade) != 0 || holding_.present(v, t));
  };
  std::int64_t now = 0, most = 0;
  const auto arrive = [&](bool for_replay) {
    for (ValueId v : arriving_[at(t)]) {
      const bool early = (last_use_[v] >= 0 && at(first_use_[v]) < stage.ops.size()) ||
                         replay_.runs(graph_.value(v).producer);
      if (early != for_replay) continue;
      now += bytes(v);
      state_[v] |= kMade;
    }
  };
  for (ValueId v : ending_[at(t)]) {
    if (last_use_[v] >= 0 || holding_.window(v).holds(t)) continue;
    now -= bytes(v);
    state_[v] |= kGone, marked_.push_back(v);
  }
  arrive(true);
  std::int32_t position = 0;
  for (OpId op : stage.ops) {
    std::int64_t fresh = 0, duplicate = 0;
    for (const graph::Output& out : graph_.writes(op)) {
      fresh += bytes(out.value);
      if (resident(out.value)) {
        duplicate += bytes(out.value);
      } else {
        if (state_[out.value] == 0) marked_.push_back(out.value);
        state_[out.value] = static_cast<std::uint8_t>((state_[out.value] | kMade) & ~kGone);
        if (last_use_[out.value] < 0 && !outlives(out.value)) duplicate += bytes(out.value);
      }
    }
    now += fresh;
    most = std::max(most, now + graph_.op(op).workspace.count());
    now -= duplicate;
    for (ValueId v : graph_.reads(op)) {
      if (last_use_[v] != position || outlives(v) || holding_.window(v).holds(t)) continue;
      now -= bytes(v);
    }
    ++position;
  }
  arrive(false);
  most = std::max(most, now);
  if (t == graph_.op_count()) return most;
  for (const graph::Output& out : graph_.writes(OpId{t}))
    if (!out.overwrites.exists()) now += bytes(out.value);
  return std::max(most, now + graph_.op(OpId{t}).workspace.count());
}

}  // namespace worktop::solver
