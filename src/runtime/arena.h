// The bytes of one lower tier under a hard limit: the arena of host staging, and the room in the disk's file.
//
// The limit is on what copies use, to the byte, as a plan counts it; when it would be passed, the error names
// the budget. `reserved` is what has been taken from the machine: whole blocks of 4096 bytes, grown in steps,
// kept for the next copy until the store closes. It stays within the limit, except that each copy's last
// block is a whole one. Copies may lie in several extents (extents.h), so whatever fits by bytes is found
// room for.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "runtime/extents.h"

namespace worktop::runtime {

class Arena {
 public:
  // `step` is by how much it grows at least, where limit and machine allow it.
  Arena(Device& device, Tier tier, base::Limit<Bytes> limit, Bytes step);

  // Room for `size` bytes; none is an empty list. The error: the budget or the machine is exhausted.
  [[nodiscard]] Result<std::vector<Extent>> take(Bytes size);
  // `size` and extents as they were taken.
  void give_back(Bytes size, const std::vector<Extent>& extents);

  [[nodiscard]] const base::Limit<Bytes>& limit() const { return limit_; }
  [[nodiscard]] Bytes used() const { return used_; }
  [[nodiscard]] Bytes reserved() const { return extents_.size(); }
  [[nodiscard]] Bytes peak_used() const { return peak_used_; }

 private:
  [[nodiscard]] Status make_room(Bytes need);
  [[nodiscard]] Status grow(Bytes least);

  Device& device_;
  Tier tier_;
  base::Limit<Bytes> limit_;
  Bytes step_;
  Bytes used_{0};
  Bytes peak_used_{0};
  Extents extents_;
};

}  // namespace worktop::runtime
