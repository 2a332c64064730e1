// Random stories of values on the fake device: the store against its dull twin, call by call, with copies
// that are delayed, reordered and failed; and mistakes made on purpose, which must be noticed.
//
// A story is a program with a few values. It keeps to the rules of store.h: it frees or writes a value's
// bytes only after `release`, `drop` or `cancel` said so, reads them only after `arrive`, and tells the fake
// whenever it does. Each version of a value has bytes of its own, so that old ones are told from new ones.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "runtime/copy_engine.h"
#include "runtime/dull_store.h"
#include "runtime/fake_device.h"
#include "runtime/store.h"

namespace worktop::runtime {
namespace {

constexpr Bytes kHostLimit{60'000};
constexpr Bytes kDiskLimit{100'000};
constexpr std::array<std::int64_t, 8> kSizes = {0, 1, 100, 4096, 5000, 8192, 20'000, 33'333};

class Story {
 public:
  Story(std::uint64_t seed, FakeOrder order, std::int32_t fail_percent, SeededBug bug)
      : random_(seed),
        fails_(fail_percent > 0),
        calm_(bug == SeededBug::ignore_order),
        fake_({.order = order,
               .seed = seed + 1,
               .host = Bytes{1 << 18},
               .disk = Bytes{1 << 18},
               .fail_percent = fail_percent}),
        twin_(kHostLimit, kDiskLimit) {
    const StoreOptions options{.host = HostOptions{kHostLimit}, .disk = DiskOptions{"", kDiskLimit}};
    store_ = *Store::open_on(fake_.door(), options,
                             {.chunk = Bytes{8192}, .disk_lanes = 2, .queue_limit = 3, .bug = bug});
  }
  // The first thing that was wrong, or nothing.
  [[nodiscard]] std::string run(int calls, bool to_the_end) {
    for (int i = 0; i < calls && wrong_.empty(); ++i) {
      call(static_cast<std::size_t>(random_.below(kKeys)));
      if (!fake_.violations().empty()) wrong(fake_.violations().front());
    }
    if (to_the_end && !calm_) {
      for (std::size_t k = 0; k < kKeys; ++k) cancel(k);
      for (const Tier tier : {Tier::host, Tier::disk})
        if (store_->stats().tier(tier).used != Bytes{0}) wrong("bytes are left on a tier");
    }
    store_ = nullptr;  // in the middle of everything, if not to the end
    if (fake_.in_flight() > 0) wrong("a move outlived the store");
    for (std::size_t k = 0; k < kKeys; ++k)
      if (values_[k].bytes != nullptr) give_up_bytes(k);
    if (!fake_.violations().empty()) wrong(fake_.violations().front());
    return wrong_;
  }
  [[nodiscard]] std::int64_t moves() const { return fake_.moves(); }

 private:
  static constexpr std::size_t kKeys = 4;
  struct Value {
    std::byte* bytes = nullptr;  // the program's, or the destination of a copy in
    bool complete = false;       // the program may read them
    Bytes size{0};
    std::uint64_t version = 0;
  };
  static Key key(std::size_t k) { return Key{k + 100}; }
  static Tier lower(base::Random& random) { return random.chance(50) ? Tier::host : Tier::disk; }
  void wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  // ---- the program's bytes
  [[nodiscard]] static std::byte byte_of(std::uint64_t version, std::int64_t i) {
    return static_cast<std::byte>((version * 0x9e3779b9U + static_cast<std::uint64_t>(i) * 2654435761U) >>
                                  13);
  }
  void make_bytes(std::size_t k) {
    Value& value = values_[k];
    value.bytes = fake_.allocate(value.size);
    for (std::int64_t i = 0; i < value.size.count(); ++i) value.bytes[i] = byte_of(value.version, i);
    value.complete = true;
  }
  void give_up_bytes(std::size_t k) {
    Value& value = values_[k];
    fake_.touch(value.bytes, FakeDevice::Access::write);
    std::fill(value.bytes, value.bytes + value.size.count(), std::byte{0xee});
    fake_.free(value.bytes);
    value.bytes = nullptr;
    value.complete = false;
  }
  void read_bytes(std::size_t k) {
    const Value& value = values_[k];
    fake_.touch(value.bytes, FakeDevice::Access::read);
    for (std::int64_t i = 0; i < value.size.count(); ++i)
      if (value.bytes[i] != byte_of(value.version, i)) return wrong("a value came back with other bytes");
  }

  // ---- calls, each made to the twin as well
  void call(std::size_t k) {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        return copy_out(k, lower(random_));
      case 3:
      case 4:
        return release(k, Tier::device);
      case 5:
        return copy_in(k, lower(random_));
      case 6:
        return arrive(k);
      case 7:
        return stage(k, Tier::host, Tier::disk);
      case 8:
        return stage(k, Tier::disk, Tier::host);
      case 9:
        return release(k, Tier::host);
      case 10:
        if (calm_) return;
        return random_.chance(30) ? cancel(k) : drop(k);
      default:
        static_cast<void>(store_->out_done(key(k)));
        return store_->progress();
    }
  }
  void copy_out(std::size_t k, Tier to) {
    Value& value = values_[k];
    if (value.bytes == nullptr) {
      if (!known(k)) {
        value.version = ++versions_;
        value.size = Bytes{kSizes[static_cast<std::size_t>(random_.below(kSizes.size()))]};
      }
      make_bytes(k);  // for the first time, or again
    }
    const Status begun = store_->copy_out(key(k), value.bytes, value.size, to);
    same(k, begun, twin_.copy_out(key(k), value.bytes, value.size, to));
    if (!begun) reload_failed(k);
  }
  void release(std::size_t k, Tier tier) {
    const bool had = store_->has(key(k), tier);
    const Status released = store_->release(key(k), tier);
    same(k, released, twin_.release(key(k), tier));
    if (released && tier == Tier::device && had) give_up_bytes(k);
    if (!released && tier == Tier::device) reload_failed(k);
  }
  void copy_in(std::size_t k, Tier from) {
    Value& value = values_[k];
    if (value.bytes != nullptr) return;
    value.bytes = fake_.allocate(value.size);
    value.complete = false;
    const Status begun = store_->copy_in(key(k), value.bytes, value.size, from);
    same(k, begun, twin_.copy_in(key(k), value.bytes, value.size, from));
    if (!begun) give_up_bytes(k);
  }
  void arrive(std::size_t k) {
    Value& value = values_[k];
    const Status arrived = store_->arrive(key(k));
    same(k, arrived, twin_.arrive(key(k), Tier::device));
    if (!arrived) return reload_failed(k);
    if (!fails_ && !value.complete &&
        !std::equal(value.bytes, value.bytes + value.size.count(), twin_.on_device(key(k)).begin()))
      return wrong("the twin brought back other bytes");
    value.complete = true;
    read_bytes(k);
  }
  void stage(std::size_t k, Tier from, Tier to) {
    same(k, to == Tier::disk ? store_->stage_out(key(k)) : store_->stage_in(key(k)),
         twin_.stage(key(k), from, to));
  }
  void drop(std::size_t k) {
    const auto tier = static_cast<Tier>(random_.below(3));
    store_->drop(key(k), tier);
    twin_.drop(key(k), tier);
    same(k, {}, {});
    if (values_[k].bytes != nullptr && (tier == Tier::device || !values_[k].complete) &&
        !store_->has(key(k), Tier::device))
      give_up_bytes(k);
  }
  void cancel(std::size_t k) {
    store_->cancel(key(k));
    twin_.cancel(key(k));
    same(k, {}, {});
    if (values_[k].bytes != nullptr) give_up_bytes(k);
  }
  // Where a reload has failed and been reported, the destination is of no use.
  void reload_failed(std::size_t k) {
    Value& value = values_[k];
    if (value.bytes != nullptr && !value.complete && !store_->has(key(k), Tier::device)) give_up_bytes(k);
  }
  [[nodiscard]] bool known(std::size_t k) {
    return store_->has(key(k), Tier::host) || store_->has(key(k), Tier::disk);
  }
  // With failing copies the twin knows too little to compare with; the bytes are compared all the same.
  void same(std::size_t k, const Status& status, const Status& twin) {
    if (fails_) return;
    if (status.has_value() != twin.has_value())
      return wrong("the twin disagrees: " + (status ? std::string("no error") : status.error().what));
    if (!status && status.error().code != twin.error().code)
      return wrong("the twin's error is of another kind");
    for (const Tier tier : kAllTiers)
      if (store_->has(key(k), tier) != twin_.has(key(k), tier)) return wrong("the twin has it elsewhere");
    for (const Tier tier : {Tier::host, Tier::disk})
      if (store_->stats().tier(tier).used != twin_.used(tier)) return wrong("the twin uses other bytes");
  }

  base::Random random_;
  bool fails_;
  bool calm_;  // nothing is cancelled or dropped: the store would stop the test before the fake sees the
               // mistake
  FakeDevice fake_;
  DullStore twin_;
  std::unique_ptr<Store> store_;
  std::array<Value, kKeys> values_{};
  std::uint64_t versions_ = 0;
  std::string wrong_;
};

std::string story(std::uint64_t seed, int calls, FakeOrder order = FakeOrder::random, int fail_percent = 0,
                  SeededBug bug = SeededBug::none) {
  return Story(seed, order, fail_percent, bug).run(calls, seed % 2 == 0);
}

RC_GTEST_PROP(StoreStory, LikeItsDullTwin, (std::uint64_t seed)) {
  const int calls = *rc::gen::inRange(1, 1000);
  RC_ASSERT(story(seed, calls) == "");
}

RC_GTEST_PROP(StoreStory, FailuresLoseNothing, (std::uint64_t seed)) {
  const int calls = *rc::gen::inRange(1, 1000);
  RC_ASSERT(story(seed, calls, FakeOrder::random, 10) == "");
}

// Real threads; what tsan looks at.
TEST(StoreStory, Threads) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ASSERT_EQ(story(seed, 150, FakeOrder::threads), "") << seed;
    ASSERT_EQ(story(seed, 150, FakeOrder::threads, 10), "") << seed;
  }
}

// Stories do move bytes: else they would prove nothing.
TEST(StoreStory, StoriesMoveBytes) {
  Story story(7, FakeOrder::random, 0, SeededBug::none);
  ASSERT_EQ(story.run(300, true), "");
  EXPECT_GT(story.moves(), 50);
}

// Each mistake is noticed, by many stories.
TEST(StoreStory, SeededBugsAreNoticed) {
  for (const SeededBug bug : {SeededBug::ignore_order, SeededBug::early_end, SeededBug::deaf_to_cancel}) {
    int noticed = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
      noticed += story(seed, 1000, FakeOrder::random, 0, bug).empty() ? 0 : 1;
    RecordProperty("noticed_" + std::to_string(static_cast<int>(bug)), noticed);
    EXPECT_GE(noticed, 10) << static_cast<int>(bug);
  }
}

}  // namespace
}  // namespace worktop::runtime
