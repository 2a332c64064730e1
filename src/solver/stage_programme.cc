#include "solver/stage_programme.h"

#include <algorithm>

namespace worktop::solver {

using graph::OpId;
using graph::ValueId;
using Term = LinearProgramme::Term;

// ---- what both directions ask

std::int32_t StageProgramme::program_until(ValueId v) const {
  const OpId last = graph_.value(v).held_until, overwriter = graph_.overwritten_by(v);
  const std::int32_t until = last.exists() ? last.index() : end_;
  return overwriter.exists() ? std::min(until, overwriter.index()) : until;
}

bool StageProgramme::program_holds(ValueId v, std::int32_t t) const {
  return graph_.value(v).producer.index() < t && t <= program_until(v);  // no producer: index -1
}

std::span<const ValueId> StageProgramme::reads(std::int32_t t) const {
  return t < end_ ? graph_.reads(OpId{t}) : std::span<const ValueId>(wanted_at_end_);
}

bool StageProgramme::is_read(ValueId v, std::int32_t t) const {
  return std::ranges::find(reads(t), v) != reads(t).end();
}

StageProgramme::Code StageProgramme::held(ValueId v, std::int32_t t) const {
  const std::int32_t place = t - graph_.value(v).producer.index() - 1;
  const auto& codes = held_[v];
  return place >= 0 && place < static_cast<std::int32_t>(codes.size())
             ? codes[static_cast<std::size_t>(place)]
             : kZero;
}

// ---- columns and rows

class StageProgrammeBuilder {
 public:
  StageProgrammeBuilder(StageProgramme& target, const Problem& problem)
      : s_(target),
        problem_(problem),
        graph_(problem.graph),
        programme_(target.programme_),
        last_useful_(graph_.value_count(), -1),
        program_bytes_(static_cast<std::size_t>(s_.end_) + 1, 0) {
    for (ValueId v : base::ids<ValueId>(graph_.value_count())) {
      const graph::Value& value = graph_.value(v);
      if (value.producer.exists() && value.held_until.exists() && !value.needed_until.exists() &&
          !graph_.overwritten_by(v).exists())
        s_.wanted_at_end_.push_back(v);
      if (value.holdable && value.producer.exists()) holdable_.push_back(v);
    }
    choose_units();
    find_useful();
    add_columns();
    for (ValueId v : holdable_) add_hold_rows(v);
    for (std::int32_t t = 0; t <= s_.end_; ++t) {
      add_need_rows(t);
      if (t < s_.end_) add_first_run_bytes(t);
      if (!s_.replays_[place(t)].empty()) add_replay_bytes(t);
    }
  }

 private:
  using Code = StageProgramme::Code;
  static constexpr Code kZero = StageProgramme::kZero, kOne = StageProgramme::kOne;

  // A row under construction; what is always 1 is summed apart.
  struct Row {
    std::vector<Term> terms;
    double constant = 0;
    Row& add(Code code, double factor) {
      if (code == kOne) constant += factor;
      if (code >= 0) terms.push_back({code, factor});
      return *this;
    }
  };

  static std::size_t place(std::int32_t t) { return static_cast<std::size_t>(t); }
  [[nodiscard]] double units(Bytes bytes) const { return bytes.as_double() * units_per_byte_; }
  Code add_flag() { return programme_.add_column({.integer = true}); }
  void emit(Row row, double lower, double upper);
  void choose_units();
  void find_useful();
  void mark_useful(ValueId v, std::int32_t t);
  void add_columns();
  void add_hold_columns(ValueId v);
  [[nodiscard]] Code hold_code(ValueId v, std::int32_t t, bool acted);
  [[nodiscard]] bool worth_replaying(OpId op, std::int32_t t) const;
  void add_hold_rows(ValueId v);
  void add_need_rows(std::int32_t t);
  void add_need(ValueId v, std::int32_t t, Code who);
  void add_first_run_bytes(std::int32_t t);
  void add_replay_bytes(std::int32_t t);
  void follow(ValueId v, std::int32_t t, Row& start, std::vector<Row>& after);
  [[nodiscard]] Code held_on(ValueId v, std::int32_t t) const;
  [[nodiscard]] std::int32_t place_of_replay(OpId op, std::int32_t t) const;
  [[nodiscard]] Code made(ValueId v, std::int32_t t) const;

  StageProgramme& s_;
  const Problem& problem_;
  const graph::Graph& graph_;
  LinearProgramme& programme_;
  double units_per_byte_ = 1, room_ = kInfinite;
  base::IdVector<ValueId, std::int32_t> last_useful_;  // the last stage that can want it; -1: none
  std::vector<double> program_bytes_;                  // by boundary, in units
  std::vector<ValueId> holdable_;
};

StageProgramme::StageProgramme(const Problem& problem)
    : graph_(problem.graph),
      end_(problem.graph.op_count()),
      held_(problem.graph.value_count()),
      replays_(static_cast<std::size_t>(end_) + 1) {
  StageProgrammeBuilder(*this, problem);
}

// Columns may come twice: they are summed. What is always so is no row.
void StageProgrammeBuilder::emit(Row row, double lower, double upper) {
  lower -= row.constant, upper -= row.constant;
  std::ranges::sort(row.terms, {}, &Term::column);
  std::vector<Term> terms;
  for (const Term& term : row.terms) {
    if (!terms.empty() && terms.back().column == term.column)
      terms.back().factor += term.factor;
    else
      terms.push_back(term);
  }
  std::erase_if(terms, [](const Term& term) { return term.factor == 0; });
  if (!terms.empty()) return programme_.add_row(lower, upper, terms);
  s_.impossible_ = s_.impossible_ || lower > 1e-9 || upper < -1e-9;
}

void StageProgrammeBuilder::choose_units() {
  const auto& durations = problem_.durations;
  for (OpId op : base::ids<OpId>(graph_.op_count())) {
    const bool once = graph_.op(op).phase == graph::Phase::optimizer;
    s_.first_runs_ns_ += durations[op].as_double() * (once ? 1 : graph_.micro_steps());
  }
  if (s_.first_runs_ns_ > 0) s_.ns_per_cost_ = s_.first_runs_ns_ / 1000;
  if (!problem_.budgets.device) return;
  units_per_byte_ = 1000 / std::max(1.0, problem_.budgets.device->as_double());
  room_ = units(*problem_.budgets.device);
}

void StageProgrammeBuilder::find_useful() {
  for (std::int32_t t = s_.end_; t >= 0; --t)
    for (ValueId v : s_.reads(t)) mark_useful(v, t);
}

void StageProgrammeBuilder::mark_useful(ValueId v, std::int32_t t) {
  std::vector<ValueId> stack{v};
  while (!stack.empty()) {
    v = stack.back();
    stack.pop_back();
    if (last_useful_[v] >= t) continue;
    last_useful_[v] = t;
    const OpId producer = graph_.value(v).producer;
    if (!producer.exists() || !graph_.op(producer).flags.replayable()) continue;
    const auto inputs = graph_.reads(producer);
    stack.insert(stack.end(), inputs.begin(), inputs.end());
  }
}

void StageProgrammeBuilder::add_columns() {
  for (ValueId v : base::ids<ValueId>(graph_.value_count()))
    for (std::int32_t t = 0; t <= s_.end_; ++t)
      if (s_.program_holds(v, t)) program_bytes_[place(t)] += units(graph_.value(v).bytes);
  for (ValueId v : holdable_) add_hold_columns(v);
  std::int32_t first_optimizer = s_.end_;
  for (OpId op : base::ids<OpId>(graph_.op_count()))
    if (graph_.op(op).phase == graph::Phase::optimizer)
      first_optimizer = std::min(first_optimizer, op.index());
  for (std::int32_t t = 0; t <= s_.end_; ++t)
    for (OpId op : base::ids<OpId>(t)) {
      if (!worth_replaying(op, t)) continue;
      const std::int64_t times = t <= first_optimizer ? graph_.micro_steps() : 1;
      const double ns = problem_.durations[op].as_double() * static_cast<double>(times);
      s_.replays_[place(t)].push_back(
          {op, programme_.add_column({.cost = ns / s_.ns_per_cost_, .integer = true})});
    }
}

void StageProgrammeBuilder::add_hold_columns(ValueId v) {
  const std::int32_t born = graph_.value(v).producer.index();
  bool acted = false;  // the executor could let go while the program held
  for (std::int32_t t = born + 1; t <= s_.end_; ++t) {
    s_.held_[v].push_back(hold_code(v, t, acted));
    acted = acted || (s_.program_holds(v, t) && graph_.is_trigger(t));
  }
}

// While the program holds a value, the executor's hold costs nothing: it goes on. Where it cannot act, what
// is held stays.
StageProgramme::Code StageProgrammeBuilder::hold_code(ValueId v, std::int32_t t, bool acted) {
  const bool can_act = graph_.is_trigger(t), useful = t <= last_useful_[v], read = s_.is_read(v, t);
  const OpId overwriter = graph_.overwritten_by(v);
  if (s_.program_holds(v, t)) return kOne;
  if (overwriter.exists() && t == overwriter.index() + 1) return kZero;
  if (can_act && !useful) return kZero;
  const bool fresh = t == graph_.value(v).producer.index() + 1;
  if (fresh || (s_.program_holds(v, t - 1) && !acted)) return can_act && !read ? add_flag() : kOne;
  if (!s_.program_holds(v, t - 1) && !graph_.is_trigger(t - 1)) {
    const Code before = s_.held(v, t - 1);
    return !can_act || read || before == kZero ? before : add_flag();
  }
  return useful ? add_flag() : kZero;
}

// Something that it makes can be wanted and may be missing, and what it reads can be there.
bool StageProgrammeBuilder::worth_replaying(OpId op, std::int32_t t) const {
  if (!graph_.is_trigger(t) || !graph_.op(op).flags.replayable()) return false;
  const auto missing = [&](const graph::Output& out) {
    return graph_.value(out.value).holdable && t <= last_useful_[out.value] &&
           !s_.program_holds(out.value, t) && s_.held(out.value, t) != kOne;
  };
  const auto possible = [&](ValueId v) { return s_.program_holds(v, t) || !s_.held_[v].empty(); };
  return std::ranges::any_of(graph_.writes(op), missing) && std::ranges::all_of(graph_.reads(op), possible);
}

std::int32_t StageProgrammeBuilder::place_of_replay(OpId op, std::int32_t t) const {
  const auto& replays = s_.replays_[place(t)];
  const auto found = std::ranges::lower_bound(replays, op, {}, &StageProgramme::Replay::op);
  return found != replays.end() && found->op == op ? static_cast<std::int32_t>(found - replays.begin()) : -1;
}

// Whether stage t makes v again.
StageProgramme::Code StageProgrammeBuilder::made(ValueId v, std::int32_t t) const {
  if (s_.held_[v].empty()) return kZero;  // nobody could take it
  const std::int32_t at = place_of_replay(graph_.value(v).producer, t);
  return at < 0 ? kZero : s_.replays_[place(t)][place(at)].column;
}

// Whether the executor still holds v while op t runs, if that does not read it.
StageProgramme::Code StageProgrammeBuilder::held_on(ValueId v, std::int32_t t) const {
  if (t <= graph_.value(v).producer.index() || t == s_.end_) return kZero;
  return s_.held(v, graph_.is_trigger(t) ? t + 1 : t);
}

// What is held into stage t + 1 was held into stage t, or made there.
void StageProgrammeBuilder::add_hold_rows(ValueId v) {
  for (std::int32_t t = graph_.value(v).producer.index() + 1; t < s_.end_; ++t) {
    const Code next = s_.held(v, t + 1), now = s_.held(v, t);
    if (next == kZero || next == now || s_.program_holds(v, t) || s_.program_holds(v, t + 1)) continue;
    emit(Row().add(next, 1).add(now, -1).add(made(v, t), -1), -kInfinite, 0);
  }
}

void StageProgrammeBuilder::add_need_rows(std::int32_t t) {
  for (ValueId v : s_.reads(t)) add_need(v, t, kOne);
  for (const StageProgramme::Replay& replay : s_.replays_[place(t)])
    for (ValueId v : graph_.reads(replay.op)) add_need(v, t, replay.column);
}

void StageProgrammeBuilder::add_need(ValueId v, std::int32_t t, Code who) {
  if (s_.program_holds(v, t)) return;
  const Code now = s_.held(v, t);
  if (now == kOne) return;
  emit(Row().add(now, 1).add(made(v, t), 1).add(who, -1), 0, kInfinite);
}

void StageProgrammeBuilder::add_first_run_bytes(std::int32_t t) {
  const OpId op{t};
  Row row;
  row.constant = program_bytes_[place(t)] + units(graph_.op(op).workspace);
  for (const graph::Output& out : graph_.writes(op))
    if (!out.overwrites.exists()) row.constant += units(graph_.value(out.value).bytes);
  for (ValueId v : graph_.reads(op))
    if (!s_.program_holds(v, t)) row.constant += units(graph_.value(v).bytes);
  s_.impossible_ = s_.impossible_ || row.constant > room_ + 1e-9;
  for (ValueId v : holdable_)
    if (!s_.program_holds(v, t) && !s_.is_read(v, t)) row.add(held_on(v, t), units(graph_.value(v).bytes));
  emit(std::move(row), -kInfinite, room_);
}

// What is there before each replay: at first, then by what each replay changes.
void StageProgrammeBuilder::add_replay_bytes(std::int32_t t) {
  const auto& replays = s_.replays_[place(t)];
  Row before;
  std::vector<Row> after(replays.size());
  for (ValueId v : holdable_) follow(v, t, before, after);
  const double room = room_ - program_bytes_[place(t)];
  for (std::size_t k = 0; k < replays.size(); ++k) {
    const Code there = programme_.add_column({.upper = kInfinite});
    emit(before.add(there, -1), 0, 0);
    double fresh = units(graph_.op(replays[k].op).workspace);
    for (const graph::Output& out : graph_.writes(replays[k].op))
      fresh += units(graph_.value(out.value).bytes);
    emit(Row().add(there, 1).add(replays[k].column, fresh), -kInfinite, room);
    before = std::move(after[k]);
    before.add(there, 1);
  }
}

// Adds v's bytes to what is there at first, and what changes of them after each replay. v lies there before
// it is made if it was held, and then up to its last reader, or as long as it is held on.
void StageProgrammeBuilder::follow(ValueId v, std::int32_t t, Row& start, std::vector<Row>& after) {
  const double bytes = units(graph_.value(v).bytes);
  const OpId producer = graph_.value(v).producer;
  if (bytes == 0 || producer.index() >= t || s_.program_holds(v, t)) return;
  const Code now = s_.held(v, t);
  const std::int32_t maker = place_of_replay(producer, t);
  if (now == kZero && maker < 0) return;
  Code next = s_.is_read(v, t) ? kOne : held_on(v, t);  // op t holds what it reads
  const auto readers = graph_.readers(v);
  for (auto reader = readers.rbegin(); reader != readers.rend() && next != kOne; ++reader) {
    const std::int32_t at = *reader < OpId{t} ? place_of_replay(*reader, t) : -1;
    if (at < 0) continue;
    const Code there = programme_.add_column({});
    emit(Row().add(there, 1).add(s_.replays_[place(t)][place(at)].column, -1), 0, kInfinite);
    if (next >= 0) emit(Row().add(there, 1).add(next, -1), 0, kInfinite);
    after[place(at)].add(next, bytes).add(there, -bytes);
    next = there;
  }
  if (maker < 0) {
    start.add(s_.is_read(v, t) ? now : next, bytes);
    return;
  }
  start.add(now, bytes);
  after[place(maker)].add(next, bytes).add(now, -bytes);
}

}  // namespace worktop::solver
