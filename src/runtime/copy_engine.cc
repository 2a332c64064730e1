#include "runtime/copy_engine.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/ensure.h"
#include "runtime/extents.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

class CopyJob {
 public:
  CopyRequest request;
  std::size_t link = 0;
  std::size_t next = 0;       // the first move that has not been started
  std::size_t in_flight = 0;  // moves that were started and have not been finished
  CopyState state = CopyState::waiting;
  std::optional<CopyState>
      verdict;  // failed or cancelled, from the moment it is known: no further move starts
  Status result;
  [[nodiscard]] bool ended() const { return state > CopyState::moving; }
};

// One lock for everything: it is taken once a piece, and a piece is megabytes.
class CopyEngine::Inside {
 public:
  using Lock = std::unique_lock<std::mutex>;
  struct Flight {  // of a stepped device
    Copy copy;
    Move* move = nullptr;
    Status started;
  };
  struct Link {
    Inside* engine = nullptr;
    std::size_t index = 0;
    std::deque<Copy> queue;  // copies with moves that have not been started
    int active = 0;          // moves in flight
    Nanoseconds active_since{0};
    LinkCounts counts;
    std::vector<pthread_t> threads;
    std::vector<Flight> flights;
  };

  Inside(Device& the_device, const CopyTuning& the_tuning)
      : device(the_device), tuning(the_tuning), stepper(the_device.stepper()) {
    for (std::size_t link = 0; link < kLinkCount; ++link) links[link].engine = this, links[link].index = link;
  }

  [[nodiscard]] int lanes(const Link& link) const {
    const auto [from, to] = kLinks[link.index];
    return from == Tier::disk || to == Tier::disk ? tuning.disk_lanes : tuning.memory_lanes;
  }

  // ---- the queues; all with the lock held

  // Ends the copy if nothing of it is in flight and nothing is left to be started.
  void conclude(CopyJob& job) {
    const bool all_started = job.next == job.request.moves.size();
    if (job.ended() || (!job.verdict && !all_started)) return;
    if (job.in_flight > 0 && !ends_early(job)) return;
    LinkCounts& counts = links[job.link].counts;
    job.state = job.verdict.value_or(CopyState::done);
    if (job.state == CopyState::done) ++counts.copies, counts.bytes += job.request.size;
    if (job.state == CopyState::failed) ++counts.failed;
    if (job.state == CopyState::cancelled) ++counts.cancelled;
    job.request.after.clear();
    ++conclusions;
    work.notify_all();
    changed.notify_all();
  }
  [[nodiscard]] bool ends_early(const CopyJob& job) const {
    return tuning.bug == SeededBug::early_end ||
           (tuning.bug == SeededBug::deaf_to_cancel && job.verdict == CopyState::cancelled);
  }
  void give_up(CopyJob& job, CopyState verdict, Status why) {
    if (job.ended() || job.verdict) return;
    job.verdict = verdict;
    job.result = std::move(why);
    std::erase_if(links[job.link].queue, [&](const Copy& copy) { return copy.get() == &job; });
    conclude(job);
  }
  // The copy whose next move the link may start, or none.
  [[nodiscard]] Copy head(Link& link) {
    while (!link.queue.empty()) {
      Copy copy = link.queue.front();
      if (tuning.bug != SeededBug::ignore_order) {
        const auto& after = copy->request.after;
        const auto bad = std::find_if(after.begin(), after.end(), [](const Copy& other) {
          return other->ended() && other->state != CopyState::done;
        });
        if (bad != after.end()) {
          give_up(*copy, (*bad)->state, (*bad)->result);
          continue;
        }
        if (!std::all_of(after.begin(), after.end(), [](const Copy& other) { return other->ended(); }))
          return nullptr;
      }
      if (!copy->request.moves.empty()) return copy;
      link.queue.pop_front();
      conclude(*copy);
    }
    return nullptr;
  }
  [[nodiscard]] Move& take(Link& link, CopyJob& job) {
    Move& move = job.request.moves[job.next++];
    job.state = CopyState::moving;
    ++job.in_flight;
    if (job.next == job.request.moves.size()) link.queue.pop_front();
    if (link.active++ == 0) link.active_since = device.now();
    if (tuning.bug == SeededBug::early_end) conclude(job);
    if (static_cast<int>(link.queue.size()) < tuning.queue_limit) changed.notify_all();
    return move;
  }
  void land(Link& link, CopyJob& job, Status status) {
    --job.in_flight;
    if (--link.active == 0) link.counts.busy += device.now() - link.active_since;
    if (!status) give_up(job, CopyState::failed, std::move(status));
    conclude(job);
  }

  // ---- lanes

  static void* run_lane(void* argument) {
    Link& link = *static_cast<Link*>(argument);
    link.engine->lane(link);
    return nullptr;
  }
  void lane(Link& link) {
    Lock lock(mutex);
    while (true) {
      Copy copy;
      work.wait(lock, [&] { return closing || (copy = head(link)) != nullptr; });
      if (closing) return;
      Move& move = take(link, *copy);
      lock.unlock();
      Status status = device.start(move);
      if (status) status = device.finish(move);
      lock.lock();
      land(link, *copy, std::move(status));
    }
  }
  // Signals are the program's: lanes block them all.
  [[nodiscard]] Status start_lanes(Link& link) const {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = 0;
    while (problem == 0 && static_cast<int>(link.threads.size()) < lanes(link)) {
      pthread_t thread{};
      problem = pthread_create(&thread, nullptr, run_lane, &link);
      if (problem == 0) link.threads.push_back(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!link.threads.empty()) return {};
    return fail(ErrorCode::environment,
                std::string("no thread could be started for copies: ") + std::strerror(problem), {},
                "raise the limit on threads (ulimit -u)");
  }

  // ---- steps of a device with its own clock

  // Takes the step that the device picks; false if it picks none.
  bool step(bool waiting) {
    std::vector<Step> steps;
    std::int64_t seen = -1;
    while (seen != conclusions) {  // an end may make another link's head ready
      seen = conclusions;
      steps.clear();
      for (Link& link : links) {
        if (link.active < lanes(link) && head(link) != nullptr) steps.push_back({link.index, nullptr});
        for (const Flight& flight : link.flights) steps.push_back({link.index, flight.move});
      }
    }
    if (steps.empty()) return false;
    const auto picked = stepper->pick(steps, waiting);
    if (!picked) return false;
    const Step& chosen = steps[*picked];
    Link& link = links[chosen.link];
    if (chosen.finish == nullptr) {
      const Copy copy = head(link);
      Move& move = take(link, *copy);
      link.flights.push_back({copy, &move, device.start(move)});
      return true;
    }
    const auto found = std::find_if(link.flights.begin(), link.flights.end(),
                                    [&](const Flight& flight) { return flight.move == chosen.finish; });
    const Flight flight = std::move(*found);
    link.flights.erase(found);
    land(link, *flight.copy, flight.started ? device.finish(*flight.move) : flight.started);
    return true;
  }
  template <class Condition>
  void wait_until(Lock& lock, Condition condition) {
    if (stepper == nullptr) return changed.wait(lock, condition);
    // Nobody could ever end the waiting if there were no step: an edge that forms a ring.
    const std::int64_t start = conclusions;
    while (!condition()) ensure(step(true) || conclusions > start || condition());
  }
  template <class Condition>
  void stall_until(Lock& lock, LinkCounts& counts, Condition condition) {
    if (condition()) return;
    const Nanoseconds begin = device.now();
    wait_until(lock, condition);
    ++counts.stalls;
    counts.stall += device.now() - begin;
  }

  Device& device;
  const CopyTuning tuning;
  Stepper* const stepper;
  std::mutex mutex;
  std::condition_variable work;     // lanes wait for it
  std::condition_variable changed;  // the caller waits for it
  bool closing = false;
  std::int64_t conclusions = 0;
  std::array<Link, kLinkCount> links;
};

CopyEngine::CopyEngine(Device& device, const CopyTuning& tuning)
    : inside_(std::make_unique<Inside>(device, tuning)) {
  ensure(tuning.chunk > Bytes{0} && tuning.chunk == whole_blocks(tuning.chunk));
  ensure(tuning.disk_lanes > 0 && tuning.memory_lanes > 0 && tuning.queue_limit > 0);
}

CopyEngine::~CopyEngine() {
  Inside& in = *inside_;
  Inside::Lock lock(in.mutex);
  in.closing = true;
  for (Inside::Link& link : in.links) {
    while (!link.queue.empty()) {
      const Copy copy = link.queue.front();  // keeps it alive
      in.give_up(*copy, CopyState::cancelled, fail(ErrorCode::environment, "the copy was cancelled"));
    }
  }
  in.work.notify_all();
  in.wait_until(lock, [&] {
    return std::all_of(in.links.begin(), in.links.end(), [](const auto& link) { return link.active == 0; });
  });
  lock.unlock();
  for (Inside::Link& link : in.links)
    for (const pthread_t thread : link.threads) pthread_join(thread, nullptr);
}

Result<Copy> CopyEngine::submit(CopyRequest request) {
  Inside& in = *inside_;
  auto copy = std::make_shared<CopyJob>();
  copy->link = link_index(request.from, request.to);
  copy->request = std::move(request);
  Inside::Lock lock(in.mutex);
  Inside::Link& link = in.links[copy->link];
  if (in.stepper == nullptr && link.threads.empty()) WORKTOP_CHECK(in.start_lanes(link));
  in.stall_until(lock, link.counts,
                 [&] { return static_cast<int>(link.queue.size()) < in.tuning.queue_limit; });
  link.queue.push_back(copy);
  in.work.notify_all();
  return copy;
}

CopyState CopyEngine::state(const Copy& copy) const {
  const Inside::Lock lock(inside_->mutex);
  return copy->state;
}

Status CopyEngine::wait(const Copy& copy) {
  Inside::Lock lock(inside_->mutex);
  inside_->stall_until(lock, inside_->links[copy->link].counts, [&] { return copy->ended(); });
  return copy->result;
}

void CopyEngine::cancel(const Copy& copy) {
  Inside::Lock lock(inside_->mutex);
  inside_->give_up(*copy, CopyState::cancelled, fail(ErrorCode::environment, "the copy was cancelled"));
  inside_->stall_until(lock, inside_->links[copy->link].counts, [&] { return copy->ended(); });
}

void CopyEngine::progress() {
  const Inside::Lock lock(inside_->mutex);
  while (inside_->stepper != nullptr && inside_->step(false)) {
  }
}

std::array<LinkCounts, kLinkCount> CopyEngine::counts() const {
  const Inside::Lock lock(inside_->mutex);
  std::array<LinkCounts, kLinkCount> counts;
  for (std::size_t link = 0; link < kLinkCount; ++link) {
    counts[link] = inside_->links[link].counts;
    if (inside_->links[link].active > 0)
      counts[link].busy += inside_->device.now() - inside_->links[link].active_since;
  }
  return counts;
}

const CopyTuning& CopyEngine::tuning() const {
  return inside_->tuning;
}

}  // namespace worktop::runtime
