// The life of one value across the tiers, as pure data: where its bytes are, where they are about to be, and
// which events that allows.
//
// On each tier the bytes are absent, arriving (a copy writes them, from one other tier) or present. Seen from
// two tiers alone, upper and lower, that is the cycle
//
//   gone -> resident -> copying out -> both -> away -> copying in -> both ...
//
// Each arrow has one owner and one ordering edge:
//
//   arrow                      event              owner            what it waits for (the ordering edge)
//   gone -> resident           appear             the caller       the bytes were absent
//   resident -> copying out    begin(up, low)     the caller       the upper bytes are or will be complete
//   copying out -> both        ended(low)         the copy engine  the copy has moved its last byte
//   copying out -> resident    failed(low)        the copy engine  no copy reads the lower bytes
//   both -> away               leave(up)          the caller       no copy reads or writes the upper bytes
//   away -> copying in         begin(low, up)     the caller       the lower bytes are or will be complete
//   copying in -> both         ended(up)          the copy engine  the copy has moved its last byte
//   copying in -> away         failed(up)         the copy engine  no copy reads the upper bytes
//   both -> resident           leave(low)         the caller       no copy reads or writes the lower bytes
//
// So bytes that a copy reads or writes cannot leave, and what arrives cannot end before its source is there:
// the two classic bugs are no arrows. The store asks before each step; an event that is not allowed changes
// nothing.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/links.h"

namespace worktop::runtime {

enum class Presence : std::uint8_t { absent, arriving, present };

// What two tiers see.
enum class Hop : std::uint8_t {
  gone,
  resident,
  copying_out,
  both,
  away,
  copying_in,
  elsewhere,  // a third tier is part of it: the lower bytes come from there
};

class Lifecycle {
 public:
  [[nodiscard]] Presence where(Tier tier) const { return at_[at(tier)]; }
  [[nodiscard]] bool absent(Tier tier) const { return where(tier) == Presence::absent; }
  [[nodiscard]] bool arriving(Tier tier) const { return where(tier) == Presence::arriving; }
  [[nodiscard]] bool present(Tier tier) const { return where(tier) == Presence::present; }
  // The tier that the arriving bytes come from; of meaning only while they arrive.
  [[nodiscard]] Tier source(Tier tier) const { return source_[at(tier)]; }
  [[nodiscard]] bool arrives_from(Tier tier, Tier from) const {
    return arriving(tier) && source(tier) == from;
  }
  [[nodiscard]] bool is_read(Tier tier) const;  // by a copy under way
  [[nodiscard]] Hop hop(Tier upper, Tier lower) const;

  // Events. Each says whether it is allowed; if it is not, nothing changes.
  [[nodiscard]] bool appear(Tier tier);          // the program made the bytes
  [[nodiscard]] bool begin(Tier from, Tier to);  // a copy is asked for
  [[nodiscard]] bool ended(Tier to);             // it moved its last byte
  [[nodiscard]] bool failed(Tier to);            // it ended otherwise: error or cancelled
  [[nodiscard]] bool leave(Tier tier);           // the bytes go

  friend bool operator==(const Lifecycle&, const Lifecycle&) = default;

 private:
  std::array<Presence, kTiers> at_{};
  std::array<Tier, kTiers> source_{};  // Tier::device where nothing arrives
};

}  // namespace worktop::runtime
