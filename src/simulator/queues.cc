#include "simulator/queues.h"

#include <algorithm>
#include <limits>

#include "base/ensure.h"

namespace worktop::simulator {

Queues::Queues(const machine::Machine& machine) : compute_rate_(rate_of(1.0 - machine.compute_slowdown)) {
  lanes_.reserve(static_cast<std::size_t>(machine.links.size()));
  for (LinkId id : base::ids<LinkId>(machine.links.size())) {
    const machine::Link& link = machine.links[id];
    Lane lane;
    lane.rate_both_ways = rate_of(link.both_ways.per_second / link.bandwidth.per_second);
    lane.opposite = machine.opposite(id).index();
    lanes_.push_back(lane);
  }
}

void Queues::run(Nanoseconds duration) {
  if (unfinished_ == 0) {
    now_ = saturating_add(now_, duration);
    return;
  }
  Work left(duration);
  while (!left.done()) jump(&left);
}

std::int32_t Queues::issue(ValueId value, LinkId link, Nanoseconds duration, std::int32_t source) {
  const auto index = static_cast<std::int32_t>(copies_.size());
  copies_.push_back({.value = value, .link = link, .issued = now_});
  jobs_.push_back({.left = Work(duration), .source = source});
  Lane& lane = lanes_[link.at()];
  (lane.first < 0 ? lane.first : job(lane.last).next) = index;
  lane.last = index;
  ++unfinished_;
  return index;
}

void Queues::wait_for(std::int32_t copy) {
  while (!ended(copy)) jump(nullptr);
}

void Queues::drain() {
  while (unfinished_ > 0) jump(nullptr);
}

// Starts the first copy of every idle link whose source is complete.
void Queues::start_copies() {
  for (Lane& lane : lanes_) {
    if (lane.running || lane.first < 0) continue;
    const std::int32_t source = job(lane.first).source;
    if (source >= 0 && !ended(source)) continue;
    lane.running = true;
    copies_[static_cast<std::size_t>(lane.first)].start = now_;
  }
}

// To the next moment at which `compute` (none: the queue stands still) or a copy ends.
void Queues::jump(Work* compute) {
  start_copies();
  std::int64_t dt = std::numeric_limits<std::int64_t>::max();
  std::int64_t running = 0;
  for (const Lane& lane : lanes_) {
    if (!lane.running) continue;
    ++running;
    dt = std::min(dt, job(lane.first).left.time_left(rate(lane)));
  }
  ensure(running > 0 || compute != nullptr);  // a copy waits only for copies issued before it
  const std::int64_t compute_rate = running > 0 ? compute_rate_ : kFullSpeed;
  if (compute != nullptr) dt = std::min(dt, compute->time_left(compute_rate));

  for (const Lane& lane : lanes_)
    if (lane.running) job(lane.first).left.advance(dt, rate(lane));
  if (compute != nullptr) compute->advance(dt, compute_rate);
  now_ = saturating_add(now_, Nanoseconds{dt});
  link_busy_ = saturating_add(link_busy_, saturating_mul(Nanoseconds{dt}, running));

  for (Lane& lane : lanes_)
    if (lane.running && job(lane.first).left.done()) end_first(lane);
}

void Queues::end_first(Lane& lane) {
  Job& ended = job(lane.first);
  ended.ended = true;
  copies_[static_cast<std::size_t>(lane.first)].end = now_;
  lane.first = ended.next;
  lane.running = false;
  --unfinished_;
}

}  // namespace worktop::simulator
