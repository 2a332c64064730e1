// Copies in the background: one bounded queue per link, first in first out, worked off by one or more lanes
// (threads), piece by piece.
//
// Ordering edges: a copy begins when every copy that it comes `after` has ended well. If one of them did not,
// it fails with the same error and moves nothing. Edges point to copies that were submitted before, and
// queues are first in first out, so no ring of waiting can arise.
//
// submit, wait and cancel are called from one thread. `wait` counts the time as stall of the copy's link;
// `submit` waits, and counts, if the link's queue is full. A cancelled copy moves no further piece; `cancel`
// returns when no piece of it is in flight. The destructor cancels everything.
//
// If the device has a clock of its own (device.h, Stepper), there are no threads: `wait` and `progress` take
// the steps that the device picks, so that a test decides every interleaving.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/device.h"
#include "runtime/links.h"

namespace worktop::runtime {

// Mistakes that tests make on purpose, to see that the other tests would notice them.
enum class SeededBug : std::uint8_t {
  none,
  ignore_order,    // a copy does not wait for what it comes after
  early_end,       // a copy is said to have ended when its last move has begun
  deaf_to_cancel,  // a cancelled copy is said to have ended though a move of it is in flight
};

struct CopyTuning {
  Bytes chunk{4 << 20};  // a piece is at most so large; a multiple of 4096
  int disk_lanes = 2;    // threads for each link of the disk: two keep it busy
  int memory_lanes = 1;  // threads for each link between memories
  int queue_limit = 64;  // copies that wait on one link
  SeededBug bug = SeededBug::none;
};

enum class CopyState : std::uint8_t { waiting, moving, done, failed, cancelled };

class CopyJob;
using Copy = std::shared_ptr<CopyJob>;

struct CopyRequest {
  Tier from = Tier::device;
  Tier to = Tier::host;
  Bytes size{0};
  std::vector<Move> moves;  // in order; may be empty
  std::vector<Copy> after;
};

struct LinkCounts {
  std::int64_t copies = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t stalls = 0;
  Bytes bytes{0};
  Nanoseconds busy{0};
  Nanoseconds stall{0};
};

class CopyEngine {
 public:
  // The device outlives the engine.
  CopyEngine(Device& device, const CopyTuning& tuning);
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;

  // The error: no thread could be started.
  [[nodiscard]] Result<Copy> submit(CopyRequest request);
  [[nodiscard]] CopyState state(const Copy& copy) const;
  [[nodiscard]] bool ended(const Copy& copy) const { return state(copy) > CopyState::moving; }
  // Until the copy has ended; how it ended.
  [[nodiscard]] Status wait(const Copy& copy);
  // Until no piece of it is in flight. A copy that has ended stays as it is.
  void cancel(const Copy& copy);
  // Lets a stepped device get on; with threads there is nothing to do.
  void progress();
  [[nodiscard]] std::array<LinkCounts, kLinkCount> counts() const;
  [[nodiscard]] const CopyTuning& tuning() const;

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace worktop::runtime
