#include "runtime/fake_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/ensure.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

namespace {

class Door final : public Device {
 public:
  explicit Door(Device& device) : device_(device) {}
  Nanoseconds now() override { return device_.now(); }
  Mark mark() override { return device_.mark(); }
  Status grow(Tier tier, Bytes size) override { return device_.grow(tier, size); }
  Status start(Move& move) override { return device_.start(move); }
  Status finish(Move& move) override { return device_.finish(move); }
  Stepper* stepper() override { return device_.stepper(); }

 private:
  Device& device_;
};

std::size_t length(Bytes size) {
  return static_cast<std::size_t>(size.count());
}

}  // namespace

FakeDevice::FakeDevice(const FakeOptions& options) : options_(options), random_(options.seed) {
  pools_[at(Tier::host)].resize(length(options.host));
  pools_[at(Tier::disk)].resize(length(options.disk));
}

std::unique_ptr<Device> FakeDevice::door() {
  return std::make_unique<Door>(*this);
}

// ---- the program's memory

std::byte* FakeDevice::allocate(Bytes size) {
  const std::lock_guard lock(mutex_);
  // At least one byte, so that every allocation has an address of its own.
  auto bytes = std::make_unique<std::vector<std::byte>>(std::max<std::size_t>(length(size), 1));
  std::byte* const first = bytes->data();
  allocations_[first] = std::move(bytes);
  return first;
}
void FakeDevice::free(std::byte* bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(bytes);
  ensure(found != allocations_.end());
  check_access({Tier::device, bytes, bytes + found->second->size()}, Access::write, "frees");
  // Under a violation a move may still use it: it is kept.
  static std::vector<std::unique_ptr<std::vector<std::byte>>> kept;
  if (!violations_.empty()) kept.push_back(std::move(found->second));
  allocations_.erase(found);
}
void FakeDevice::touch(const std::byte* bytes, Access access) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(bytes);
  ensure(found != allocations_.end());
  check_access({Tier::device, bytes, bytes + found->second->size()}, access,
               access == Access::read ? "reads" : "writes");
}
void FakeDevice::check_access(const Range& range, Access access, const char* what) {
  for (const auto& [ticket, flight] : flights_) {
    if (flight.to.overlaps(range))
      note(std::string("the program ") + what + " bytes that a copy still writes");
    if (access == Access::write && flight.from.overlaps(range))
      note(std::string("the program ") + what + " bytes that a copy still reads");
  }
}

// ---- moves

std::byte* FakeDevice::memory(const Place& place) {
  return place.tier == Tier::device ? place.address : pools_[at(place.tier)].data() + place.offset.count();
}
bool FakeDevice::inside(const Range& range) const {
  if (range.tier != Tier::device) {
    const std::byte* const first = pools_[at(range.tier)].data();
    return range.first >= first && range.last <= first + grown_[at(range.tier)].count();
  }
  auto next = allocations_.upper_bound(range.first);
  if (next == allocations_.begin()) return false;
  const auto& bytes = *std::prev(next)->second;
  return range.last <= bytes.data() + bytes.size();
}
void FakeDevice::check_start(const Flight& flight) {
  if (!inside(flight.from)) note("a copy reads bytes that are not there");
  if (!inside(flight.to)) note("a copy writes bytes that are not there");
  for (const auto& [ticket, other] : flights_) {
    if (flight.from.overlaps(other.to)) note("a copy reads bytes that another still writes");
    if (flight.to.overlaps(other.from)) note("a copy writes bytes that another still reads");
    if (flight.to.overlaps(other.to)) note("two copies write the same bytes");
  }
}

Status FakeDevice::start(Move& move) {
  const std::size_t link = link_index(move.from.tier, move.to.tier);
  std::unique_lock lock(mutex_);
  std::byte* const from = memory(move.from);
  std::byte* const to = memory(move.to);
  Flight flight{.from = {move.from.tier, from, from + move.size.count()},
                .to = {move.to.tier, to, to + move.size.count()},
                .end = clock_ + options_.latency + Nanoseconds{options_.ns_per_byte * move.size.count()},
                .fails = std::exchange(failing_[link], false) || random_.chance(options_.fail_percent)};
  check_start(flight);
  if (!inside(flight.from) || !inside(flight.to)) return fail(ErrorCode::environment, "a move went astray");
  flights_.emplace(move.ticket = ++tickets_, flight);
  last_mark_ = move.after;
  lock.unlock();
  std::memcpy(to, from, length(move.size) / 2);
  return {};
}

Status FakeDevice::finish(Move& move) {
  if (options_.order == FakeOrder::threads) linger(link_index(move.from.tier, move.to.tier));
  std::unique_lock lock(mutex_);
  const Flight flight = flights_.at(move.ticket);
  clock_ = std::max(clock_, flight.end);
  std::byte* const from = memory(move.from);
  std::byte* const to = memory(move.to);
  lock.unlock();
  const std::size_t half = length(move.size) / 2;
  if (flight.fails)
    std::memset(to, 0xdb, length(move.size));
  else
    std::memcpy(to + half, from + half, length(move.size) - half);
  lock.lock();
  flights_.erase(move.ticket);
  if (flight.fails) return fail(ErrorCode::environment, "the move failed: Input/output error");
  return {};
}

void FakeDevice::linger(std::size_t link) {
  std::unique_lock lock(mutex_);
  const std::chrono::microseconds time(random_.between(0, options_.delay_us));
  released_.wait(lock, [&] { return !held_[link]; });
  lock.unlock();
  std::this_thread::sleep_for(time);
}

Status FakeDevice::grow(Tier tier, Bytes size) {
  const std::lock_guard lock(mutex_);
  if (length(size) > pools_[at(tier)].size())
    return fail(ErrorCode::environment, std::string("the ") + name_of(tier) + " is full");
  grown_[at(tier)] = size;
  return {};
}

// ---- the order of events

std::optional<std::size_t> FakeDevice::pick(std::span<const Step> steps, bool waiting) {
  const std::lock_guard lock(mutex_);
  const auto any = [&] {
    return static_cast<std::size_t>(random_.below(static_cast<std::int32_t>(steps.size())));
  };
  if (options_.order == FakeOrder::random) {
    clock_ += Nanoseconds{1};
    if (!waiting && random_.chance(80)) return std::nullopt;
    return any();
  }
  // What can start starts; then the move that ends first, if the program has computed for so long.
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].finish == nullptr) return i;
    if (!first || flights_.at(steps[i].finish->ticket).end < flights_.at(steps[*first].finish->ticket).end)
      first = i;
  }
  if (!waiting && flights_.at(steps[*first].finish->ticket).end > horizon_) return std::nullopt;
  return first;
}

void FakeDevice::spend(Nanoseconds time, const std::function<void()>& progress) {
  horizon_ = clock_ + time;
  progress();
  clock_ = std::max(clock_, horizon_);
}

Nanoseconds FakeDevice::now() {
  if (options_.order == FakeOrder::threads) {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return Nanoseconds{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
  }
  const std::lock_guard lock(mutex_);
  return clock_;
}

void FakeDevice::hold(Tier from, Tier to) {
  const std::lock_guard lock(mutex_);
  held_[link_index(from, to)] = true;
}
void FakeDevice::let_go(Tier from, Tier to) {
  const std::lock_guard lock(mutex_);
  held_[link_index(from, to)] = false;
  released_.notify_all();
}
std::vector<std::string> FakeDevice::violations() const {
  const std::lock_guard lock(mutex_);
  return violations_;
}
std::int64_t FakeDevice::moves() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(tickets_);
}
std::size_t FakeDevice::in_flight() const {
  const std::lock_guard lock(mutex_);
  return flights_.size();
}

}  // namespace worktop::runtime
