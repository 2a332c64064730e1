#include "runtime/measure.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/ensure.h"
#include "runtime/extents.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

namespace {

constexpr int kLatencies = 15;

class Run {
 public:
  Run(Store& store, Tier lower, Bytes value, std::int32_t count, std::byte* device)
      : store_(store), lower_(lower), value_(value), count_(count), device_(device) {}

  [[nodiscard]] Result<LinkSpeed> measure() {
    LinkSpeed speed{.lower = lower_};
    WORKTOP_CHECK(out(0, count_));  // warms up
    for (std::int32_t i = 0; i < count_; ++i) store_.drop(key(i), lower_);
    WORKTOP_TRY(const Nanoseconds out_time, timed([&] { return out(0, count_); }));
    WORKTOP_TRY(const Nanoseconds in_time, timed([&] { return in(0, count_); }));
    speed.out = rate(value_ * count_, out_time);
    speed.in = rate(value_ * count_, in_time);
    WORKTOP_CHECK(both_ways(speed));
    WORKTOP_CHECK(latencies(speed));
    return speed;
  }
  void forget() {
    for (std::int32_t i = 0; i < count_; ++i) store_.cancel(key(i));
  }

 private:
  static Key key(std::int32_t i) { return Key{~std::uint64_t{0} - static_cast<std::uint64_t>(i)}; }
  static BytesPerSecond rate(Bytes bytes, Nanoseconds time) {
    return {bytes.as_double() * 1e9 / std::max(time, Nanoseconds{1}).as_double()};
  }
  [[nodiscard]] std::byte* bytes_of(std::int32_t i) const { return device_ + (value_ * i).count(); }

  template <class Work>
  [[nodiscard]] Result<Nanoseconds> timed(Work work) {
    const Nanoseconds begin = store_.now();
    WORKTOP_CHECK(work());
    return store_.now() - begin;
  }
  [[nodiscard]] Status begin_out(std::int32_t i) {
    return store_.copy_out(key(i), bytes_of(i), value_, lower_);
  }
  [[nodiscard]] Status begin_in(std::int32_t i) {
    return store_.copy_in(key(i), bytes_of(i), value_, lower_);
  }
  [[nodiscard]] Status out(std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first; i < last; ++i) WORKTOP_CHECK(begin_out(i));
    for (std::int32_t i = first; i < last; ++i) WORKTOP_CHECK(store_.release(key(i)));
    return {};
  }
  [[nodiscard]] Status in(std::int32_t first, std::int32_t last) {
    for (std::int32_t i = first; i < last; ++i) WORKTOP_CHECK(begin_in(i));
    for (std::int32_t i = first; i < last; ++i) WORKTOP_CHECK(store_.arrive(key(i)));
    return {};
  }

  // One half goes out while the other half, which is below, comes in. The links' busy times say how long each
  // direction took; the slower one moved its rest alone.
  [[nodiscard]] Status both_ways(LinkSpeed& speed) {
    const std::int32_t half = count_ / 2;
    for (std::int32_t i = half; i < count_; ++i) WORKTOP_CHECK(store_.release(key(i)));
    for (std::int32_t i = 0; i < half; ++i) store_.drop(key(i), lower_);
    const StoreStats before = store_.stats();
    for (std::int32_t i = 0; i < half; ++i) {
      WORKTOP_CHECK(begin_out(i));
      WORKTOP_CHECK(begin_in(half + i));
    }
    for (std::int32_t i = 0; i < half; ++i) {
      WORKTOP_CHECK(store_.release(key(i)));
      WORKTOP_CHECK(store_.arrive(key(half + i)));
    }
    const StoreStats after = store_.stats();
    const auto busy = [&](Tier from, Tier to) {
      return std::max(after.link(from, to).busy - before.link(from, to).busy, Nanoseconds{1});
    };
    const Nanoseconds out_time = busy(Tier::device, lower_);
    const Nanoseconds in_time = busy(lower_, Tier::device);
    const Nanoseconds together = std::min(out_time, in_time);
    const double bytes = (value_ * half).as_double();
    const auto share = [&](Nanoseconds time, BytesPerSecond alone) {
      const double rest = alone.per_second * (time - together).as_double() / 1e9;
      // Noise may leave nothing: at least a tenth of what it does alone.
      const double moved = std::max(bytes - rest, bytes / 10) * 1e9 / together.as_double();
      return BytesPerSecond{std::clamp(moved, alone.per_second / 10, alone.per_second)};
    };
    speed.out_both_ways = share(out_time, speed.out);
    speed.in_both_ways = share(in_time, speed.in);
    return {};
  }

  // One block at a time, first to last byte asked for and waited for, less what its bytes take.
  [[nodiscard]] Status latencies(LinkSpeed& speed) {
    forget();
    std::vector<Nanoseconds> outs;
    std::vector<Nanoseconds> ins;
    for (int i = 0; i < kLatencies; ++i) {
      const Nanoseconds begin = store_.now();
      WORKTOP_CHECK(store_.copy_out(key(0), device_, kBlock, lower_));
      WORKTOP_CHECK(store_.release(key(0)));
      const Nanoseconds between = store_.now();
      WORKTOP_CHECK(store_.copy_in(key(0), device_, kBlock, lower_));
      WORKTOP_CHECK(store_.arrive(key(0)));
      const Nanoseconds end = store_.now();
      store_.drop(key(0), lower_);
      outs.push_back(between - begin);
      ins.push_back(end - between);
    }
    const auto median = [](std::vector<Nanoseconds>& times, BytesPerSecond bandwidth) {
      std::sort(times.begin(), times.end());
      return std::max(times[times.size() / 2] - bandwidth.time_for(kBlock), Nanoseconds{0});
    };
    speed.out_latency = median(outs, speed.out);
    speed.in_latency = median(ins, speed.in);
    return {};
  }

  Store& store_;
  Tier lower_;
  Bytes value_;
  std::int32_t count_;
  std::byte* device_;
};

}  // namespace

Result<LinkSpeed> measure(Store& store, Tier lower, const MeasureOptions& options) {
  ensure(lower != Tier::device && options.value >= kBlock && options.bytes >= options.value * 2);
  const auto pairs = static_cast<std::int32_t>(options.bytes.count() / options.value.count() / 2);
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> own;
  std::byte* device = options.device;
  if (device == nullptr) {
    const auto size = static_cast<std::size_t>(whole_blocks(options.value * pairs * 2).count());
    own.reset(static_cast<std::byte*>(std::aligned_alloc(static_cast<std::size_t>(kBlock.count()), size)));
    if (own == nullptr)
      return fail(ErrorCode::environment, "there is no memory to measure with", {},
                  "measure with fewer bytes");
    device = own.get();
    // Neither zeros nor alike blocks: disks that compress would look faster than they are.
    std::uint64_t noise = 0x9e3779b97f4a7c15ULL;
    for (std::size_t i = 0; i + sizeof noise <= size; i += sizeof noise) {
      noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
      std::memcpy(device + i, &noise, sizeof noise);
    }
  }
  Run run(store, lower, options.value, pairs * 2, device);
  Result<LinkSpeed> speed = run.measure();
  run.forget();
  return speed;
}

std::array<machine::Link, 2> links_of(const LinkSpeed& speed, const std::string& source) {
  const auto smallest = [](Nanoseconds latency, BytesPerSecond bandwidth) {
    return Bytes{static_cast<std::int64_t>(latency.as_double() * bandwidth.per_second / 1e9)};
  };
  std::array<machine::Link, 2> links;
  links[0] = {.from = Tier::device,
              .to = speed.lower,
              .bandwidth = speed.out,
              .both_ways = speed.out_both_ways,
              .latency = speed.out_latency,
              .smallest = smallest(speed.out_latency, speed.out),
              .source = source};
  links[1] = {.from = speed.lower,
              .to = Tier::device,
              .bandwidth = speed.in,
              .both_ways = speed.in_both_ways,
              .latency = speed.in_latency,
              .smallest = smallest(speed.in_latency, speed.in),
              .source = source};
  return links;
}

}  // namespace worktop::runtime
