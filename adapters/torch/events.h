// What happened in a micro-step, in order: allocations and frees between marks. The profile is made of it.
#pragma once

#include <cstdint>
#include <vector>

namespace worktop::adapter {

using AllocationId = std::uint64_t;  // counted by the meter; 0: not one of its own

enum class EventKind : std::uint8_t {
  allocate,     // index unused; bytes, allocation
  release,      // bytes, allocation
  op_begin,     // a forward op on the tape, by its index
  op_end,       //
  node_begin,   // a backward node, by its index in the order of this backward
  node_end,     //
  forward_end,  // the recorder stops listening
  own_begin,    // what follows is the executor's doing, not the program's
  own_end,      //
};

struct Event {
  EventKind kind;
  std::int32_t index;
  std::int64_t bytes;
  AllocationId allocation;
  std::int64_t ns;  // of a monotonic clock; 0 for allocations and frees
};

using EventLog = std::vector<Event>;

}  // namespace worktop::adapter
