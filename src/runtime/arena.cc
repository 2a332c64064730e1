#include "runtime/arena.h"

#include <algorithm>
#include <string>

#include "base/ensure.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

namespace {
std::string text(Bytes bytes) {
  return std::to_string(bytes.count()) + " bytes";
}
}  // namespace

Arena::Arena(Device& device, Tier tier, base::Limit<Bytes> limit, Bytes step)
    : device_(device), tier_(tier), limit_(limit), step_(whole_blocks(step)) {}

Result<std::vector<Extent>> Arena::take(Bytes size) {
  if (!base::within(base::saturating_add(used_, size), limit_)) {
    const std::string tier = name_of(tier_);
    return fail(ErrorCode::environment,
                "the " + tier + " budget of " + text(*limit_) + " is exhausted: " + text(used_) +
                    " are used, " + text(size) + " more are asked for",
                {}, "raise the " + tier + " budget, or plan with a smaller one");
  }
  std::vector<Extent> taken;
  if (size > Bytes{0}) {
    auto run = extents_.take_run(size);
    if (!run) {
      WORKTOP_CHECK(make_room(whole_blocks(size)));
      run = extents_.take_run(size);
    }
    taken = run ? std::vector{*run} : extents_.take_pieces(size);
  }
  used_ += size;
  peak_used_ = std::max(peak_used_, used_);
  return taken;
}

// There is no free run of `need` bytes. Growth is better than pieces, pieces better than passing the limit.
Status Arena::make_room(Bytes need) {
  const Bytes whole = extents_.size() + need - extents_.free_at_end();
  if (base::within(whole, limit_)) {
    const Status grown = grow(whole);
    if (grown || extents_.free() < need) return grown;
    return {};
  }
  if (extents_.free() >= need) return {};
  return grow(extents_.size() + need - extents_.free());
}

Status Arena::grow(Bytes least) {
  Bytes size = std::max(least, extents_.size() + step_);
  if (limit_) size = std::max(least, std::min(size, whole_blocks(*limit_)));
  Status grown = device_.grow(tier_, size);
  if (!grown && size > least) grown = device_.grow(tier_, size = least);
  if (grown) extents_.grow(size);
  return grown;
}

void Arena::give_back(Bytes size, const std::vector<Extent>& extents) {
  ensure(used_ >= size);
  used_ -= size;
  extents_.give_back(extents);
}

}  // namespace worktop::runtime
