// What time is it: one compute queue and one queue per link, advancing together.
//
// The compute queue is driven by its caller, job by job (`run`, `wait_for`); links work off their copies,
// first in first out, beside it. Speeds are constant between two moments at which a job starts or ends
// (simulate.h has the rules), so time jumps from one such moment to the next. Every jump ends a job: the
// effort is linear in jobs, and nothing is looked at while no copy is under way.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/machine.h"
#include "simulator/simulate.h"
#include "simulator/work.h"

namespace worktop::simulator {

class Queues {
 public:
  explicit Queues(const machine::Machine& machine);

  // The time at which the compute queue stands.
  [[nodiscard]] Nanoseconds now() const { return now_; }
  // Time during which copies have run until now, summed over links.
  [[nodiscard]] Nanoseconds link_busy() const { return link_busy_; }

  // Runs a compute job of `duration` at full speed.
  void run(Nanoseconds duration);

  // Queues a copy that takes `duration` alone and may start once copy `source` has ended (-1: at once).
  // Returns its index; indices count up from 0.
  std::int32_t issue(ValueId value, LinkId link, Nanoseconds duration, std::int32_t source);
  [[nodiscard]] bool ended(std::int32_t copy) const { return jobs_[static_cast<std::size_t>(copy)].ended; }
  [[nodiscard]] const Copy& copy(std::int32_t index) const {
    return copies_[static_cast<std::size_t>(index)];
  }
  // Lets the compute queue stand still until `copy` has ended.
  void wait_for(std::int32_t copy);
  // Lets time pass until no copy is left.
  void drain();

  [[nodiscard]] std::vector<Copy> take_copies() && { return std::move(copies_); }

 private:
  struct Job {
    Work left;
    std::int32_t source = -1;
    std::int32_t next = -1;  // behind it on the same link
    bool ended = false;
  };
  struct Lane {
    std::int64_t rate_both_ways = kFullSpeed;
    std::int32_t opposite = -1;
    std::int32_t first = -1;  // of the copies that have not ended
    std::int32_t last = -1;
    bool running = false;  // `first` has started
  };
  void start_copies();
  void jump(Work* compute);
  void end_first(Lane& lane);
  [[nodiscard]] std::int64_t rate(const Lane& lane) const {
    const bool both = lane.opposite >= 0 && lanes_[static_cast<std::size_t>(lane.opposite)].running;
    return both ? lane.rate_both_ways : kFullSpeed;
  }
  [[nodiscard]] Job& job(std::int32_t copy) { return jobs_[static_cast<std::size_t>(copy)]; }

  Nanoseconds now_{0};
  Nanoseconds link_busy_{0};
  std::int64_t compute_rate_ = kFullSpeed;  // while any link is busy
  std::int32_t unfinished_ = 0;             // copies issued and not ended
  std::vector<Lane> lanes_;                 // by link
  std::vector<Job> jobs_;                   // by copy
  std::vector<Copy> copies_;                // by copy
};

}  // namespace worktop::simulator
