#include "files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace worktop::cli {
namespace {

using base::ErrorCode;
using base::fail;
using base::Status;

// Closes what it opened.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  // Some file systems report a full disk only here.
  [[nodiscard]] bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

std::unexpected<base::Error> trouble(std::string_view verb, const std::string& path, int error,
                                     std::string hint) {
  return fail(ErrorCode::environment, fmt::format("the file can't be {}: {}", verb, std::strerror(error)),
              path, std::move(hint));
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

// Zero if everything was written, else the error.
int write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

Status write_in_place(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const int error = file.get() < 0 ? errno : write_all(file.get(), text);
  if (error) return trouble("written", path, error, "give another path");
  return {};
}

// Where a symbolic link leads, so that the link stays.
std::string target_of(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) ? std::string(resolved) : path;
}

}  // namespace

bool is_file(const std::string& path) {
  const auto status = status_of(path);
  return status && !S_ISDIR(status->st_mode);
}

bool is_folder(const std::string& path) {
  const auto status = status_of(path);
  return status && S_ISDIR(status->st_mode);
}

base::Result<std::string> read_file(const std::string& path) {
  if (is_folder(path))
    return fail(ErrorCode::input, "this is a folder, not a file", path, "give a file in it");
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return trouble("read", path, errno, "check the path");
  const auto too_large = [&] {
    return fail(ErrorCode::input, fmt::format("the file is larger than {} MiB", kLargestFile >> 20), path,
                "no file of ours is that large");
  };
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && status.st_size > kLargestFile) return too_large();
  std::string text;
  if (S_ISREG(status.st_mode)) text.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char chunk[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return trouble("read", path, errno, "check the path");
    if (count == 0) return text;
    text.append(chunk, static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(text.size()) > kLargestFile) return too_large();
  }
}

base::Status write_file(const std::string& path, const std::string& text) {
  const auto status = status_of(path);
  if (status && S_ISDIR(status->st_mode))
    return fail(ErrorCode::environment, "this is a folder, not a file", path, "give a file in it");
  if (status && !S_ISREG(status->st_mode)) return write_in_place(path, text);
  const std::string target = target_of(path);
  std::string part = target + ".XXXXXX";
  Descriptor file(::mkstemp(part.data()));
  if (file.get() < 0)
    return trouble("written", path, errno, "check that the folder exists and can be written to");
  int error = write_all(file.get(), text);
  // mkstemp makes private files; what users write is readable as they like it.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (!error && ::fchmod(file.get(), status ? status->st_mode & 0777U : 0666U & ~mask) != 0) error = errno;
  if (!error && ::fsync(file.get()) != 0) error = errno;
  if (!file.close() && !error) error = errno;
  if (!error && ::rename(part.c_str(), target.c_str()) != 0) error = errno;
  if (!error) return {};
  ::unlink(part.c_str());
  return trouble("written", path, error, "check that there is room, or give another path");
}

}  // namespace worktop::cli
