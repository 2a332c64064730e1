// What a step runs on: tiers of memory, links between them, and rates of compute. A machine is data: it knows
// nothing of drivers or models. Files: data/machines/*.json, read by format/machine_json.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/ids.h"
#include "base/units.h"

namespace worktop::machine {

using base::Bytes;
using base::BytesPerSecond;
using base::FlopsPerSecond;
using base::Nanoseconds;

struct LinkTag {};
using LinkId = base::Id<LinkTag>;

// Memory of one kind. Device is the fastest; a copy to a larger number is a copy out, to a smaller one a copy
// in.
enum class Tier : std::uint8_t { device = 0, host = 1, disk = 2 };
inline constexpr std::int32_t kTierCount = 3;
[[nodiscard]] constexpr const char* name_of(Tier tier) {
  return tier == Tier::device ? "device" : tier == Tier::host ? "host" : "disk";
}

// A link joins two tiers in one direction; copies on it run one after the other (first in, first out).
struct Link {
  Tier from = Tier::device;
  Tier to = Tier::host;
  BytesPerSecond bandwidth;  // alone
  BytesPerSecond both_ways;  // while the opposite link is busy too; at most `bandwidth`
  Nanoseconds latency{0};    // of each copy
  Bytes smallest{0};         // copies below this size are not worth issuing
  std::string source;        // where the numbers come from
  [[nodiscard]] bool outward() const { return static_cast<int>(to) > static_cast<int>(from); }
};

// Matrix rates by dtype: dense peak and the share of it that was measured on large products.
struct MatmulRate {
  base::Dtype dtype = base::Dtype::fp32;
  FlopsPerSecond peak;
  double efficiency = 1.0;  // 0 < efficiency <= 1
  bool measured = false;    // false: the efficiency is borrowed, see `source`
  std::string source;
};

struct Machine {
  std::string name;   // slug: "rtx-4090-24gb"
  std::string title;  // as printed by its maker
  std::string vendor;
  std::string kind;    // "gpu", "tpu", "cpu"
  Bytes usable_bytes;  // of the device tier: what a process can allocate, with its source
  std::string usable_source;
  Bytes context_bytes;  // taken by the driver's context and library kernels
  double margin = 0.0;  // share of usable_bytes left free by default: fragmentation, library workspaces
  BytesPerSecond memory_bandwidth;    // device memory, as specified
  double memory_efficiency = 1.0;     // share of it that streaming kernels reach
  FlopsPerSecond vector_rate;         // elementwise and reductions in fp32
  double attention_efficiency = 1.0;  // fused attention, as a share of the achieved matmul rate
  Nanoseconds launch{0};              // the least an op takes
  double compute_slowdown = 0.0;      // share by which compute slows down while any link is busy
  std::vector<MatmulRate> matmul;
  base::IdVector<LinkId, Link> links;
  std::string source;
  std::string notes;

  // Budgets that were given for the lower tiers; a tier without one is absent.
  std::optional<Bytes> host_bytes;
  std::optional<Bytes> disk_bytes;

  // The budget when none is asked for: usable less context less margin.
  [[nodiscard]] Bytes margin_bytes() const {
    return Bytes{static_cast<std::int64_t>(usable_bytes.as_double() * margin)};
  }
  [[nodiscard]] Bytes default_budget() const { return usable_bytes - context_bytes - margin_bytes(); }
  // The achieved rate of `dtype`, peak times efficiency; where the machine has none, that of the next wider
  // one it has (fp8, int8 -> bf16 -> fp16 -> tf32 -> fp32), else `vector_rate`.
  [[nodiscard]] FlopsPerSecond matmul_rate(base::Dtype dtype) const;
  [[nodiscard]] bool has_tier(Tier tier) const {
    return tier == Tier::device || (tier == Tier::host ? host_bytes.has_value() : disk_bytes.has_value());
  }
  // The link from one tier to another, or none.
  [[nodiscard]] LinkId link(Tier from, Tier to) const;
  // The link in the other direction between the same tiers, or none.
  [[nodiscard]] LinkId opposite(LinkId link) const;
};

}  // namespace worktop::machine
