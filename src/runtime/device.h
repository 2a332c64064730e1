// The one narrow door to the machine: everything that touches a device, host staging memory, a disk or a
// clock goes through it. Behind it stand `host_device.h` (this machine), `cuda_device.h` (declared) and, in
// tests, `fake_device.h`.
//
// The lower tiers are pools of bytes that only grow; a place in them is an offset. The device tier is the
// caller's memory; a place in it is an address.
//
// A move is at most one chunk. `start` issues it and may return before it ran; `finish` returns when its last
// byte has been moved, or why it could not be. Each started move is finished exactly once. Many moves may be
// in flight at the same time, from several threads. `now` may be called from any thread; `mark` and `grow`
// are called from the thread that asks for copies.
//
// Compute that runs behind the program's back (a CUDA stream) is ordered by marks: `mark` names the work that
// the compute queue has been given so far, and a move that carries the mark begins after that work. Where
// compute is done when the call returns, there is nothing to mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "machine/machine.h"

namespace worktop::runtime {

using base::Bytes;
using base::Nanoseconds;
using base::Result;
using base::Status;
using machine::Tier;

struct Place {
  Tier tier = Tier::device;
  std::byte* address = nullptr;  // on the device; written only where a move goes to it
  Bytes offset{0};               // in the pool of a lower tier
};

enum class Mark : std::uint64_t {};
inline constexpr Mark kNoMark{0};

struct Move {
  Place from;
  Place to;
  Bytes size{0};
  Mark after = kNoMark;
  std::uint64_t ticket = 0;  // the device's own, set by `start`
};

// What a device with a clock of its own can be told to do next.
struct Step {
  std::size_t link = 0;          // links.h
  const Move* finish = nullptr;  // nullptr: start the next move of the link
};

// Devices with a clock of their own (the fake) decide themselves what happens next; then no thread is
// started.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Which of the steps comes next? Nothing: no more for now. If the caller is `waiting`, there must be one.
  virtual std::optional<std::size_t> pick(std::span<const Step> steps, bool waiting) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual Nanoseconds now() = 0;
  [[nodiscard]] virtual Mark mark() { return kNoMark; }
  // Makes the pool of a lower tier at least `size` bytes long, a multiple of 4096.
  [[nodiscard]] virtual Status grow(Tier tier, Bytes size) = 0;
  [[nodiscard]] virtual Status start(Move& move) = 0;
  [[nodiscard]] virtual Status finish(Move& move) = 0;
  [[nodiscard]] virtual Stepper* stepper() { return nullptr; }
  // Does disk I/O bypass the page cache? If not, the note says why.
  [[nodiscard]] virtual bool direct_io() const { return false; }
  [[nodiscard]] virtual std::string disk_note() const { return {}; }
};

}  // namespace worktop::runtime
