#include "machine/machine.h"

#include <algorithm>
#include <array>

namespace worktop::machine {

FlopsPerSecond Machine::matmul_rate(base::Dtype dtype) const {
  using enum base::Dtype;
  constexpr std::array kWider{bf16, fp16, tf32, fp32};
  const auto rate_of = [&](base::Dtype wanted) {
    return std::ranges::find(matmul, wanted, &MatmulRate::dtype);
  };
  auto found = rate_of(dtype);
  // Types that are not in the row are narrower than all of it, but for those that have no matrix units at
  // all.
  auto next = std::ranges::find(kWider, dtype);
  if (next == kWider.end()) next = dtype == fp8 || dtype == int8 ? kWider.begin() : kWider.end() - 1;
  for (; found == matmul.end() && next != kWider.end(); ++next) found = rate_of(*next);
  if (found == matmul.end()) return vector_rate;
  return {found->peak.per_second * found->efficiency};
}

LinkId Machine::link(Tier from, Tier to) const {
  for (LinkId id : base::ids<LinkId>(links.size()))
    if (links[id].from == from && links[id].to == to) return id;
  return LinkId::none();
}

LinkId Machine::opposite(LinkId link) const {
  return this->link(links[link].to, links[link].from);
}

}  // namespace worktop::machine
