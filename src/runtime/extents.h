// Which bytes of a tier's pool are taken: an allocator of whole blocks of 4096 bytes, so that direct I/O can
// reach each of them.
//
// What is taken may lie in several extents, so there is no fragmentation that makes a request fail: as long
// as enough blocks are free, any size is found. Sizes are not rounded beyond the block. Best fit, the lowest
// offset first; freed neighbours become one. Pure data: it touches no memory and no file.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/units.h"

namespace worktop::runtime {

using base::Bytes;

inline constexpr Bytes kBlock{4096};
[[nodiscard]] constexpr Bytes whole_blocks(Bytes size) {
  return Bytes{(size.count() + kBlock.count() - 1) / kBlock.count() * kBlock.count()};
}

struct Extent {
  Bytes offset{0};
  Bytes size{0};
  [[nodiscard]] Bytes end() const { return offset + size; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

class Extents {
 public:
  [[nodiscard]] Bytes size() const { return size_; }  // of the pool: whole blocks
  [[nodiscard]] Bytes free() const { return free_; }
  [[nodiscard]] Bytes free_at_end() const;

  // More blocks at the end.
  void grow(Bytes size);
  // One extent of whole_blocks(size), if there is a run that long. `size` is positive.
  [[nodiscard]] std::optional<Extent> take_run(Bytes size);
  // As many extents as it takes, the longest runs first. At least whole_blocks(size) are free.
  [[nodiscard]] std::vector<Extent> take_pieces(Bytes size);
  void give_back(const std::vector<Extent>& extents);

 private:
  [[nodiscard]] Extent take_from(std::map<Bytes, Bytes>::iterator run, Bytes size);
  void put(Extent extent);

  Bytes size_{0};
  Bytes free_{0};
  std::map<Bytes, Bytes> runs_;  // free: offset to length; no two touch
};

}  // namespace worktop::runtime
