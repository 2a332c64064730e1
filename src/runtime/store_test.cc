// The store on this machine: real threads, real files, a real kill. Orders of events are tested on the fake
// (store_timed_test, store_random_test); here it is held on purpose.
#include "runtime/store.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/copy_engine.h"
#include "runtime/fake_device.h"
#include "runtime/testing.h"

namespace worktop::runtime {
namespace {

Key key(int i) {
  return Key{static_cast<std::uint64_t>(i)};
}

std::vector<std::byte> made(std::size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + static_cast<std::size_t>(seed) * 17) >> 3);
  return bytes;
}

// Values of 5 MB and a bit: two pieces each, the last block not full, the addresses not aligned.
TEST(Store, ThereAndBackOnEachTier) {
  const EmptyDirectory directory;
  const StoreOptions options{.host = HostOptions{Bytes{200 << 20}},
                             .disk = DiskOptions{directory.path(), Bytes{400 << 20}}};
  const auto store = *Store::open(options);
  constexpr std::size_t size = 5'000'123;
  const Bytes bytes{size};
  for (const bool staged : {false, true})
    for (const Tier tier : {Tier::host, Tier::disk}) {
      if (staged && tier == Tier::host) continue;
      const Tier first = staged ? Tier::host : tier;
      std::vector<std::vector<std::byte>> values;
      for (int i = 0; i < 6; ++i) {
        values.push_back(made(size, i));
        ASSERT_TRUE(store->copy_out(key(i), values.back().data(), bytes, first));
        ASSERT_TRUE(!staged || store->stage_out(key(i)));
      }
      for (int i = 0; i < 6; ++i) {
        ASSERT_TRUE(store->release(key(i)));
        values[static_cast<std::size_t>(i)] = std::vector<std::byte>(size);
        ASSERT_TRUE(!staged || store->release(key(i), Tier::host));
      }
      EXPECT_EQ(store->stats().tier(tier).used, bytes * 6);
      for (int i = 5; i >= 0; --i) {
        ASSERT_TRUE(!staged || store->stage_in(key(i)));
        ASSERT_TRUE(store->copy_in(key(i), values[static_cast<std::size_t>(i)].data(), bytes, first));
      }
      for (int i = 5; i >= 0; --i) {
        ASSERT_TRUE(store->arrive(key(i)));
        EXPECT_EQ(values[static_cast<std::size_t>(i)], made(size, i));
        store->drop(key(i), Tier::host);
        store->drop(key(i), Tier::disk);
        EXPECT_FALSE(store->has(key(i), Tier::device));
      }
    }
  const StoreStats stats = store->stats();
  EXPECT_EQ(stats.tier(Tier::host).used, Bytes{0});
  EXPECT_EQ(stats.tier(Tier::disk).used, Bytes{0});
  EXPECT_EQ(stats.link(Tier::device, Tier::disk).bytes, bytes * 6);
  EXPECT_EQ(stats.link(Tier::host, Tier::disk).copies, 6);
  EXPECT_GT(stats.link(Tier::disk, Tier::device).busy, Nanoseconds{0});
  EXPECT_EQ(stats.direct_io, stats.disk_note.empty());
  EXPECT_TRUE(directory.empty());
}

TEST(Store, BudgetsThatTheMachineDoesNotHave) {
  const EmptyDirectory directory;
  const Bytes much{std::int64_t{1} << 52};
  const auto host = Store::open({.host = HostOptions{much}});
  ASSERT_FALSE(host);
  EXPECT_TRUE(host.error().what.starts_with("the host budget of 4503599627370496 bytes is more than"));
  const auto disk = Store::open({.disk = DiskOptions{directory.path(), much}});
  ASSERT_FALSE(disk);
  EXPECT_TRUE(disk.error().what.starts_with("the disk budget of 4503599627370496 bytes is more than"));
  EXPECT_EQ(disk.error().where, directory.path());
  EXPECT_TRUE(Store::open({.host = HostOptions{}, .disk = DiskOptions{directory.path(), {}}}));
}

// In the middle of many copies, over and over.
TEST(Store, CanEndAtAnyMoment) {
  const EmptyDirectory directory;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::byte> bytes(8 << 20, static_cast<std::byte>(round));
    const StoreOptions options{.host = HostOptions{}, .disk = DiskOptions{directory.path(), {}}};
    auto store = *Store::open(options);
    for (int i = 0; i < 12; ++i)
      ASSERT_TRUE(
          store->copy_out(key(i), bytes.data(), Bytes{8 << 20}, i % 2 == 0 ? Tier::disk : Tier::host));
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    store = nullptr;
    std::fill(bytes.begin(), bytes.end(), std::byte{0});
    EXPECT_TRUE(directory.empty());
  }
}

// ---- held by the fake: real threads that really wait

struct Held {
  FakeDevice fake{{.order = FakeOrder::threads}};
  std::unique_ptr<Store> store = *Store::open_on(fake.door(), {.host = HostOptions{Bytes{1 << 20}}}, {});
  std::byte* bytes = fake.allocate(Bytes{1000});
  std::atomic<bool> let_go = false;
  std::thread later(Tier from, Tier to) {
    return std::thread([this, from, to] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      let_go = true;
      fake.let_go(from, to);
    });
  }
};

TEST(StoreThreads, ReleaseWaitsForTheCopyOut) {
  Held held;
  held.fake.hold(Tier::device, Tier::host);
  ASSERT_TRUE(held.store->copy_out(key(1), held.bytes, Bytes{1000}, Tier::host));
  EXPECT_FALSE(held.store->out_done(key(1)));
  std::thread other = held.later(Tier::device, Tier::host);
  ASSERT_TRUE(held.store->release(key(1)));
  EXPECT_TRUE(held.let_go);
  other.join();
  held.fake.free(held.bytes);
  EXPECT_GT(held.store->stats().link(Tier::device, Tier::host).stall, Nanoseconds{10'000'000});
  EXPECT_EQ(held.fake.violations(), std::vector<std::string>());
}

TEST(StoreThreads, ArriveWaitsForTheReload) {
  Held held;
  std::fill(held.bytes, held.bytes + 1000, std::byte{9});
  ASSERT_TRUE(held.store->copy_out(key(1), held.bytes, Bytes{1000}, Tier::host));
  ASSERT_TRUE(held.store->release(key(1)));
  held.fake.hold(Tier::host, Tier::device);
  std::byte* const back = held.fake.allocate(Bytes{1000});
  ASSERT_TRUE(held.store->copy_in(key(1), back, Bytes{1000}, Tier::host));
  std::thread other = held.later(Tier::host, Tier::device);
  ASSERT_TRUE(held.store->arrive(key(1)));
  EXPECT_TRUE(held.let_go);
  other.join();
  held.fake.touch(back, FakeDevice::Access::read);
  EXPECT_EQ(back[999], std::byte{9});
  EXPECT_EQ(held.fake.violations(), std::vector<std::string>());
}

TEST(StoreThreads, TheEndWaitsForWhatIsInFlight) {
  Held held;
  held.fake.hold(Tier::device, Tier::host);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(held.store->copy_out(key(i), held.bytes, Bytes{1000}, Tier::host));
  while (held.fake.in_flight() == 0) std::this_thread::yield();
  std::thread other = held.later(Tier::device, Tier::host);
  held.store = nullptr;
  EXPECT_TRUE(held.let_go);
  other.join();
  EXPECT_EQ(held.fake.moves(), 1);  // the others were withdrawn
  held.fake.free(held.bytes);
  EXPECT_EQ(held.fake.violations(), std::vector<std::string>());
}

// ---- a disk that is really full

// Mounts that nobody else sees: as root at once, else as the root of a namespace of users.
bool own_mounts() {
  if (::unshare(CLONE_NEWNS) == 0) return true;
  const std::string uid = "0 " + std::to_string(::getuid()) + " 1";
  const std::string gid = "0 " + std::to_string(::getgid()) + " 1";
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return static_cast<bool>(std::ofstream("/proc/self/setgroups") << "deny" << std::flush) &&
         static_cast<bool>(std::ofstream("/proc/self/uid_map") << uid << std::flush) &&
         static_cast<bool>(std::ofstream("/proc/self/gid_map") << gid << std::flush);
}

// 0: as it should be; 77: this machine lets nobody mount. Runs in a process of its own.
int fill_a_small_disk(const std::string& directory) {
  if (!own_mounts() || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
  if (::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=64m") != 0) return 77;
  const auto store = Store::open({.disk = DiskOptions{directory, {}}});
  if (!store) return 1;
  constexpr Bytes size{10 << 20};
  const std::vector<std::byte> bytes = made(10 << 20, 1);
  for (int i = 0; i < 6; ++i)
    if (!(*store)->copy_out(key(i), bytes.data(), size, Tier::disk)) return 2;
  const Status refused = (*store)->copy_out(key(6), bytes.data(), size, Tier::disk);
  if (refused || !refused.error().what.starts_with("the disk is full: ")) return 3;
  // What is there can be read, and room can be made.
  std::vector<std::byte> back(bytes.size());
  if (!(*store)->release(key(5)) || !(*store)->copy_in(key(5), back.data(), size, Tier::disk)) return 4;
  if (!(*store)->arrive(key(5)) || back != bytes) return 5;
  (*store)->cancel(key(0));
  return (*store)->copy_out(key(6), bytes.data(), size, Tier::disk) && (*store)->release(key(6)) ? 0 : 6;
}

TEST(Store, AFullDisk) {
  const EmptyDirectory directory;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(fill_a_small_disk(directory.path()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "nobody may mount here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// ---- killed in the middle

std::int64_t free_bytes(const std::string& directory) {
  struct statvfs status{};
  if (::statvfs(directory.c_str(), &status) != 0) return -1;
  return static_cast<std::int64_t>(status.f_frsize) * static_cast<std::int64_t>(status.f_bfree);
}

// Never returns: fills the disk tier over and over, and says so when the first copies are under way.
[[noreturn]] void copy_for_ever(const std::string& directory, int said) {
  const auto store = Store::open({.disk = DiskOptions{directory, {}}});
  const std::vector<std::byte> bytes(16 << 20, std::byte{1});
  for (int round = 0; store.has_value(); ++round) {
    for (int i = 0; i < 40; ++i)
      if (!(*store)->copy_out(key(i), bytes.data(), Bytes{16 << 20}, Tier::disk)) ::_exit(2);
    if (round == 0 && ::write(said, "x", 1) != 1) break;
    for (int i = 0; i < 40; ++i) (*store)->cancel(key(i));
  }
  ::_exit(1);
}

TEST(Store, AKillLeavesNothingBehind) {
  const EmptyDirectory directory;
  int said[2] = {};
  ASSERT_EQ(::pipe(said), 0);
  const pid_t child = ::fork();
  if (child == 0) copy_for_ever(directory.path(), said[1]);
  ::close(said[1]);
  char letter = 0;
  ASSERT_EQ(::read(said[0], &letter, 1), 1);
  ::close(said[0]);
  EXPECT_TRUE(directory.empty());
  const std::int64_t during = free_bytes(directory.path());
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(directory.empty());
  // 640 MiB were allocated; others may write in the meantime, and the file system may take its time.
  const std::int64_t wanted = during + (std::int64_t{320} << 20);
  for (int i = 0; i < 100 && free_bytes(directory.path()) < wanted; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_GE(free_bytes(directory.path()), wanted);
}

}  // namespace
}  // namespace worktop::runtime
