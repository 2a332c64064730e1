// A holding with its time and memory per stage, kept up to date under small changes, with undo: what the
// search moves in.
//
// Stage t is the replays that boundary t needs, then op t (plan/replay.h). Each stage is a function of the
// bits at t and t + 1 alone, so that a change of a run of bits touches the two stages at its ends; the stages
// between only carry more or fewer bytes. The memory of each stage is exact: it equals plan::measure_memory
// of the lowered plan (a test compares). Time here is compute time alone: what copies cost is the simulator's
// to say.
//
// A *touch* of a value is a stage that reads or makes it. Held runs always end at a touch: a run whose last
// touch is lost by a change is cut back to the touch before.
//
// Bits around a value's birth are kept in one form: while the program holds a value, the executor's bits are
// set if and only if it goes on to hold it after that (it cannot take hold later); and the first bit of a
// value that the very next op reads is always set (plan/holding.h, read_at_once); and no value is held across
// the boundary after the op that overwrites it in place. `hold` and `release` see to it.
//
// Encoding and moves: Checkmate's S matrix (Jain et al. 2020), searched as runs between touches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bit_rows.h"
#include "cost/durations.h"
#include "plan/holding.h"
#include "plan/replay.h"
#include "plan/transfers.h"
#include "solver/stage_bytes.h"

namespace worktop::solver {

using base::Bytes;
using base::Nanoseconds;
using graph::Graph;
using graph::OpId;
using graph::ValueId;

inline constexpr std::int64_t kWorkPerUnit = 64;

class Evaluation {
 public:
  // Bits first .. last of a value became `bit`.
  struct Change {
    ValueId value;
    std::int32_t first = 0, last = -1;
    bool bit = false;
    void apply(plan::Holding& holding) const {
      if (bit)
        holding.hold(value, first, last);
      else
        holding.release(value, first, last);
    }
  };

  // `trips` are fixed: the bits of their values never change (they are not `movable`).
  Evaluation(const Graph& graph, const cost::Durations& durations, plan::Holding holding,
             const std::vector<plan::Trip>& trips, Bytes budget);

  // --- the answer now
  [[nodiscard]] std::int64_t replay_ns() const { return replay_ns_; }     // sum over all replays
  [[nodiscard]] std::int64_t excess() const { return memory_.excess(); }  // 0: within the budget everywhere
  [[nodiscard]] bool possible() const { return impossible_ == 0; }        // every replay can be done
  [[nodiscard]] bool fits() const { return excess() == 0 && possible(); }
  [[nodiscard]] Bytes peak() const;               // O(stages)
  [[nodiscard]] std::int32_t peak_stage() const;  // the first stage at the peak
  [[nodiscard]] std::int64_t stage_bytes(std::int32_t t) const { return memory_[t]; }
  [[nodiscard]] const plan::Holding& holding() const { return holding_; }
  [[nodiscard]] const std::vector<OpId>& replays(std::int32_t t) const { return stages_[at(t)].ops; }
  [[nodiscard]] const std::vector<ValueId>& touched(std::int32_t t) const { return stages_[at(t)].touched; }
  [[nodiscard]] std::int32_t stage_count() const { return static_cast<std::int32_t>(stages_.size()); }
  [[nodiscard]] bool movable(ValueId v) const { return movable_[v] != 0; }
  // The touch before stage t (at least the producer's), and the next at or after t; stage_count() where there
  // is none.
  [[nodiscard]] std::int32_t touch_before(ValueId v, std::int32_t t) const {
    return touches_.last_with(v, t - 1, true);
  }
  [[nodiscard]] std::int32_t touch_from(ValueId v, std::int32_t t) const {
    return touches_.first_with(v, t, true);
  }

  // --- changes: any number of `hold` and `release`, then `settle`; `undo` goes back to before the first of
  // them, `commit` forgets how. Bits are boundaries first .. last.
  void hold(ValueId v, std::int32_t first, std::int32_t last) { change(v, first, last, true); }
  void release(ValueId v, std::int32_t first, std::int32_t last) { change(v, first, last, false); }
  void settle();
  void undo();
  void commit();
  [[nodiscard]] const std::vector<Change>& changes() const {
    return flips_;
  }  // since the last commit, in order
  // What all changes so far have cost: ops and values looked at, about. kWorkPerUnit of it are a unit of
  // effort.
  [[nodiscard]] std::int64_t work() const { return work_; }
  void set_budget(Bytes budget) { memory_.set_budget(budget.count()); }  // not within a change

 private:
  struct Stage {
    std::vector<OpId> ops;
    std::vector<ValueId> touched;
    std::int64_t cost = 0;
    std::int64_t extra = 0;  // most bytes in this stage above those present at its start
    bool possible = true;
  };
  struct Saved {
    std::int32_t stage = 0;
    Stage before;
  };

  static std::size_t at(std::int32_t t) { return static_cast<std::size_t>(t); }
  void make_canonical(ValueId v);
  void change(ValueId v, std::int32_t first, std::int32_t last, bool bit);
  void flip(ValueId v, std::int32_t first, std::int32_t last, bool bit);
  void add_bytes(ValueId v, std::int32_t first, std::int32_t last, std::int64_t added);
  void refresh_edges(ValueId v, std::int32_t stage);
  void mark_dirty(std::int32_t stage);
  void evaluate(std::int32_t t, Stage& stage);
  void find_replay(std::int32_t t, Stage& stage);
  void find_last_uses(std::int32_t t, Stage& stage);
  [[nodiscard]] std::int64_t walk(std::int32_t t, const Stage& stage);
  void install(std::int32_t t, Stage& stage);
  void replace(std::int32_t t, Stage& stage);
  void trim(std::int32_t t);
  void set_touches(std::int32_t t, const std::vector<ValueId>& values, bool bit);
  [[nodiscard]] std::int64_t bytes(ValueId v) const { return bytes_[v]; }
  [[nodiscard]] std::span<Saved> saved() { return std::span(saved_).first(saved_count_); }

  const Graph& graph_;
  const cost::Durations& durations_;
  plan::Holding holding_;

  base::IdVector<ValueId, std::int64_t> bytes_;
  base::IdVector<ValueId, std::uint8_t> movable_;
  std::vector<Stage> stages_;
  StageBytes memory_;  // of each stage: what is present at its start, and Stage::extra
  base::BitRows<ValueId> touches_;
  std::vector<std::vector<ValueId>> starting_, ending_;  // runs of bits, by stage
  std::vector<std::vector<ValueId>> arriving_, wanted_;  // by copy_in; to the end of the step
  std::int64_t replay_ns_ = 0;
  std::int32_t impossible_ = 0;
  std::int64_t work_ = 0;

  // one change
  std::vector<Change> flips_;
  std::vector<Saved> saved_;  // the first saved_count_; the rest is kept for its storage
  std::size_t saved_count_ = 0;
  std::vector<std::int32_t> dirty_;
  std::vector<std::uint8_t> is_dirty_, is_saved_;

  // scratch of one stage
  plan::StageReplay replay_;
  base::IdVector<ValueId, std::int32_t> last_use_, first_use_;
  base::IdVector<ValueId, std::uint8_t> state_;  // within the stage: made, gone, arriving
  std::vector<ValueId> used_, marked_, trimmed_;
  Stage fresh_;
};

}  // namespace worktop::solver
