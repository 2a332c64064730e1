#include "runtime/lifecycle.h"

namespace worktop::runtime {

bool Lifecycle::is_read(Tier tier) const {
  for (const Tier other : kAllTiers)
    if (other != tier && arrives_from(other, tier)) return true;
  return false;
}

Hop Lifecycle::hop(Tier upper, Tier lower) const {
  if (absent(upper) && absent(lower)) return Hop::gone;
  if (present(upper) && absent(lower)) return Hop::resident;
  if (present(upper) && arrives_from(lower, upper)) return Hop::copying_out;
  if (present(upper) && present(lower)) return Hop::both;
  if (absent(upper) && present(lower)) return Hop::away;
  if (arrives_from(upper, lower) && present(lower)) return Hop::copying_in;
  return Hop::elsewhere;
}

bool Lifecycle::appear(Tier tier) {
  if (!absent(tier)) return false;
  at_[at(tier)] = Presence::present;
  return true;
}

bool Lifecycle::begin(Tier from, Tier to) {
  if (from == to || absent(from) || !absent(to)) return false;
  at_[at(to)] = Presence::arriving;
  source_[at(to)] = from;
  return true;
}

bool Lifecycle::ended(Tier to) {
  if (!arriving(to) || !present(source(to))) return false;
  at_[at(to)] = Presence::present;
  source_[at(to)] = Tier::device;
  return true;
}

bool Lifecycle::failed(Tier to) {
  if (!arriving(to) || is_read(to)) return false;
  at_[at(to)] = Presence::absent;
  source_[at(to)] = Tier::device;
  return true;
}

bool Lifecycle::leave(Tier tier) {
  if (!present(tier) || is_read(tier)) return false;
  at_[at(tier)] = Presence::absent;
  return true;
}

}  // namespace worktop::runtime
