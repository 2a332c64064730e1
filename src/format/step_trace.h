// The `step-trace` kind of graph file: the ops of one training step as an eager program ran them, over
// storages.
//
//   {"format": "step-trace", "version": 1, "name": ..., "backward_starts_at": 128,
//    "ops": [{"name": "addmm", "time_ns": 517211, "reads": [0, 1, 6], "writes": [136], "mutates": [],
//    "views": []},
//            ...],
//    "storages": [{"bytes": 4096, "produced_by": -1, "freed_after": null}, ...],
//    "persistent": [0, 1, ...], "sum_time_ns": 435278292}
//
// What it means as a step graph:
//   - ops run in the order of the file; those from `backward_starts_at` on are backward. The n-th op named
//   "mm"
//     is "mm#n", what it writes "mm#n/out#k";
//   - a storage is a value; each op that mutates it makes a new version in place (Output::overwrites), which
//   later
//     ops read. A view reads the storage it views;
//   - what ops write is held by the executor alone (ProgramHold::producer_only) and stays wanted until
//     `freed_after` (null: to the end of the step). Forward ops write activations; backward ops write
//     gradients where the storage is never freed, else temporaries;
//   - a storage with `produced_by` -1 is there before the step (weight if never freed, else input), and the
//   program
//     lets go of it after `freed_after`. An op that mutates one has a side effect and is never replayed; the
//     new version is held for good;
//   - except: one of at most 16 bytes that a single op uses and that is freed right after it is a number
//   which the
//     program wraps for that op; it counts as the op's workspace. (Traces say that it is there before the
//     step, but their keep-all peak counts it no earlier than its op.)
//   - ops that draw random numbers, by name (dropout, bernoulli, rand...), are never replayed;
//   - `sum_time_ns`, if stated, must be the sum of `time_ns`.
// Other keys are ignored.
#pragma once

#include "base/error.h"
#include "format/graph_file.h"
#include "format/json_cursor.h"

namespace worktop::format {

inline constexpr std::string_view kStepTraceFormat = "step-trace";

[[nodiscard]] base::Result<GraphFile> read_step_trace(const JsonObject& file);

}  // namespace worktop::format
