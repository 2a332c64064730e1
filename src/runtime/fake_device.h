// A device for tests: memory only, delays, limits, fails, reorders, counts, and looks on suspiciously.
//
// It knows the program's memory (`allocate`, `free`, and `touch` whenever the program reads or writes), and
// every move in flight. What should never be is noted as a violation: a move that reads bytes which another
// still writes, or writes bytes which another still reads; a move in memory that was freed; memory that is
// freed, read or written by the program while a move is not done with it; moves outside the pools. Half of a
// move's bytes are moved at its start and half at its end, so that what is read too early is wrong as well.
//
// Three orders of events:
// - timed: a clock of its own. Each move takes latency + bytes * ns_per_byte; a link moves one piece at a
// time.
//   `spend` is the program computing for so long. Everything can be derived by hand.
// - random: any step that is possible may come next, by the seed.
// - threads: the engine's real threads; moves take a random time up to `delay`, and `hold` stops a link until
//   `let_go`.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.h"
#include "runtime/device.h"
#include "runtime/links.h"

namespace worktop::runtime {

enum class FakeOrder : std::uint8_t { timed, random, threads };

struct FakeOptions {
  FakeOrder order = FakeOrder::timed;
  std::uint64_t seed = 1;
  Bytes host{1 << 20};  // what the machine has
  Bytes disk{1 << 20};
  Nanoseconds latency{0};         // timed
  std::int64_t ns_per_byte = 1;   // timed
  std::int32_t delay_us = 50;     // threads: the most
  std::int32_t fail_percent = 0;  // of moves
};

class FakeDevice final : public Device, private Stepper {
 public:
  explicit FakeDevice(const FakeOptions& options);

  // ---- for the test
  [[nodiscard]] std::byte* allocate(Bytes size);
  void free(std::byte* bytes);
  enum class Access : std::uint8_t { read, write };
  void touch(const std::byte* bytes, Access access);  // all of one allocation
  void fail_next(Tier from, Tier to) { failing_.at(link_index(from, to)) = true; }
  void hold(Tier from, Tier to);
  void let_go(Tier from, Tier to);
  // The program computes for `time`; `progress` is the store's.
  void spend(Nanoseconds time, const std::function<void()>& progress);
  void set_mark(Mark mark) { mark_ = mark; }
  [[nodiscard]] Mark last_mark() const { return last_mark_; }
  [[nodiscard]] std::vector<std::string> violations() const;
  [[nodiscard]] std::int64_t moves() const;
  [[nodiscard]] std::size_t in_flight() const;
  // A door to this fake that somebody else may own.
  [[nodiscard]] std::unique_ptr<Device> door();

  // ---- Device
  Nanoseconds now() override;
  Mark mark() override { return mark_; }
  Status grow(Tier tier, Bytes size) override;
  Status start(Move& move) override;
  Status finish(Move& move) override;
  Stepper* stepper() override { return options_.order == FakeOrder::threads ? nullptr : this; }

 private:
  struct Range {
    Tier tier;
    const std::byte* first;
    const std::byte* last;  // one behind
    [[nodiscard]] bool overlaps(const Range& other) const { return first < other.last && other.first < last; }
  };
  struct Flight {
    Range from, to;
    Nanoseconds end;
    bool fails;
  };
  std::optional<std::size_t> pick(std::span<const Step> steps, bool waiting) override;
  [[nodiscard]] std::byte* memory(const Place& place);
  [[nodiscard]] bool inside(const Range& range) const;
  void check_start(const Flight& flight);
  void check_access(const Range& range, Access access, const char* what);
  void note(const std::string& text) { violations_.push_back(text); }
  void linger(std::size_t link);

  const FakeOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  base::Random random_;
  std::array<std::vector<std::byte>, kTiers> pools_;
  std::array<Bytes, kTiers> grown_{};
  std::map<const std::byte*, std::unique_ptr<std::vector<std::byte>>> allocations_;
  std::map<std::uint64_t, Flight> flights_;
  std::uint64_t tickets_ = 0;
  std::array<bool, kLinkCount> failing_{};
  std::array<bool, kLinkCount> held_{};
  Nanoseconds clock_{0};
  Nanoseconds horizon_{0};
  Mark mark_ = kNoMark;
  Mark last_mark_ = kNoMark;
  std::vector<std::string> violations_;
};

}  // namespace worktop::runtime
