// The disk tier's file on this machine, in each of its variants, and what it says when the world fails.
#include "runtime/disk_file.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "runtime/extents.h"
#include "runtime/testing.h"

namespace worktop::runtime {
namespace {

// Memory at an aligned address plus `off`.
class Memory {
 public:
  Memory(std::size_t size, std::size_t off) : off_(off), bytes_(size + off + 8192) {}
  [[nodiscard]] std::byte* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (4096 - address % 4096) % 4096 + off_;
  }

 private:
  std::size_t off_;
  std::vector<std::byte> bytes_;
};

class DiskFileVariants : public testing::TestWithParam<DiskFileOptions> {
 protected:
  EmptyDirectory directory;
  [[nodiscard]] std::unique_ptr<DiskFile> open() const {
    DiskFileOptions options = GetParam();
    options.directory = directory.path();
    auto file = DiskFile::open(options);
    if (!file) ADD_FAILURE() << file.error().what;
    return *std::move(file);
  }
};

// Sizes around the block and the bounce buffer (1 MiB), at aligned and other addresses.
TEST_P(DiskFileVariants, ThereAndBack) {
  const auto file = open();
  ASSERT_TRUE(file->grow(Bytes{8 << 20}));
  for (const std::size_t off : {0UL, 1UL, 512UL})
    for (const std::size_t size :
         {1UL, 4095UL, 4096UL, 4097UL, 10000UL, 1UL << 20, (1UL << 20) + 1, 3000000UL}) {
      Memory out(size, off);
      for (std::size_t i = 0; i < size; ++i) out.data()[i] = static_cast<std::byte>(i * 7 + size + off);
      const Bytes offset = kBlock * 3;
      ASSERT_TRUE(file->write(offset, out.data(), Bytes{static_cast<std::int64_t>(size)}));
      Memory in(size + 1, off);
      in.data()[size] = std::byte{0x77};
      ASSERT_TRUE(file->read(offset, in.data(), Bytes{static_cast<std::int64_t>(size)}));
      EXPECT_EQ(std::memcmp(in.data(), out.data(), size), 0) << size << " " << off;
      EXPECT_EQ(in.data()[size], std::byte{0x77});  // not a byte more
    }
}

TEST_P(DiskFileVariants, HasNoName) {
  const auto file = open();
  ASSERT_TRUE(file->grow(Bytes{1 << 20}));
  EXPECT_TRUE(directory.empty());
}

INSTANTIATE_TEST_SUITE_P(All, DiskFileVariants,
                         testing::Values(DiskFileOptions{}, DiskFileOptions{.try_direct = false},
                                         DiskFileOptions{.try_unnamed = false}));

// How many pages of the file without a name are in the page cache? Asked of the kernel, by its open
// descriptor.
std::int64_t cached_pages(const std::string& directory) {
  std::int64_t pages = -1;
  for (int file = 0; file < 1024; ++file) {
    char name[512] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    if (::readlink(link.c_str(), name, sizeof name - 1) < 0 || !std::string(name).starts_with(directory))
      continue;
    const std::size_t size = 8 << 20;
    void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) continue;
    std::vector<unsigned char> resident(size / 4096);
    pages = 0;
    if (::mincore(map, size, resident.data()) == 0)
      for (const unsigned char page : resident) pages += page & 1;
    ::munmap(map, size);
  }
  return pages;
}

TEST(DiskFile, GoesPastThePageCache) {
  for (const bool direct : {true, false}) {
    const EmptyDirectory directory;
    const auto file = *DiskFile::open({.directory = directory.path(), .try_direct = direct});
    if (direct && !file->direct()) GTEST_SKIP() << file->note();
    EXPECT_EQ(file->direct(), direct);
    EXPECT_EQ(file->note().find("no direct I/O") == std::string::npos, direct);  // and says so
    ASSERT_TRUE(file->grow(Bytes{8 << 20}));
    Memory bytes(8 << 20, 0);
    ASSERT_TRUE(file->write(Bytes{0}, bytes.data(), Bytes{8 << 20}));
    ASSERT_TRUE(file->read(Bytes{0}, bytes.data(), Bytes{8 << 20}));
    if (direct)
      EXPECT_EQ(cached_pages(directory.path()), 0);
    else
      EXPECT_EQ(cached_pages(directory.path()), 2048);
  }
}

// Memory that looks like a disk is told from one.
TEST(DiskFile, MemoryIsNoDisk) {
  const auto file = DiskFile::open({.directory = "/dev/shm"});
  if (!file) GTEST_SKIP() << file.error().what;
  EXPECT_FALSE((*file)->direct());
  EXPECT_EQ((*file)->note(), "/dev/shm is in memory (tmpfs): the disk tier saves none");
}

TEST(DiskFile, DirectoriesThatCannotBeUsed) {
  const auto missing = DiskFile::open({.directory = "/nowhere/at/all"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "the disk tier's directory is not there");
  EXPECT_EQ(missing.error().where, "/nowhere/at/all");
  EXPECT_EQ(DiskFile::open({.directory = "/dev/null"}).error().what,
            "the disk tier's directory is not a directory");
  const auto closed = DiskFile::open({.directory = "/proc"});  // nobody can write there
  ASSERT_FALSE(closed);
  EXPECT_TRUE(closed.error().what.starts_with("the disk tier's file cannot be made: "))
      << closed.error().what;
}

TEST(DiskFile, AFullDiskIsSeenBeforeItIsFull) {
  const EmptyDirectory directory;
  const auto file = *DiskFile::open({.directory = directory.path()});
  const Status grown = file->grow(Bytes{std::int64_t{1} << 55});
  ASSERT_FALSE(grown);
  EXPECT_TRUE(grown.error().what.starts_with("the disk is full: the disk tier needs ")) << grown.error().what;
  EXPECT_EQ(grown.error().where, directory.path());
  EXPECT_TRUE(file->grow(Bytes{1 << 20}));  // nothing has been taken
}

// Growing past ulimit -f would end the process by a signal: it is refused before.
TEST(DiskFile, TheLimitOnFileSizes) {
  const EmptyDirectory directory;
  const auto file = *DiskFile::open({.directory = directory.path()});
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit limit = before;
  limit.rlim_cur = 1 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Status grown = file->grow(Bytes{2 << 20});
  const Status within = file->grow(Bytes{1 << 20});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().what,
            "the disk tier needs a file of 2097152 bytes, and files of this process are limited to 1048576");
  EXPECT_TRUE(within);
}

// Beyond the end of the file: an error, never an endless wait.
TEST(DiskFile, ReadingPastTheEnd) {
  const EmptyDirectory directory;
  const auto file = *DiskFile::open({.directory = directory.path()});
  Memory bytes(4096, 0);
  const Status read = file->read(Bytes{1 << 20}, bytes.data(), kBlock);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().what.starts_with("reading from the disk tier failed")) << read.error().what;
}

}  // namespace
}  // namespace worktop::runtime
