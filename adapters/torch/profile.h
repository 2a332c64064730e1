// From what was seen to a step graph: the tape and the log of a micro-step become ops, values and durations
// that a solver can plan with, and a layout by which the executor finds them again.
//
// The exact promise rests on this. Bytes are of two kinds. Managed ones are storages that an op of the tape
// allocated and wrote: the plan decides about them. All others (gradients, saved tensors outside the
// forward, optimizer states, what unseen code allocates) are the program's own; the log says between which
// two moments each lives, whatever the plan does. Every moment (an op, a node of backward, a gap between two)
// becomes an op whose workspace is what makes its peak right: the most that the moment's own allocations and
// frees ever add up to, less what it leaves behind. Where frees come first, so that this would be negative,
// the moment becomes two ops.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "events.h"
#include "program.h"
#include "step.h"

namespace worktop::adapter {

// A micro-step, when it is over.
struct Record {
  struct Op {
    const OperatorFacts* facts = nullptr;
    std::int32_t module = kNone;
    bool replayable = false;
    bool drawn = false;
    std::vector<ValueIndex> reads;   // without what a replay leaves out
    std::vector<ValueIndex> writes;  // fresh and in place
  };
  struct Value {
    Source source = Source::op;
    OpIndex producer = kNone;
    ValueIndex overwrites = kNone;
    std::int64_t bytes = 0;
    AllocationId allocation = 0;
    bool packed = false;
    bool mutated = false;
  };
  std::vector<Op> ops;
  std::vector<Value> values;
  std::vector<Step::Visit> visits;
  EventLog log;
  std::int64_t live_at_begin = 0;           // metered bytes
  std::int64_t peak_bytes = 0;              // metered bytes, until the next micro-step
  std::int64_t began_ns = 0, ended_ns = 0;  // of a monotonic clock
  StepCounts counts;
  Mode mode = Mode::keep;
};
[[nodiscard]] Record record_of(const Step& step);

// What is there before the micro-step begins, by kind; the rest of the live bytes is "other".
struct Standing {
  std::int64_t foreign = 0;  // not metered: allocated before the meter was
  std::int64_t weights = 0, gradients = 0, optimizer_states = 0;
};

struct Profiled {
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const Layout> layout;
  std::vector<std::int64_t> durations_ns;  // by op of the graph
};

// `capture` says which storages the program lets go of when; `steady` (which may be the same) gives the
// moments and durations. `modules` are the names that Record::Op::module counts, `blocks` the name of the
// block that each module lies in ("" for none). Error (illegal): the two are not of one program.
[[nodiscard]] base::Result<Profiled> profile(const Record& capture, const Record& steady,
                                             const Standing& standing,
                                             const std::vector<std::string>& modules,
                                             const std::vector<std::string>& blocks, std::string name,
                                             std::int64_t tokens);

}  // namespace worktop::adapter
