#include "runtime/host_device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "base/ensure.h"
#include "runtime/disk_file.h"
#include "runtime/extents.h"

namespace worktop::runtime {

using base::ErrorCode;
using base::fail;

namespace {

[[nodiscard]] Bytes physical_memory() {
  return base::saturating_mul(Bytes{::sysconf(_SC_PAGESIZE)}, ::sysconf(_SC_PHYS_PAGES));
}

// Address space without memory behind it until it is written.
class HostRange {
 public:
  HostRange() = default;
  HostRange(const HostRange&) = delete;
  HostRange& operator=(const HostRange&) = delete;
  ~HostRange() {
    if (first_ != nullptr) ::munmap(first_, static_cast<std::size_t>(size_.count()));
  }
  [[nodiscard]] Status reserve(Bytes size) {
    void* const first = ::mmap(nullptr, static_cast<std::size_t>(size.count()), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)
      return fail(ErrorCode::environment,
                  "the host tier cannot reserve " + std::to_string(size.count()) + " bytes of addresses", {},
                  "lower the host budget, or raise the limit on address space (ulimit -v)");
    first_ = static_cast<std::byte*>(first);
    size_ = size;
    return {};
  }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] std::byte* at(Bytes offset) const { return first_ + offset.count(); }

 private:
  std::byte* first_ = nullptr;
  Bytes size_{0};
};

class HostDevice final : public Device {
 public:
  [[nodiscard]] Status open(const StoreOptions& options) {
    if (options.host) WORKTOP_CHECK(open_host(*options.host));
    if (options.disk) WORKTOP_CHECK(open_disk(*options.disk));
    return {};
  }

  Nanoseconds now() override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return Nanoseconds{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
  }
  Status grow(Tier tier, Bytes size) override {
    if (tier == Tier::disk) return file_->grow(size);
    if (size <= host_.size()) return {};
    return fail(ErrorCode::environment,
                "the host tier cannot grow to " + std::to_string(size.count()) + " bytes: the machine has " +
                    std::to_string(physical_memory().count()),
                {}, "give it a budget and plan with that");
  }
  // Threads do the work: nothing runs before `finish`.
  Status start(Move&) override { return {}; }
  Status finish(Move& move) override {
    if (move.from.tier == Tier::disk) return file_->read(move.from.offset, memory(move.to), move.size);
    if (move.to.tier == Tier::disk) return file_->write(move.to.offset, memory(move.from), move.size);
    std::memcpy(memory(move.to), memory(move.from), static_cast<std::size_t>(move.size.count()));
    return {};
  }
  bool direct_io() const override { return file_ != nullptr && file_->direct(); }
  std::string disk_note() const override { return file_ == nullptr ? std::string() : file_->note(); }

 private:
  // Whole last blocks of small values may take more than the limit; addresses cost nothing.
  [[nodiscard]] Status open_host(const HostOptions& options) {
    const Bytes machine = physical_memory();
    if (options.limit && *options.limit > machine)
      return fail(ErrorCode::environment,
                  "the host budget of " + std::to_string(options.limit->count()) +
                      " bytes is more than the machine's memory, " + std::to_string(machine.count()) +
                      " bytes",
                  {}, "lower the host budget");
    return host_.reserve(options.limit ? whole_blocks(*options.limit) * 2 + base::kGiB : machine);
  }
  [[nodiscard]] Status open_disk(const DiskOptions& options) {
    WORKTOP_TRY(file_, DiskFile::open({.directory = options.directory}));
    WORKTOP_TRY(const Bytes free, file_->free_bytes());
    if (options.limit && *options.limit > free + file_->size())
      return fail(ErrorCode::environment,
                  "the disk budget of " + std::to_string(options.limit->count()) +
                      " bytes is more than the disk has free, " + std::to_string(free.count()) + " bytes",
                  options.directory, "lower the disk budget, free some space or name another directory");
    return {};
  }
  [[nodiscard]] std::byte* memory(const Place& place) const {
    return place.tier == Tier::device ? place.address : host_.at(place.offset);
  }

  HostRange host_;
  std::unique_ptr<DiskFile> file_;
};

}  // namespace

Result<std::unique_ptr<Device>> open_host_device(const StoreOptions& options) {
  auto device = std::make_unique<HostDevice>();
  WORKTOP_CHECK(device->open(options));
  return device;
}

}  // namespace worktop::runtime
