// The store's book of keys. Only calls read and write it, one at a time: what the copy engine did in the
// meantime is entered (`settle`) whenever a call looks at a key.
#include "runtime/store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/ensure.h"
#include "runtime/arena.h"
#include "runtime/copy_engine.h"
#include "runtime/host_device.h"
#include "runtime/lifecycle.h"

namespace worktop::runtime {

using base::Error;
using base::ErrorCode;
using base::fail;

namespace {

constexpr Bytes kHostStep{16 << 20};
constexpr Bytes kDiskStep{256 << 20};

std::string name(Key key) {
  return "value " + std::to_string(static_cast<std::uint64_t>(key));
}

std::unexpected<Error> no_tier(Tier tier) {
  return fail(ErrorCode::environment, std::string("there is no ") + name_of(tier) + " tier", {},
              "give it a budget, or plan without it");
}
std::unexpected<Error> nothing_there(Key key, Tier tier) {
  return fail(ErrorCode::usage, std::string("there is no copy on the ") + name_of(tier), name(key));
}
std::unexpected<Error> sizes_differ(Key key, Bytes had, Bytes asked) {
  return fail(ErrorCode::usage,
              "it has " + std::to_string(had.count()) + " bytes, not " + std::to_string(asked.count()),
              name(key));
}

// Bytes of one tier as the moves of a copy see them: one range of the device, or extents of a pool.
struct Span {
  Tier tier = Tier::device;
  std::byte* address = nullptr;
  std::vector<Extent> extents;
};

// Cuts a copy into moves: no longer than a chunk, each within one extent on either side.
std::vector<Move> cut(const Span& from, const Span& to, Bytes size, Bytes chunk, Mark after) {
  struct Cursor {
    const Span& span;
    std::size_t extent = 0;
    Bytes within{0};
    Bytes done{0};
    [[nodiscard]] Place place() const {
      if (span.tier == Tier::device) return {span.tier, span.address + done.count(), Bytes{0}};
      return {span.tier, nullptr, span.extents[extent].offset + within};
    }
    [[nodiscard]] Bytes room(Bytes all) const {
      return span.tier == Tier::device ? all : span.extents[extent].size - within;
    }
    void advance(Bytes step) {
      done += step;
      if (span.tier == Tier::device) return;
      within += step;
      if (within == span.extents[extent].size) ++extent, within = Bytes{0};
    }
  };
  std::vector<Move> moves;
  Cursor source{from};
  Cursor target{to};
  while (source.done < size) {
    const Bytes rest = size - source.done;
    const Bytes step = std::min({rest, chunk, source.room(rest), target.room(rest)});
    moves.push_back({source.place(), target.place(), step, after, 0});
    source.advance(step);
    target.advance(step);
  }
  return moves;
}

}  // namespace

class StoreInside {
 public:
  struct Entry {
    Bytes size{0};
    Lifecycle life;
    std::byte* device = nullptr;  // while the device's bytes are known
    std::array<std::vector<Extent>, kTiers> extents;
    std::array<Copy, kTiers> incoming;                 // while bytes arrive
    std::array<std::optional<Error>, kTiers> trouble;  // of a copy that failed, until it is reported
  };

  StoreInside(std::unique_ptr<Device> the_device, const StoreOptions& options, const CopyTuning& tuning)
      : device(std::move(the_device)) {
    if (options.host) arenas[at(Tier::host)].emplace(*device, Tier::host, options.host->limit, kHostStep);
    if (options.disk) arenas[at(Tier::disk)].emplace(*device, Tier::disk, options.disk->limit, kDiskStep);
    engine.emplace(*device, tuning);
  }

  // The entry, with all that has ended entered; null if the key is not known.
  [[nodiscard]] Entry* look(Key key) {
    engine->progress();
    const auto found = entries.find(key);
    if (found == entries.end()) return nullptr;
    settle(found->second);
    return &found->second;
  }

  // ---- what the engine did

  void settle(Entry& entry) {
    // A copy may depend on another of the same value, at most two deep: three rounds reach them all.
    for (std::size_t round = 0; round < kTiers; ++round)
      for (const Tier tier : kAllTiers)
        if (entry.life.arriving(tier) && engine->ended(entry.incoming[at(tier)])) enter_end(entry, tier);
  }
  void enter_end(Entry& entry, Tier tier) {
    if (engine->state(entry.incoming[at(tier)]) == CopyState::done) {
      if (entry.life.ended(tier)) entry.incoming[at(tier)] = nullptr;
      return;
    }
    fail_arrival(entry, tier, engine->wait(entry.incoming[at(tier)]).error());
  }
  // What was to be read from there cannot arrive either, for the same reason.
  void fail_arrival(Entry& entry, Tier tier, const Error& why) {
    for (const Tier other : kAllTiers)
      if (entry.life.arrives_from(other, tier)) {
        engine->cancel(entry.incoming[at(other)]);
        fail_arrival(entry, other, why);
      }
    ensure(entry.life.failed(tier));
    entry.trouble[at(tier)] = why;
    entry.incoming[at(tier)] = nullptr;
    free_bytes(entry, tier);
  }
  void free_bytes(Entry& entry, Tier tier) {
    if (tier == Tier::device) {
      entry.device = nullptr;
      return;
    }
    arenas[at(tier)]->give_back(entry.size, entry.extents[at(tier)]);
    entry.extents[at(tier)].clear();
  }
  // A key ends when no lower tier has it.
  void tidy(Key key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return;
    const Lifecycle& life = found->second.life;
    if (life.absent(Tier::host) && life.absent(Tier::disk)) entries.erase(found);
  }

  // The error of the copy that should have brought the bytes to `tier`, if it has not been reported yet.
  [[nodiscard]] Status report(Key key, Entry& entry, Tier tier) {
    auto trouble = std::exchange(entry.trouble[at(tier)], std::nullopt);
    if (!trouble) return {};
    tidy(key);
    return std::unexpected(*std::move(trouble));
  }

  // ---- steps of a life

  [[nodiscard]] Status begin(Key key, Entry& entry, Tier from, Tier to) {
    if (to != Tier::device) {
      Result<std::vector<Extent>> extents = arenas[at(to)]->take(entry.size);
      if (!extents) {
        extents.error().where = name(key);
        return std::unexpected(std::move(extents).error());
      }
      entry.extents[at(to)] = *std::move(extents);
    }
    CopyRequest request{.from = from, .to = to, .size = entry.size};
    request.moves =
        cut(span(entry, from), span(entry, to), entry.size, engine->tuning().chunk, device->mark());
    if (entry.life.arriving(from)) request.after.push_back(entry.incoming[at(from)]);
    Result<Copy> copy = engine->submit(std::move(request));
    if (!copy) {
      free_bytes(entry, to);
      return std::unexpected(std::move(copy).error());
    }
    ensure(entry.life.begin(from, to));
    entry.incoming[at(to)] = *std::move(copy);
    entry.trouble[at(to)].reset();
    return {};
  }
  [[nodiscard]] static Span span(const Entry& entry, Tier tier) {
    return {tier, entry.device, entry.extents[at(tier)]};
  }
  [[nodiscard]] Status stage(Key key, Tier from, Tier to) {
    if (!arenas[at(from)]) return no_tier(from);
    if (!arenas[at(to)]) return no_tier(to);
    Entry* entry = look(key);
    if (entry == nullptr) return nothing_there(key, from);
    WORKTOP_CHECK(report(key, *entry, from));
    if (entry->life.absent(from)) return nothing_there(key, from);
    if (!entry->life.absent(to))
      return fail(ErrorCode::usage, std::string("there is a copy on the ") + name_of(to) + " already",
                  name(key));
    return begin(key, *entry, from, to);
  }
  // Waits until the bytes on `tier` are complete or their copy has failed; what they come from first.
  void wait_for_arrival(Entry& entry, Tier tier) {
    if (!entry.life.arriving(tier)) return;
    wait_for_arrival(entry, entry.life.source(tier));
    if (!entry.life.arriving(tier)) return;                                        // failed with its source
    [[maybe_unused]] const Status ended = engine->wait(entry.incoming[at(tier)]);  // `settle` looks at it
    settle(entry);
  }
  void wait_for_readers(Entry& entry, Tier tier) {
    for (const Tier other : kAllTiers)
      if (entry.life.arrives_from(other, tier)) wait_for_arrival(entry, other);
  }
  // Only after its readers.
  void withdraw_arrival(Entry& entry, Tier tier) {
    if (!entry.life.arriving(tier)) return;
    engine->cancel(entry.incoming[at(tier)]);
    settle(entry);
  }
  // Only after its readers, and when it is complete.
  void leave(Entry& entry, Tier tier) {
    ensure(entry.life.leave(tier));
    free_bytes(entry, tier);
  }

  std::mutex calls;  // are served one after the other
  std::unique_ptr<Device> device;
  std::array<std::optional<Arena>, kTiers> arenas;
  std::map<Key, Entry> entries;
  std::optional<CopyEngine> engine;  // last, so that it ends first
};

// ---- the calls

const LinkStats& StoreStats::link(Tier from, Tier to) const {
  return links[link_index(from, to)];
}

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  WORKTOP_TRY(auto device, open_host_device(options));
  return open_on(std::move(device), options, {});
}

Result<std::unique_ptr<Store>> Store::open_on(std::unique_ptr<Device> device, const StoreOptions& options,
                                              const CopyTuning& tuning) {
  return std::unique_ptr<Store>(new Store(std::make_unique<StoreInside>(std::move(device), options, tuning)));
}

Store::Store(std::unique_ptr<StoreInside> inside) : inside_(std::move(inside)) {}
Store::~Store() = default;

Status Store::copy_out(Key key, const void* bytes, Bytes size, Tier to) {
  const std::lock_guard lock(inside_->calls);
  ensure(size >= Bytes{0});
  if (to == Tier::device)
    return fail(ErrorCode::usage, "a copy out goes to the host or to the disk", name(key));
  if (!inside_->arenas[at(to)]) return no_tier(to);
  // Bytes that are copied out are read only; a place has one kind of address.
  auto* const address = static_cast<std::byte*>(const_cast<void*>(bytes));
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr) entry = &(inside_->entries[key] = {.size = size});
  // Bytes that a failed copy in was to bring are not taken for the program's.
  WORKTOP_CHECK(inside_->report(key, *entry, Tier::device));
  if (entry->size != size) return sizes_differ(key, entry->size, size);
  if (!entry->life.absent(to))
    return fail(ErrorCode::usage, std::string("there is a copy on the ") + name_of(to) + " already",
                name(key));
  const bool appeared = entry->life.appear(Tier::device);
  if (appeared) entry->device = address;
  if (entry->device != address)
    return fail(ErrorCode::usage, "the device's bytes are elsewhere", name(key), "release them first");
  Status begun = inside_->begin(key, *entry, Tier::device, to);
  if (!begun && appeared) inside_->leave(*entry, Tier::device);
  inside_->tidy(key);
  return begun;
}

bool Store::out_done(Key key) {
  const std::lock_guard lock(inside_->calls);
  const StoreInside::Entry* entry = inside_->look(key);
  return entry == nullptr || !entry->life.is_read(Tier::device);
}

Status Store::release(Key key, Tier tier) {
  const std::lock_guard lock(inside_->calls);
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr || tier == Tier::disk) return nothing_there(key, tier);
  WORKTOP_CHECK(inside_->report(key, *entry, tier));
  if (entry->life.absent(tier)) return nothing_there(key, tier);
  inside_->wait_for_arrival(*entry, tier);
  inside_->wait_for_readers(*entry, tier);
  const auto kept_below = [&] {
    return std::any_of(kAllTiers.begin(), kAllTiers.end(),
                       [&](Tier lower) { return lower > tier && entry->life.present(lower); });
  };
  // It may be that the copy below comes from another tier.
  for (const Tier lower : kAllTiers)
    if (lower > tier && !kept_below()) inside_->wait_for_arrival(*entry, lower);
  std::optional<Error> trouble;
  for (const Tier lower : kAllTiers)
    if (lower >= tier && entry->trouble[at(lower)])
      trouble = std::exchange(entry->trouble[at(lower)], std::nullopt);
  if (!trouble && kept_below()) {
    inside_->leave(*entry, tier);
    return {};
  }
  inside_->tidy(key);
  if (trouble) return std::unexpected(*std::move(trouble));
  return fail(ErrorCode::usage, std::string("it has no copy below the ") + name_of(tier), name(key));
}

Status Store::copy_in(Key key, void* bytes, Bytes size, Tier from) {
  const std::lock_guard lock(inside_->calls);
  if (from == Tier::device)
    return fail(ErrorCode::usage, "a copy in comes from the host or the disk", name(key));
  if (!inside_->arenas[at(from)]) return no_tier(from);
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr) return nothing_there(key, from);
  WORKTOP_CHECK(inside_->report(key, *entry, from));
  if (entry->life.absent(from)) return nothing_there(key, from);
  if (entry->size != size) return sizes_differ(key, entry->size, size);
  if (!entry->life.absent(Tier::device))
    return fail(ErrorCode::usage, "the device has it already", name(key));
  entry->device = static_cast<std::byte*>(bytes);
  return inside_->begin(key, *entry, from, Tier::device);
}

Status Store::arrive(Key key, Tier tier) {
  const std::lock_guard lock(inside_->calls);
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr) return nothing_there(key, tier);
  inside_->wait_for_arrival(*entry, tier);
  WORKTOP_CHECK(inside_->report(key, *entry, tier));
  if (entry->life.absent(tier)) return nothing_there(key, tier);
  return {};
}

Status Store::stage_out(Key key) {
  const std::lock_guard lock(inside_->calls);
  return inside_->stage(key, Tier::host, Tier::disk);
}
Status Store::stage_in(Key key) {
  const std::lock_guard lock(inside_->calls);
  return inside_->stage(key, Tier::disk, Tier::host);
}

void Store::drop(Key key, Tier tier) {
  const std::lock_guard lock(inside_->calls);
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr || entry->life.absent(tier)) return;
  inside_->wait_for_readers(*entry, tier);
  inside_->withdraw_arrival(*entry, tier);
  if (entry->life.present(tier)) inside_->leave(*entry, tier);
  entry->trouble[at(tier)].reset();
  inside_->tidy(key);
}

bool Store::has(Key key, Tier tier) {
  const std::lock_guard lock(inside_->calls);
  const StoreInside::Entry* entry = inside_->look(key);
  return entry != nullptr && !entry->life.absent(tier);
}

void Store::cancel(Key key) {
  const std::lock_guard lock(inside_->calls);
  StoreInside::Entry* entry = inside_->look(key);
  if (entry == nullptr) return;
  for (std::size_t round = 0; round < kTiers; ++round)
    for (const Tier tier : kAllTiers)
      if (!entry->life.is_read(tier)) inside_->withdraw_arrival(*entry, tier);
  for (const Tier tier : kAllTiers)
    if (!entry->life.absent(tier)) inside_->leave(*entry, tier);
  inside_->entries.erase(key);
}

void Store::progress() {
  const std::lock_guard lock(inside_->calls);
  inside_->engine->progress();
}

Nanoseconds Store::now() const {
  return inside_->device->now();
}

StoreStats Store::stats() const {
  const std::lock_guard lock(inside_->calls);
  StoreStats stats;
  for (const Tier tier : kAllTiers)
    if (const auto& arena = inside_->arenas[at(tier)])
      stats.tiers[at(tier)] = {true, arena->limit(), arena->used(), arena->reserved(), arena->peak_used()};
  const auto counts = inside_->engine->counts();
  for (std::size_t link = 0; link < kLinkCount; ++link) {
    const LinkCounts& count = counts[link];
    stats.links[link] = {kLinks[link].first, kLinks[link].second, count.copies, count.failed, count.cancelled,
                         count.bytes,        count.busy,          count.stalls, count.stall};
  }
  stats.direct_io = inside_->device->direct_io();
  stats.disk_note = inside_->device->disk_note();
  return stats;
}

}  // namespace worktop::runtime
