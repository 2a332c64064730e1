// How fast is the way to a lower tier and back? A short measurement through the store itself, to fill a
// machine's links.
//
// The tier is warmed up first (memory touched, blocks of the file written), because a training step uses the
// same bytes again and again. Then `bytes` go out, come in, and go both ways at the same time, in values of
// `value` bytes; latency is the median of single blocks. Numbers hold for the moment: other users of the disk
// and of the memory are measured as well. The keys are the highest ones; they are free again afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "machine/machine.h"
#include "runtime/store.h"

namespace worktop::runtime {

using base::BytesPerSecond;

struct MeasureOptions {
  Bytes bytes{128 << 20};       // each way; rounded to an even number of values
  Bytes value{8 << 20};         // of one copy
  std::byte* device = nullptr;  // `bytes` of device memory; none: the process's own is taken
};

struct LinkSpeed {
  Tier lower = Tier::disk;
  BytesPerSecond out;            // alone
  BytesPerSecond in;             // alone
  BytesPerSecond out_both_ways;  // while bytes come in; at most `out`
  BytesPerSecond in_both_ways;   // while bytes go out; at most `in`
  Nanoseconds out_latency{0};    // of one copy
  Nanoseconds in_latency{0};
};

// Between the device and `lower`. The store has room for the bytes there. Takes some 100 ms on a fast disk.
[[nodiscard]] Result<LinkSpeed> measure(Store& store, Tier lower, const MeasureOptions& options = {});

// The same as links of a machine: out, then in. Copies that take longer to begin than to move are not worth
// issuing: `smallest` is latency times bandwidth.
[[nodiscard]] std::array<machine::Link, 2> links_of(const LinkSpeed& speed, const std::string& source);

}  // namespace worktop::runtime
