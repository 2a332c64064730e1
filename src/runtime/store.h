// Where values go while the device does without them: copies of values on the host and on disk, by key.
//
// The program says in its order what is to happen; the store copies behind its back. Calls from several
// threads are served one after the other. The calls are the actions of a plan (plan/plan.h):
//
//   copy_out v        copy_out(key, bytes, size, tier)    the device's bytes go down; stage_out: host to disk
//   release v         release(key)                        waits for that copy; then the bytes may be freed
//   copy_in v         copy_in(key, bytes, size, tier)     the bytes come up; stage_in: disk to host
//   (an op reads v)   arrive(key)                         waits until they are there
//   drop v on a tier  drop(key, tier)                     the copy below is let go
//
// What always holds:
// - A copy out reads the caller's bytes until `release` (or `cancel`) has returned: they are neither freed
//   nor written before. A copy in writes the caller's bytes until `arrive`, `release` or `cancel` has
//   returned.
// - A copy begins when what it reads is complete (behind its own copy out, or the stage before it) and its
//   link is free; copies on one link begin in the order they were asked for.
// - Bytes of a lower tier are used again only after the last copy that reads or writes them has ended.
// - A failed copy out leaves the device's bytes as the only copy: `release` says why, and the caller keeps
//   them. A failed copy in leaves the lower copy as it is: `arrive` says why; the destination may be freed.
//   An error is reported once, by the first call that needs what the copy should have brought.
// - Waiting is counted as stall of the link that was waited for.
// - The store can be destroyed at any moment: what is queued is cancelled, what runs is waited out (a chunk
//   at most), no caller's memory is touched afterwards, and nothing stays on disk, also after a kill.
//
// A key is the caller's; it begins with its first copy_out and ends when no tier below the device has it. It
// can then be used anew, with another size. Calls that make no sense for the key's state (copy_in of what is
// nowhere, two copies to one place, sizes that differ) change nothing and are errors of code `usage`; a
// missing tier, an exhausted budget, a full disk and failing I/O are of code `environment`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "machine/machine.h"

namespace worktop::runtime {

using base::Bytes;
using base::Nanoseconds;
using base::Result;
using base::Status;
using machine::Tier;

enum class Key : std::uint64_t {};

struct HostOptions {
  base::Limit<Bytes> limit;  // unlimited: what the machine has
};
struct DiskOptions {
  std::string directory;     // must exist; the file in it has no name
  base::Limit<Bytes> limit;  // unlimited: what the disk has free
};
struct StoreOptions {
  std::optional<HostOptions> host;  // a tier that is not given is absent
  std::optional<DiskOptions> disk;
};

// A link as the store saw it; there is one for each pair of tiers that copies went between.
struct LinkStats {
  Tier from = Tier::device;
  Tier to = Tier::host;
  std::int64_t copies = 0;     // that ended well
  std::int64_t failed = 0;     // that ended with an error
  std::int64_t cancelled = 0;  // that were withdrawn
  Bytes bytes{0};              // moved by copies that ended well
  Nanoseconds busy{0};         // at least one copy was moving
  std::int64_t stalls = 0;     // times that the caller waited for it
  Nanoseconds stall{0};        // how long the caller waited for it
};

struct TierStats {
  bool present = false;
  base::Limit<Bytes> limit;
  Bytes used{0};       // of copies that are there or under way
  Bytes reserved{0};   // taken from the machine: kept for the next copy
  Bytes peak_used{0};  // the most that was used
};

struct StoreStats {
  std::array<TierStats, machine::kTierCount> tiers;  // by tier; the device's is empty
  std::array<LinkStats, 6> links;                    // see `link`
  // Does I/O bypass the page cache? If not, `disk_note` says why, and that the disk tier saves less than it
  // seems to.
  bool direct_io = false;
  std::string disk_note;

  [[nodiscard]] const TierStats& tier(Tier tier) const { return tiers[static_cast<std::size_t>(tier)]; }
  [[nodiscard]] const LinkStats& link(Tier from, Tier to) const;
};

class Device;
class StoreInside;
struct CopyTuning;

class Store {
 public:
  // Takes the tiers into use: makes the file without a name, checks that it can be written and that the disk
  // has the bytes that it is allowed to fill.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const StoreOptions& options);
  // The same on another device (device.h), with other sizes of pieces and queues (copy_engine.h).
  [[nodiscard]] static Result<std::unique_ptr<Store>> open_on(std::unique_ptr<Device> device,
                                                              const StoreOptions& options,
                                                              const CopyTuning& tuning);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Begins to copy `size` bytes from the device to `to`. Waits only if the link's queue is full. The error:
  // no room in the budget, or no such tier; then nothing has begun.
  [[nodiscard]] Status copy_out(Key key, const void* bytes, Bytes size, Tier to);
  // Has no copy out of the device's bytes still to end? Never waits. A copy that failed has ended.
  [[nodiscard]] bool out_done(Key key);
  // Waits until no copy reads or writes the key's bytes on `tier`, and lets go of them there. The error: a
  // copy out of them failed, or there is no copy below; then they have not been let go.
  [[nodiscard]] Status release(Key key, Tier tier = Tier::device);

  // Begins to copy the key's bytes from `from` to the device. `size` is that of the copy out.
  [[nodiscard]] Status copy_in(Key key, void* bytes, Bytes size, Tier from);
  // Waits until the bytes on `tier` are complete. The error: the copy in failed; then they are not there.
  [[nodiscard]] Status arrive(Key key, Tier tier = Tier::device);

  // Between host and disk, for devices that reach the disk through the host. `release(key, Tier::host)` ends
  // the first, `arrive(key, Tier::host)` the second, which a copy_in from the host waits for by itself.
  [[nodiscard]] Status stage_out(Key key);
  [[nodiscard]] Status stage_in(Key key);

  // Lets go of the key's bytes on `tier`, if it has any: waits for copies that read them, withdraws one that
  // was to write them. Whether another copy is left is the caller's business.
  void drop(Key key, Tier tier);
  // Is there a copy on `tier`, complete or under way? A copy_in from there is ordered behind it.
  [[nodiscard]] bool has(Key key, Tier tier);
  // Withdraws or waits out every copy of the key and forgets it on all tiers. Then the caller may free its
  // memory.
  void cancel(Key key);

  // Lets a device with its own clock get on (tests). Otherwise there is nothing to do.
  void progress();
  [[nodiscard]] Nanoseconds now() const;  // on the device's clock
  [[nodiscard]] StoreStats stats() const;

 private:
  explicit Store(std::unique_ptr<StoreInside> inside);
  std::unique_ptr<StoreInside> inside_;
};

}  // namespace worktop::runtime
