// A first store that copies at once, on the calling thread, into memory. The copy engine takes its place.
#include "runtime/store.h"

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/ensure.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

class StoreInside {
 public:
  struct Copy {
    Bytes size{0};
    bool device = false;
    std::array<std::optional<std::vector<char>>, machine::kTierCount> below;
  };
  [[nodiscard]] std::optional<std::vector<char>>* find(Key key, Tier tier) {
    const auto found = copies.find(key);
    return found == copies.end() ? nullptr : &found->second.below[static_cast<std::size_t>(tier)];
  }
  void tidy(Key key) {
    const auto found = copies.find(key);
    if (found != copies.end() && !found->second.below[1] && !found->second.below[2]) copies.erase(found);
  }
  StoreOptions options;
  std::map<Key, Copy> copies;
  StoreStats stats;
};

namespace {
constexpr std::size_t link_index(Tier from, Tier to) {
  const auto upper = std::min(from, to);
  const auto lower = std::max(from, to);
  const std::size_t pair = upper == Tier::host ? 2 : lower == Tier::host ? 0 : 1;
  return 2 * pair + (from == upper ? 0 : 1);
}
std::string name(Key key) {
  return "value " + std::to_string(static_cast<std::uint64_t>(key));
}
}  // namespace

const LinkStats& StoreStats::link(Tier from, Tier to) const {
  return links[link_index(from, to)];
}

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  auto inside = std::make_unique<StoreInside>();
  inside->options = options;
  inside->stats.tiers[1].present = options.host.has_value();
  inside->stats.tiers[2].present = options.disk.has_value();
  return std::unique_ptr<Store>(new Store(std::move(inside)));
}
Store::Store(std::unique_ptr<StoreInside> inside) : inside_(std::move(inside)) {}
Store::~Store() = default;

Status Store::copy_out(Key key, const void* bytes, Bytes size, Tier to) {
  if (to == Tier::device || !inside_->stats.tier(to).present)
    return fail(ErrorCode::environment, std::string("there is no tier ") + name_of(to), name(key));
  if (has(key, to)) return fail(ErrorCode::usage, "it has been copied out already", name(key));
  auto& copy = inside_->copies[key];
  copy.size = size;
  copy.device = true;
  const auto* first = static_cast<const char*>(bytes);
  copy.below[static_cast<std::size_t>(to)] = std::vector<char>(first, first + size.count());
  return {};
}
bool Store::out_done(Key) {
  return true;
}
Status Store::release(Key key, Tier tier) {
  const bool safe =
      tier == Tier::device ? has(key, Tier::host) || has(key, Tier::disk) : has(key, Tier::disk);
  if (!safe) return fail(ErrorCode::usage, "there is no copy below", name(key));
  drop(key, tier);
  return {};
}
Status Store::copy_in(Key key, void* bytes, Bytes size, Tier from) {
  if (!has(key, from)) return fail(ErrorCode::usage, "there is no copy to read", name(key));
  auto& copy = inside_->copies[key];
  if (copy.size != size) return fail(ErrorCode::usage, "the sizes differ", name(key));
  if (copy.device) return fail(ErrorCode::usage, "the device has it", name(key));
  std::memcpy(bytes, (*inside_->find(key, from))->data(), static_cast<std::size_t>(size.count()));
  copy.device = true;
  return {};
}
Status Store::arrive(Key key, Tier tier) {
  if (!has(key, tier)) return fail(ErrorCode::usage, "nothing was to arrive", name(key));
  return {};
}
Status Store::stage_out(Key key) {
  if (!has(key, Tier::host)) return fail(ErrorCode::usage, "there is no copy to read", name(key));
  *inside_->find(key, Tier::disk) = *inside_->find(key, Tier::host);
  return {};
}
Status Store::stage_in(Key key) {
  if (!has(key, Tier::disk)) return fail(ErrorCode::usage, "there is no copy to read", name(key));
  *inside_->find(key, Tier::host) = *inside_->find(key, Tier::disk);
  return {};
}
void Store::drop(Key key, Tier tier) {
  if (!inside_->copies.contains(key)) return;
  if (tier == Tier::device)
    inside_->copies[key].device = false;
  else
    inside_->find(key, tier)->reset();
  inside_->tidy(key);
}
bool Store::has(Key key, Tier tier) const {
  const auto found = inside_->copies.find(key);
  if (found == inside_->copies.end()) return false;
  return tier == Tier::device ? found->second.device
                              : found->second.below[static_cast<std::size_t>(tier)].has_value();
}
void Store::cancel(Key key) {
  inside_->copies.erase(key);
}
StoreStats Store::stats() const {
  return inside_->stats;
}

}  // namespace worktop::runtime
