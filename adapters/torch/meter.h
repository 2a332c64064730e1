// How many bytes does this process hold through torch's CPU allocator, now and at most?
//
// A c10 allocator that is put in place of the process's own. It counts requested bytes exactly (no rounding),
// can write every allocation and free into an EventLog, aligns blocks from 1 MiB on to 4096 bytes (so that
// direct disk I/O needs no staging), and keeps freed pages for the next block of about that size: page faults
// otherwise cost up to a quarter of a replay and make time depend on the plan.
//
// Always: blocks outlive `uninstall` (each carries its own deleter); live + cached bytes never exceed the
// most that was ever live. Blocks that were allocated before `install` are not counted: `foreign` bytes are
// the caller's to add. Thread-safe.
#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "events.h"

namespace worktop::adapter {

class Meter final : public c10::Allocator {
 public:
  // The process has one, and it is never destroyed: blocks may outlive every static.
  static Meter& instance();

  // Each user installs it once and uninstalls it once; it is in place from the first to the last.
  void install();
  void uninstall();
  [[nodiscard]] bool installed() const { return previous_ != nullptr; }
  // Whether freed pages of large blocks are kept for re-use (true at first).
  void set_reuse(bool on);

  [[nodiscard]] std::int64_t live_bytes() const;
  [[nodiscard]] std::int64_t peak_bytes() const;  // since the last reset_peak
  [[nodiscard]] std::int64_t cached_bytes() const;
  void reset_peak();

  // Events go there until `log_to(nullptr)`.
  void log_to(EventLog* log);
  // Adds a mark to the log, if there is one.
  void mark(EventKind kind, std::int32_t index = -1);

  [[nodiscard]] static AllocationId id_of(const c10::DataPtr& data);

  c10::DataPtr allocate(size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

 private:
  struct Header;
  Meter() = default;
  static void free(void* data);
  void give_back(Header* header);
  void* take_cached(std::int64_t capacity, std::int64_t* got);
  void trim(std::int64_t bytes_to_come);

  mutable std::mutex mutex_;
  c10::Allocator* previous_ = nullptr;
  int users_ = 0;
  EventLog* log_ = nullptr;
  bool reuse_ = true;
  std::int64_t live_ = 0, peak_ = 0, highest_ = 0, cached_ = 0;
  AllocationId next_id_ = 1;
  std::multimap<std::int64_t, void*> cache_;  // by capacity
};

}  // namespace worktop::adapter
