// Every event in every state: two tiers against a table written by hand, three tiers against what must always
// hold.
#include "runtime/lifecycle.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace worktop::runtime {
namespace {

struct Event {
  std::string name;
  std::function<bool(Lifecycle&)> apply;
};

// Every event that concerns the given tiers; the program makes bytes on the device only.
std::vector<Event> events_of(const std::vector<Tier>& tiers) {
  std::vector<Event> events = {{"appear", [](Lifecycle& life) { return life.appear(Tier::device); }}};
  for (const Tier tier : tiers) {
    const std::string name = name_of(tier);
    events.push_back({"ended " + name, [tier](Lifecycle& life) { return life.ended(tier); }});
    events.push_back({"failed " + name, [tier](Lifecycle& life) { return life.failed(tier); }});
    events.push_back({"leave " + name, [tier](Lifecycle& life) { return life.leave(tier); }});
    for (const Tier to : tiers)
      if (to != tier)
        events.push_back({"begin " + name + " " + name_of(to),
                          [tier, to](Lifecycle& life) { return life.begin(tier, to); }});
  }
  return events;
}

bool contains(const std::vector<Lifecycle>& states, const Lifecycle& life) {
  for (const Lifecycle& state : states)
    if (state == life) return true;
  return false;
}

std::vector<Lifecycle> reachable(const std::vector<Event>& events) {
  std::vector<Lifecycle> states = {Lifecycle()};
  for (std::size_t i = 0; i < states.size(); ++i)
    for (const Event& event : events) {
      Lifecycle next = states[i];
      if (event.apply(next) && !contains(states, next)) states.push_back(next);
    }
  return states;
}

// Every arrow of the cycle; what is not in the table is not allowed.
const std::map<std::pair<Hop, std::string>, Hop> kArrows = {
    {{Hop::gone, "appear"}, Hop::resident},
    {{Hop::resident, "begin device host"}, Hop::copying_out},
    {{Hop::resident, "leave device"}, Hop::gone},
    {{Hop::copying_out, "ended host"}, Hop::both},
    {{Hop::copying_out, "failed host"}, Hop::resident},
    {{Hop::both, "leave device"}, Hop::away},
    {{Hop::both, "leave host"}, Hop::resident},
    {{Hop::away, "appear"}, Hop::both},  // recomputed though a copy is left
    {{Hop::away, "begin host device"}, Hop::copying_in},
    {{Hop::away, "leave host"}, Hop::gone},
    {{Hop::copying_in, "ended device"}, Hop::both},
    {{Hop::copying_in, "failed device"}, Hop::away},
};

TEST(Lifecycle, TwoTiersEveryEventInEveryState) {
  const auto events = events_of({Tier::device, Tier::host});
  const auto states = reachable(events);
  EXPECT_EQ(states.size(), 6U);  // the cycle and nothing else
  std::size_t arrows = 0;
  for (const Lifecycle& state : states)
    for (const Event& event : events) {
      const Hop before = state.hop(Tier::device, Tier::host);
      EXPECT_NE(before, Hop::elsewhere);
      Lifecycle after = state;
      const bool allowed = event.apply(after);
      const auto arrow = kArrows.find({before, event.name});
      ASSERT_EQ(allowed, arrow != kArrows.end()) << static_cast<int>(before) << " " << event.name;
      if (!allowed) {
        EXPECT_EQ(after, state) << event.name;
        continue;
      }
      EXPECT_EQ(after.hop(Tier::device, Tier::host), arrow->second) << event.name;
      ++arrows;
    }
  EXPECT_EQ(arrows, kArrows.size());
}

// What arrives has a source that is there or arrives itself, and no ring of copies waits for itself.
void expect_sound(const Lifecycle& life) {
  for (const Tier tier : kAllTiers) {
    Tier origin = tier;
    int hops = 0;
    while (life.arriving(origin) && hops < 4) origin = life.source(origin), ++hops;
    EXPECT_LT(hops, 3);
    EXPECT_TRUE(tier == origin || life.present(origin));
  }
}

TEST(Lifecycle, ThreeTiersEveryEventInEveryState) {
  const auto events = events_of({Tier::device, Tier::host, Tier::disk});
  for (const Lifecycle& state : reachable(events)) {
    expect_sound(state);
    for (const Event& event : events) {
      Lifecycle after = state;
      if (!event.apply(after)) {
        EXPECT_EQ(after, state) << event.name;
        continue;
      }
      EXPECT_FALSE(after == state) << event.name;
      for (const Tier tier : kAllTiers) {
        // Nothing becomes present but what the program made or a copy brought whole.
        const bool made = event.name == "appear" || event.name == std::string("ended ") + name_of(tier);
        EXPECT_TRUE(state.present(tier) || !after.present(tier) || made) << event.name;
        // Bytes that are read do not go, nor do bytes that are written while the copy runs.
        EXPECT_FALSE(state.present(tier) && !after.present(tier) && state.is_read(tier)) << event.name;
        const bool failed = event.name == std::string("failed ") + name_of(tier);
        EXPECT_FALSE(state.arriving(tier) && after.absent(tier) && !failed) << event.name;
      }
    }
  }
}

// From every state there is a way to the end: copies end or fail, and everything can leave.
TEST(Lifecycle, EveryLifeCanEnd) {
  for (Lifecycle life : reachable(events_of({Tier::device, Tier::host, Tier::disk}))) {
    for (int round = 0; round < 3; ++round)
      for (const Tier tier : kAllTiers) static_cast<void>(life.failed(tier) || life.leave(tier));
    EXPECT_EQ(life, Lifecycle());
  }
}

// device <- host <- disk: neither arrives before its source has.
TEST(Lifecycle, StagedReloadArrivesInOrder) {
  Lifecycle life;
  ASSERT_TRUE(life.appear(Tier::device) && life.begin(Tier::device, Tier::disk) && life.ended(Tier::disk) &&
              life.leave(Tier::device));
  ASSERT_TRUE(life.begin(Tier::disk, Tier::host));
  ASSERT_TRUE(life.begin(Tier::host, Tier::device));
  EXPECT_EQ(life.hop(Tier::device, Tier::host), Hop::elsewhere);
  EXPECT_FALSE(life.ended(Tier::device));
  EXPECT_FALSE(life.leave(Tier::disk));
  EXPECT_FALSE(life.failed(Tier::host));
  EXPECT_TRUE(life.ended(Tier::host));
  EXPECT_EQ(life.hop(Tier::device, Tier::host), Hop::copying_in);
  EXPECT_TRUE(life.ended(Tier::device));
}

}  // namespace
}  // namespace worktop::runtime
