// The dull twin of the store, for tests: copies at once, on the calling thread, into vectors. What it knows
// of a key is where its bytes are. Written from store.h alone.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "runtime/links.h"
#include "runtime/store.h"

namespace worktop::runtime {

class DullStore {
 public:
  DullStore(Bytes host, Bytes disk) : limits_{Bytes{0}, host, disk} {}

  [[nodiscard]] Status copy_out(Key key, const std::byte* bytes, Bytes size, Tier to) {
    const auto found = values_.find(key);
    if (found != values_.end() && (found->second.size != size || has(key, to))) return usage();
    if (found != values_.end() && has(key, Tier::device) && found->second.device != bytes) return usage();
    if (used(to) + size > limits_[at(to)]) return exhausted();
    Value& value = values_[key];
    value.size = size;
    // What a copy in brings may not have reached the other store's memory yet.
    if (value.device == nullptr) value.on_device.assign(bytes, bytes + size.count());
    value.device = bytes;
    value.below[at(to)] = value.on_device;
    return {};
  }
  [[nodiscard]] Status release(Key key, Tier tier) {
    const bool below = has(key, Tier::disk) || (tier == Tier::device && has(key, Tier::host));
    if (tier == Tier::disk || !has(key, tier) || !below) return usage();
    drop(key, tier);
    return {};
  }
  // Writes nothing to `bytes`, which is the other store's: what should stand there is `on_device`.
  [[nodiscard]] Status copy_in(Key key, const std::byte* bytes, Bytes size, Tier from) {
    if (!has(key, from) || values_[key].size != size || has(key, Tier::device)) return usage();
    values_[key].on_device = *values_[key].below[at(from)];
    values_[key].device = bytes;
    return {};
  }
  // What stands on the device.
  [[nodiscard]] const std::vector<std::byte>& on_device(Key key) { return values_[key].on_device; }
  [[nodiscard]] Status arrive(Key key, Tier tier) const { return has(key, tier) ? Status{} : usage(); }
  [[nodiscard]] Status stage(Key key, Tier from, Tier to) {
    if (!has(key, from) || has(key, to)) return usage();
    if (used(to) + values_[key].size > limits_[at(to)]) return exhausted();
    values_[key].below[at(to)] = values_[key].below[at(from)];
    return {};
  }
  void drop(Key key, Tier tier) {
    if (!has(key, tier)) return;
    if (tier == Tier::device) values_[key].device = nullptr;
    values_[key].below[at(tier)].reset();
    if (!has(key, Tier::host) && !has(key, Tier::disk)) values_.erase(key);
  }
  [[nodiscard]] bool has(Key key, Tier tier) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    return tier == Tier::device ? found->second.device != nullptr : found->second.below[at(tier)].has_value();
  }
  void cancel(Key key) { values_.erase(key); }
  [[nodiscard]] Bytes used(Tier tier) const {
    Bytes sum{0};
    for (const auto& [key, value] : values_)
      if (value.below[at(tier)]) sum += value.size;
    return sum;
  }

 private:
  struct Value {
    Bytes size{0};
    const std::byte* device = nullptr;
    std::vector<std::byte> on_device;
    std::array<std::optional<std::vector<std::byte>>, kTiers> below;
  };
  static Status usage() { return base::fail(base::ErrorCode::usage, "no"); }
  static Status exhausted() { return base::fail(base::ErrorCode::environment, "full"); }

  std::array<Bytes, kTiers> limits_;
  std::map<Key, Value> values_;
};

}  // namespace worktop::runtime
