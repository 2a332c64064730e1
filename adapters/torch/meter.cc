#include "meter.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

namespace worktop::adapter {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 20;      // page-aligned, for direct I/O
constexpr std::int64_t kCacheable = std::int64_t{1} << 16;  // below, malloc re-uses pages by itself
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kCacheLine = 64;  // what torch's kernels expect

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t alignment_of(std::int64_t bytes) {
  return bytes >= kLarge ? kPage : kCacheLine;
}

}  // namespace

// Stands in the last 64 bytes before the data.
struct alignas(64) Meter::Header {
  std::int64_t bytes;     // asked for
  std::int64_t capacity;  // of the data part; at least `bytes`
  AllocationId id;
  std::int64_t alignment;
};

Meter& Meter::instance() {
  static Meter* meter = new Meter;
  return *meter;
}

void Meter::install() {
  if (users_++ > 0) return;
  previous_ = c10::GetCPUAllocator();
  c10::SetCPUAllocator(this, /*priority=*/1);
}

void Meter::uninstall() {
  if (users_ == 0 || --users_ > 0) return;
  c10::SetCPUAllocator(previous_, /*priority=*/1);
  previous_ = nullptr;
  const std::lock_guard lock(mutex_);
  highest_ = live_;
  trim(0);
}

void Meter::set_reuse(bool on) {
  const std::lock_guard lock(mutex_);
  reuse_ = on;
  if (on) return;
  for (auto& [capacity, base] : cache_) std::free(base);
  cache_.clear();
  cached_ = 0;
}

std::int64_t Meter::live_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_;
}
std::int64_t Meter::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}
std::int64_t Meter::cached_bytes() const {
  const std::lock_guard lock(mutex_);
  return cached_;
}
void Meter::reset_peak() {
  const std::lock_guard lock(mutex_);
  peak_ = live_;
}
void Meter::log_to(EventLog* log) {
  const std::lock_guard lock(mutex_);
  log_ = log;
}
void Meter::mark(EventKind kind, std::int32_t index) {
  if (!log_) return;
  const std::lock_guard lock(mutex_);
  if (log_) log_->push_back({kind, index, 0, 0, now_ns()});
}

AllocationId Meter::id_of(const c10::DataPtr& data) {
  if (data.get_deleter() != &Meter::free || !data.get_context()) return 0;
  return (reinterpret_cast<const Header*>(data.get_context()) - 1)->id;
}

// Gives freed pages back to the system until what is to come fits under the most that was ever live.
void Meter::trim(std::int64_t bytes_to_come) {
  while (!cache_.empty() && live_ + cached_ + bytes_to_come > highest_) {
    auto largest = std::prev(cache_.end());
    cached_ -= largest->first;
    std::free(largest->second);
    cache_.erase(largest);
  }
}

void* Meter::take_cached(std::int64_t capacity, std::int64_t* got) {
  const auto found = cache_.lower_bound(capacity);
  if (found == cache_.end() || found->first > capacity + capacity / 8) return nullptr;
  void* base = found->second;
  *got = found->first;
  cached_ -= found->first;
  cache_.erase(found);
  return base;
}

c10::DataPtr Meter::allocate(size_t size) {
  const auto bytes = static_cast<std::int64_t>(size);
  const c10::Device cpu(c10::DeviceType::CPU);
  if (bytes == 0) return {nullptr, nullptr, &Meter::free, cpu};
  const std::int64_t alignment = alignment_of(bytes);
  std::int64_t capacity = (bytes + alignment - 1) / alignment * alignment;
  const std::lock_guard lock(mutex_);
  void* base = bytes >= kCacheable ? take_cached(capacity, &capacity) : nullptr;
  if (!base) {
    highest_ = std::max(highest_, live_ + bytes);
    trim(bytes);
    base = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(capacity + alignment));
    TORCH_CHECK(base, "worktop: the system has no ", bytes, " bytes left for a tensor");
  }
  char* data = static_cast<char*>(base) + alignment;
  new (data - sizeof(Header)) Header{bytes, capacity, next_id_++, alignment};
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  highest_ = std::max(highest_, live_);
  if (log_) log_->push_back({EventKind::allocate, -1, bytes, next_id_ - 1, 0});
  return {data, data, &Meter::free, cpu};
}

void Meter::free(void* data) {
  if (data) instance().give_back(reinterpret_cast<Header*>(data) - 1);
}

void Meter::give_back(Header* header) {
  const Header block = *header;
  void* base = reinterpret_cast<char*>(header + 1) - block.alignment;
  const std::lock_guard lock(mutex_);
  live_ -= block.bytes;
  if (log_) log_->push_back({EventKind::release, -1, block.bytes, block.id, 0});
  // Blocks of one alignment share a capacity's row, so that a base is always where `allocate` expects it.
  const bool keep = reuse_ && previous_ && block.bytes >= kCacheable &&
                    (block.capacity >= kLarge) == (block.alignment == kPage);
  if (!keep) {
    std::free(base);
    return;
  }
  cache_.emplace(block.capacity, base);
  cached_ += block.capacity;
  trim(0);
}

c10::DeleterFnPtr Meter::raw_deleter() const {
  return &Meter::free;
}

void Meter::copy_data(void* to, const void* from, std::size_t bytes) const {
  std::memcpy(to, from, bytes);
}

}  // namespace worktop::adapter
