#include "runtime/disk_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/extents.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

namespace {

constexpr Bytes kBounce{1 << 20};

[[nodiscard]] bool aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(kBlock.count()) == 0;
}

// Memory that direct I/O accepts: one buffer a thread, made when it is first needed.
[[nodiscard]] std::byte* bounce_buffer() {
  struct Free {
    void operator()(void* bytes) const { std::free(bytes); }
  };
  thread_local std::unique_ptr<void, Free> buffer;
  if (!buffer)
    buffer.reset(std::aligned_alloc(static_cast<std::size_t>(kBlock.count()),
                                    static_cast<std::size_t>(kBounce.count())));
  return static_cast<std::byte*>(buffer.get());
}

[[nodiscard]] std::size_t length(Bytes size) {
  return static_cast<std::size_t>(size.count());
}

[[nodiscard]] Bytes whole_part(Bytes size) {
  return Bytes{size.count() / kBlock.count() * kBlock.count()};
}

[[nodiscard]] int open_unnamed(const std::string& directory) {
  return ::open(directory.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}
// For file systems without O_TMPFILE. A kill between the two calls leaves an empty file.
[[nodiscard]] int open_and_unlink(const std::string& directory) {
  const std::string pattern = directory + "/.worktop-XXXXXX";
  std::vector<char> name(pattern.begin(), pattern.end());
  name.push_back('\0');
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.data());
  return file;
}
[[nodiscard]] bool lacks_tmpfile(int number) {
  return number == EOPNOTSUPP || number == EISDIR || number == ENOENT || number == EINVAL;
}

// Some of them accept direct I/O, and are memory all the same.
[[nodiscard]] bool is_memory(int file) {
  struct statfs status{};
  return ::fstatfs(file, &status) == 0 && (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

}  // namespace

Result<std::unique_ptr<DiskFile>> DiskFile::open(const DiskFileOptions& options) {
  const std::string& directory = options.directory;
  struct stat status{};
  const bool found = ::stat(directory.c_str(), &status) == 0;
  if (!found || !S_ISDIR(status.st_mode))
    return fail(
        ErrorCode::environment,
        found ? "the disk tier's directory is not a directory" : "the disk tier's directory is not there",
        directory, "name a directory on a fast disk that can be written");
  int file = -1;
  int number = EOPNOTSUPP;
  if (options.try_unnamed) file = open_unnamed(directory), number = errno;
  if (file < 0 && lacks_tmpfile(number)) file = open_and_unlink(directory), number = errno;
  if (file < 0)
    return fail(ErrorCode::environment,
                std::string("the disk tier's file cannot be made: ") + std::strerror(number), directory,
                "name a directory that can be written");
  auto opened = std::unique_ptr<DiskFile>(new DiskFile(file, directory));
  const bool memory = is_memory(file);
  opened->direct_ = !memory && options.try_direct && ::fcntl(file, F_SETFL, O_DIRECT) == 0;
  WORKTOP_CHECK(opened->try_out());
  if (memory)
    opened->add_note(directory + " is in memory (tmpfs): the disk tier saves none");
  else if (!opened->direct_)
    opened->add_note(
        "the file system of " + directory +
        " offers no direct I/O: the page cache holds what is written, so the tier saves less memory");
  return opened;
}

DiskFile::~DiskFile() {
  ::close(file_);
}

// One block there and back. Some file systems accept O_DIRECT and refuse the first write.
Status DiskFile::try_out() {
  std::byte* const block = bounce_buffer();
  if (block == nullptr)
    return fail(ErrorCode::environment, "there is no memory for an I/O buffer", directory_);
  WORKTOP_CHECK(grow(kBlock));
  std::memset(block, 0x5a, length(kBlock));
  if (direct_ && ::pwrite(file_, block, length(kBlock), 0) < 0 && errno == EINVAL) {
    direct_ = false;
    if (::fcntl(file_, F_SETFL, 0) != 0) return trouble("the disk tier's file cannot be set up", errno);
  }
  WORKTOP_CHECK(write(Bytes{0}, block, kBlock));
  std::memset(block, 0, length(kBlock));
  WORKTOP_CHECK(read(Bytes{0}, block, kBlock));
  const auto same = [](std::byte byte) { return byte == std::byte{0x5a}; };
  if (!std::all_of(block, block + kBlock.count(), same))
    return fail(ErrorCode::environment, "the disk tier reads back other bytes than were written", directory_);
  return {};
}

Result<Bytes> DiskFile::free_bytes() const {
  struct statvfs status{};
  if (::fstatvfs(file_, &status) != 0) return trouble("the free bytes of the disk are not known", errno);
  return base::saturating_mul(Bytes{static_cast<std::int64_t>(status.f_frsize)},
                              static_cast<std::int64_t>(status.f_bavail));
}

Status DiskFile::grow(Bytes size) {
  if (size <= size_) return {};
  struct rlimit limit{};
  // Going past this limit would raise a signal that ends the process.
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      limit.rlim_cur < static_cast<rlim_t>(size.count()))
    return fail(ErrorCode::environment,
                "the disk tier needs a file of " + std::to_string(size.count()) +
                    " bytes, and files of this process are limited to " + std::to_string(limit.rlim_cur),
                directory_, "raise the limit (ulimit -f) or lower the disk budget");
  WORKTOP_TRY(const Bytes free, free_bytes());
  if (free < size - size_)
    return fail(ErrorCode::environment,
                "the disk is full: the disk tier needs " + std::to_string((size - size_).count()) +
                    " bytes more and " + std::to_string(free.count()) + " are free",
                directory_, "free some space, name another directory or lower the disk budget");
  int result = -1;
  if (preallocates_) {
    do result = ::fallocate(file_, 0, size_.count(), (size - size_).count());
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EOPNOTSUPP) {
      preallocates_ = false;
      add_note("the file system of " + directory_ +
               " cannot allocate ahead: a full disk shows at the write, not before");
    }
  }
  if (!preallocates_) result = ::ftruncate(file_, size.count());
  if (result != 0)
    return trouble("the disk tier cannot grow to " + std::to_string(size.count()) + " bytes", errno);
  size_ = size;
  return {};
}

Status DiskFile::write(Bytes offset, const std::byte* bytes, Bytes size) {
  // Straight from the caller's memory as far as that is whole blocks at an aligned address.
  const Bytes whole = aligned(bytes) ? whole_part(size) : Bytes{0};
  if (whole > Bytes{0}) WORKTOP_CHECK(write_whole(offset, bytes, whole));
  for (Bytes done = whole; done < size;) {
    std::byte* const buffer = bounce_buffer();
    if (buffer == nullptr)
      return fail(ErrorCode::environment, "there is no memory for an I/O buffer", directory_);
    const Bytes part = std::min(kBounce, size - done);
    const Bytes padded = whole_blocks(part);
    std::memcpy(buffer, bytes + done.count(), length(part));
    std::memset(buffer + part.count(), 0, length(padded - part));
    WORKTOP_CHECK(write_whole(offset + done, buffer, padded));
    done += part;
  }
  return {};
}

Status DiskFile::read(Bytes offset, std::byte* bytes, Bytes size) {
  const Bytes whole = aligned(bytes) ? whole_part(size) : Bytes{0};
  if (whole > Bytes{0}) WORKTOP_CHECK(read_whole(offset, bytes, whole));
  for (Bytes done = whole; done < size;) {
    std::byte* const buffer = bounce_buffer();
    if (buffer == nullptr)
      return fail(ErrorCode::environment, "there is no memory for an I/O buffer", directory_);
    const Bytes part = std::min(kBounce, size - done);
    WORKTOP_CHECK(read_whole(offset + done, buffer, whole_blocks(part)));
    std::memcpy(bytes + done.count(), buffer, length(part));
    done += part;
  }
  return {};
}

// Whole blocks at an aligned address. A short transfer goes on at the last whole block.
Status DiskFile::write_whole(Bytes offset, const std::byte* bytes, Bytes size) {
  while (size > Bytes{0}) {
    const ssize_t moved = ::pwrite(file_, bytes, length(size), offset.count());
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return trouble("writing to the disk tier failed", errno);
    const Bytes step = whole_part(Bytes{moved});
    if (step == Bytes{0}) return trouble("writing to the disk tier failed", ENOSPC);
    offset += step, bytes += step.count(), size -= step;
  }
  return {};
}

Status DiskFile::read_whole(Bytes offset, std::byte* bytes, Bytes size) {
  while (size > Bytes{0}) {
    const ssize_t moved = ::pread(file_, bytes, length(size), offset.count());
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return trouble("reading from the disk tier failed", errno);
    const Bytes step = whole_part(Bytes{moved});
    if (step == Bytes{0}) return trouble("reading from the disk tier failed: the file is too short", EIO);
    offset += step, bytes += step.count(), size -= step;
  }
  return {};
}

std::unexpected<base::Error> DiskFile::trouble(const std::string& what, int number) const {
  const bool full = number == ENOSPC || number == EDQUOT || number == EFBIG;
  return fail(ErrorCode::environment, what + ": " + std::strerror(number), directory_,
              full ? "free some space, name another directory or lower the disk budget"
                   : "look at the disk's health, or name another directory");
}

void DiskFile::add_note(const std::string& text) {
  note_ += (note_.empty() ? "" : "; ") + text;
}

}  // namespace worktop::runtime
