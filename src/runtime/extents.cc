#include "runtime/extents.h"

#include <algorithm>
#include <iterator>

#include "base/ensure.h"

namespace worktop::runtime {

Bytes Extents::free_at_end() const {
  if (runs_.empty()) return Bytes{0};
  const auto& [offset, length] = *runs_.rbegin();
  return offset + length == size_ ? length : Bytes{0};
}

void Extents::grow(Bytes size) {
  ensure(size >= size_ && size == whole_blocks(size));
  if (size == size_) return;
  const Extent more{size_, size - size_};
  size_ = size;
  put(more);
}

Extent Extents::take_from(std::map<Bytes, Bytes>::iterator run, Bytes size) {
  const Extent taken{run->first, size};
  const Bytes rest = run->second - size;
  runs_.erase(run);
  if (rest > Bytes{0}) runs_.emplace(taken.end(), rest);
  free_ -= size;
  return taken;
}

std::optional<Extent> Extents::take_run(Bytes size) {
  const Bytes need = whole_blocks(size);
  auto best = runs_.end();
  for (auto run = runs_.begin(); run != runs_.end(); ++run)
    if (run->second >= need && (best == runs_.end() || run->second < best->second)) best = run;
  if (best == runs_.end()) return std::nullopt;
  return take_from(best, need);
}

std::vector<Extent> Extents::take_pieces(Bytes size) {
  Bytes need = whole_blocks(size);
  ensure(need <= free_);
  std::vector<Extent> taken;
  while (need > Bytes{0}) {
    const auto longest = std::max_element(runs_.begin(), runs_.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    taken.push_back(take_from(longest, std::min(need, longest->second)));
    need -= taken.back().size;
  }
  return taken;
}

void Extents::give_back(const std::vector<Extent>& extents) {
  for (const Extent& extent : extents) put(extent);
}

void Extents::put(Extent extent) {
  free_ += extent.size;
  auto next = runs_.lower_bound(extent.offset);
  ensure(next == runs_.end() || extent.end() <= next->first);
  if (next != runs_.end() && next->first == extent.end()) {
    extent.size += next->second;
    next = runs_.erase(next);
  }
  if (next != runs_.begin()) {
    const auto before = std::prev(next);
    ensure(before->first + before->second <= extent.offset);
    if (before->first + before->second == extent.offset) {
      before->second += extent.size;
      return;
    }
  }
  runs_.emplace(extent.offset, extent.size);
}

}  // namespace worktop::runtime
