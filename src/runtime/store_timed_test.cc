// The store on the fake's own clock, by hand: one byte a nanosecond on every link unless a test says
// otherwise. `spend` is the program computing.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "runtime/copy_engine.h"
#include "runtime/fake_device.h"
#include "runtime/store.h"

namespace worktop::runtime {
namespace {

constexpr Key a{1};
constexpr Key b{2};

class Timed : public testing::Test {
 protected:
  void start(FakeOptions fake_options = {}, CopyTuning tuning = {}) {
    tuning.disk_lanes = 1;
    fake.emplace(fake_options);
    const StoreOptions options{.host = HostOptions{Bytes{100'000}}, .disk = DiskOptions{"", Bytes{100'000}}};
    store = *Store::open_on(fake->door(), options, tuning);
  }
  void spend(std::int64_t ns) {
    fake->spend(Nanoseconds{ns}, [&] { store->progress(); });
  }
  [[nodiscard]] std::byte* made(std::int64_t size, int fill) {
    std::byte* const bytes = fake->allocate(Bytes{size});
    std::fill(bytes, bytes + size, static_cast<std::byte>(fill));
    return bytes;
  }
  [[nodiscard]] std::int64_t now() { return fake->now().count(); }
  [[nodiscard]] LinkStats link(Tier from, Tier to) const { return store->stats().link(from, to); }
  void TearDown() override {
    store = nullptr;
    for (const std::string& violation : fake->violations()) ADD_FAILURE() << violation;
  }

  std::optional<FakeDevice> fake;
  std::unique_ptr<Store> store;
};

//   out a   0 ........ 100
//   compute 0 .. 40, release: waits for 60
TEST_F(Timed, ALateCopyOutIsAStall) {
  start();
  ASSERT_TRUE(store->copy_out(a, made(100, 1), Bytes{100}, Tier::host));
  spend(40);
  EXPECT_FALSE(store->out_done(a));
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(now(), 100);
  const LinkStats out = link(Tier::device, Tier::host);
  EXPECT_EQ(out.copies, 1);
  EXPECT_EQ(out.bytes, Bytes{100});
  EXPECT_EQ(out.busy, Nanoseconds{100});
  EXPECT_EQ(out.stalls, 1);
  EXPECT_EQ(out.stall, Nanoseconds{60});
}

// In time: nothing to wait for.
TEST_F(Timed, ACopyInTimeIsNoStall) {
  start();
  ASSERT_TRUE(store->copy_out(a, made(100, 1), Bytes{100}, Tier::host));
  spend(150);
  EXPECT_TRUE(store->out_done(a));
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(now(), 150);
  std::byte* const back = fake->allocate(Bytes{100});
  ASSERT_TRUE(store->copy_in(a, back, Bytes{100}, Tier::host));
  spend(100);
  ASSERT_TRUE(store->arrive(a));
  EXPECT_EQ(now(), 250);
  EXPECT_EQ(back[99], std::byte{1});
  EXPECT_EQ(link(Tier::device, Tier::host).stalls, 0);
  EXPECT_EQ(link(Tier::host, Tier::device).stalls, 0);
}

// First in, first out; the links of both directions overlap.
//   out   a 0 .. 100   b 100 .. 150
//   in                 a 100 .. 200
TEST_F(Timed, QueuesAreFirstInFirstOutAndOverlap) {
  start();
  ASSERT_TRUE(store->copy_out(a, made(100, 1), Bytes{100}, Tier::host));
  ASSERT_TRUE(store->copy_out(b, made(50, 2), Bytes{50}, Tier::host));
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(now(), 100);
  ASSERT_TRUE(store->copy_in(a, fake->allocate(Bytes{100}), Bytes{100}, Tier::host));
  ASSERT_TRUE(store->release(b));
  EXPECT_EQ(now(), 150);
  ASSERT_TRUE(store->arrive(a));
  EXPECT_EQ(now(), 200);
  EXPECT_EQ(link(Tier::device, Tier::host).stall, Nanoseconds{150});
  EXPECT_EQ(link(Tier::host, Tier::device).stall, Nanoseconds{50});
}

// Device to host to disk and back: each stage waits for the one before it, asked for at once.
//   device -> host 0 .. 100, host -> disk 100 .. 200;  disk -> host 200 .. 300, host -> device 300 .. 400
TEST_F(Timed, StagesWaitForEachOther) {
  start();
  std::byte* const bytes = made(100, 3);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{100}, Tier::host));
  ASSERT_TRUE(store->stage_out(a));
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(now(), 100);
  fake->free(bytes);
  ASSERT_TRUE(store->release(a, Tier::host));
  EXPECT_EQ(now(), 200);
  EXPECT_EQ(store->stats().tier(Tier::host).used, Bytes{0});
  EXPECT_EQ(store->stats().tier(Tier::disk).used, Bytes{100});
  std::byte* const back = fake->allocate(Bytes{100});
  ASSERT_TRUE(store->stage_in(a));
  ASSERT_TRUE(store->copy_in(a, back, Bytes{100}, Tier::host));
  ASSERT_TRUE(store->arrive(a));
  EXPECT_EQ(now(), 400);
  EXPECT_EQ(back[50], std::byte{3});
  EXPECT_EQ(link(Tier::disk, Tier::host).stall, Nanoseconds{100});
  EXPECT_EQ(link(Tier::host, Tier::device).stall, Nanoseconds{100});
  EXPECT_FALSE(store->release(a, Tier::disk));  // nothing is below the disk
}

// A copy of 3 chunks has 3 latencies; a link moves one piece at a time.
TEST_F(Timed, PiecesHaveALatencyEach) {
  start({.latency = Nanoseconds{7}}, {.chunk = Bytes{4096}});
  ASSERT_TRUE(store->copy_out(a, made(10'000, 1), Bytes{10'000}, Tier::disk));
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(now(), 10'021);
  EXPECT_EQ(fake->moves(), 3);
}

// A full queue makes the program wait, and that is a stall of the link: a moves, b waits, and so c must wait
// until a has ended and b moves.
TEST_F(Timed, AFullQueueIsAStall) {
  start({}, {.queue_limit = 1});
  ASSERT_TRUE(store->copy_out(a, made(100, 1), Bytes{100}, Tier::host));
  spend(10);
  ASSERT_TRUE(store->copy_out(b, made(100, 1), Bytes{100}, Tier::host));
  EXPECT_EQ(now(), 10);
  ASSERT_TRUE(store->copy_out(Key{3}, made(100, 1), Bytes{100}, Tier::host));
  EXPECT_EQ(now(), 100);
  EXPECT_EQ(link(Tier::device, Tier::host).stall, Nanoseconds{90});
}

// `drop` waits for the copy that still reads the lower bytes, and the next copy may have them.
TEST_F(Timed, DropWaitsForReaders) {
  start();
  std::byte* const bytes = made(100, 5);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{100}, Tier::host));
  ASSERT_TRUE(store->release(a));
  std::byte* const back = fake->allocate(Bytes{100});
  ASSERT_TRUE(store->copy_in(a, back, Bytes{100}, Tier::host));
  spend(30);
  store->drop(a, Tier::host);
  EXPECT_EQ(now(), 200);
  ASSERT_TRUE(store->copy_out(b, made(100, 6), Bytes{100}, Tier::host));  // in the same bytes
  EXPECT_EQ(store->stats().tier(Tier::host).peak_used, Bytes{100});
  EXPECT_EQ(back[99], std::byte{5});
}

// A failed copy out: `release` says so once, and the program's bytes are the only copy.
TEST_F(Timed, AFailedCopyOut) {
  start();
  std::byte* const bytes = made(100, 1);
  fake->fail_next(Tier::device, Tier::disk);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{100}, Tier::disk));
  EXPECT_TRUE(store->has(a, Tier::disk));
  const Status released = store->release(a);
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().what, "the move failed: Input/output error");
  EXPECT_FALSE(store->has(a, Tier::disk));
  EXPECT_EQ(store->stats().tier(Tier::disk).used, Bytes{0});
  EXPECT_EQ(link(Tier::device, Tier::disk).failed, 1);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{100}, Tier::disk));  // and again
  EXPECT_TRUE(store->release(a));
}

// A failed copy in: `arrive` says so, the lower copy stays, and can be read again.
TEST_F(Timed, AFailedCopyIn) {
  start();
  ASSERT_TRUE(store->copy_out(a, made(100, 4), Bytes{100}, Tier::disk));
  ASSERT_TRUE(store->release(a));
  std::byte* const back = fake->allocate(Bytes{100});
  fake->fail_next(Tier::disk, Tier::device);
  ASSERT_TRUE(store->copy_in(a, back, Bytes{100}, Tier::disk));
  EXPECT_FALSE(store->arrive(a));
  fake->free(back);
  std::byte* const again = fake->allocate(Bytes{100});
  ASSERT_TRUE(store->copy_in(a, again, Bytes{100}, Tier::disk));
  ASSERT_TRUE(store->arrive(a));
  EXPECT_EQ(again[0], std::byte{4});
}

// What depends on a failed copy fails with its error.
TEST_F(Timed, AFailureReachesTheNextStage) {
  start();
  fake->fail_next(Tier::disk, Tier::host);
  ASSERT_TRUE(store->copy_out(a, made(100, 4), Bytes{100}, Tier::disk));
  ASSERT_TRUE(store->release(a));
  ASSERT_TRUE(store->stage_in(a));
  ASSERT_TRUE(store->copy_in(a, fake->allocate(Bytes{100}), Bytes{100}, Tier::host));
  const Status arrived = store->arrive(a);
  ASSERT_FALSE(arrived);
  EXPECT_EQ(arrived.error().what, "the move failed: Input/output error");
  EXPECT_FALSE(store->has(a, Tier::host));
  EXPECT_TRUE(store->has(a, Tier::disk));
}

TEST_F(Timed, AnExhaustedBudgetIsNamed) {
  start();
  ASSERT_TRUE(store->copy_out(a, made(90'000, 1), Bytes{90'000}, Tier::host));
  const Status refused = store->copy_out(b, made(20'000, 1), Bytes{20'000}, Tier::host);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().what,
      "the host budget of 100000 bytes is exhausted: 90000 bytes are used, 20000 bytes more are asked for");
  EXPECT_EQ(refused.error().where, "value 2");
  EXPECT_FALSE(store->has(b, Tier::device));  // nothing has begun
}

// The machine itself is full though the budget is not.
TEST_F(Timed, AFullDisk) {
  start({.disk = Bytes{8192}});
  ASSERT_TRUE(store->copy_out(a, made(5000, 1), Bytes{5000}, Tier::disk));
  const Status refused = store->copy_out(b, made(100, 1), Bytes{100}, Tier::disk);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the disk is full");
}

TEST_F(Timed, CancelledCopiesMoveNothingMore) {
  start({}, {.chunk = Bytes{4096}});
  std::byte* const bytes = made(40'960, 1);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{40'960}, Tier::host));
  ASSERT_TRUE(store->copy_out(b, made(100, 1), Bytes{100}, Tier::host));
  spend(5000);  // the second of ten pieces is in flight
  store->cancel(a);
  fake->free(bytes);
  EXPECT_EQ(now(), 8192);
  EXPECT_EQ(fake->moves(), 2);
  EXPECT_FALSE(store->has(a, Tier::device));
  EXPECT_EQ(store->stats().tier(Tier::host).used, Bytes{100});
  ASSERT_TRUE(store->release(b));
  EXPECT_EQ(now(), 8292);
  EXPECT_EQ(fake->moves(), 3);
  EXPECT_EQ(link(Tier::device, Tier::host).cancelled, 1);
  ASSERT_TRUE(store->copy_out(a, made(10, 1), Bytes{10}, Tier::host));  // the key is free again
}

TEST_F(Timed, TheStoreEndsInTheMiddle) {
  start({}, {.chunk = Bytes{4096}});
  std::byte* const bytes = made(40'960, 1);
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{40'960}, Tier::disk));
  spend(5000);
  store = nullptr;
  EXPECT_EQ(fake->moves(), 2);
  EXPECT_EQ(fake->in_flight(), 0U);
  fake->free(bytes);
}

// Moves carry the mark of the compute queue as it stood when the copy was asked for.
TEST_F(Timed, MovesComeAfterTheComputeBeforeThem) {
  start();
  fake->set_mark(Mark{17});
  ASSERT_TRUE(store->copy_out(a, made(100, 1), Bytes{100}, Tier::host));
  fake->set_mark(Mark{18});
  ASSERT_TRUE(store->release(a));
  EXPECT_EQ(fake->last_mark(), Mark{17});
}

TEST_F(Timed, CallsThatMakeNoSense) {
  start();
  std::byte* const bytes = made(100, 1);
  const auto code = [](const Status& status) { return status ? "" : base::name_of(status.error().code); };
  EXPECT_STREQ(code(store->release(a)), "usage");
  EXPECT_STREQ(code(store->arrive(a)), "usage");
  EXPECT_STREQ(code(store->copy_in(a, bytes, Bytes{100}, Tier::host)), "usage");
  EXPECT_STREQ(code(store->stage_out(a)), "usage");
  EXPECT_STREQ(code(store->copy_out(a, bytes, Bytes{100}, Tier::device)), "usage");
  ASSERT_TRUE(store->copy_out(a, bytes, Bytes{100}, Tier::host));
  EXPECT_STREQ(code(store->copy_out(a, bytes, Bytes{100}, Tier::host)), "usage");      // twice
  EXPECT_STREQ(code(store->copy_out(a, bytes, Bytes{99}, Tier::disk)), "usage");       // another size
  EXPECT_STREQ(code(store->copy_out(a, bytes + 1, Bytes{100}, Tier::disk)), "usage");  // elsewhere
  EXPECT_STREQ(code(store->copy_in(a, bytes, Bytes{100}, Tier::host)), "usage");       // it is there
  ASSERT_TRUE(store->release(a));
  EXPECT_STREQ(code(store->copy_in(a, bytes, Bytes{101}, Tier::host)), "usage");
  store->drop(a, Tier::disk);  // nothing there: nothing happens
  EXPECT_TRUE(store->has(a, Tier::host));

  store = *Store::open_on(fake->door(), {}, {});
  EXPECT_STREQ(code(store->copy_out(a, bytes, Bytes{100}, Tier::host)), "environment");
  EXPECT_STREQ(code(store->copy_in(a, bytes, Bytes{100}, Tier::disk)), "environment");
}

}  // namespace
}  // namespace worktop::runtime
