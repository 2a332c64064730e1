// Machines as JSON: data/machines/*.json, files of a user's own, and the machine inside a plan.json.
//
//   {"format": "worktop-machine", "version": 1, "name": "rtx-4090-24gb", "title": ..., "vendor": ..., "kind":
//   "gpu",
//    "usable_bytes": ..., "usable_source": ..., "context_bytes": 0, "margin": 0.04,
//    "memory_bandwidth_bytes_per_s": ..., "memory_efficiency": 0.85, "vector_flops_per_s": ...,
//    "attention_efficiency": 0.6, "launch_ns": 5000, "compute_slowdown": 0.0,
//    "matmul": [{"dtype": "bf16", "peak_flops_per_s": ..., "efficiency": 0.9, "measured": true, "source":
//    ...}], "links": [{"from": "device", "to": "host", "bandwidth_bytes_per_s": ..., "both_ways_bytes_per_s":
//    ...,
//               "latency_ns": 10000, "smallest_bytes": 1048576, "source": ...}],
//    "host_bytes": null, "disk_bytes": null, "source": ..., "notes": ...}
//
// Required: name (a slug), usable_bytes, memory_bandwidth_bytes_per_s, vector_flops_per_s; of a link all but
// both_ways_bytes_per_s (as fast as alone), latency_ns, smallest_bytes and source; of a rate dtype and peak.
// The rest has the defaults of machine/machine.h; the title is the name. A reader refuses rates that are not
// above 0, shares outside [0, 1), efficiencies outside (0, 1], two links between the same tiers in one
// direction, two rates of one dtype, a both-ways rate above the one-way rate, and a device whose context and
// margin leave nothing to use.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "format/json_cursor.h"
#include "format/json_writer.h"
#include "machine/machine.h"

namespace worktop::format {

inline constexpr std::string_view kMachineFormat = "worktop-machine";

[[nodiscard]] base::Result<machine::Machine> read_machine_file(std::string_view text);
[[nodiscard]] std::string write_machine_file(const machine::Machine& machine);

// The same object inside another file.
[[nodiscard]] base::Result<machine::Machine> read_machine(const JsonObject& object);
void write_machine(JsonWriter& writer, const machine::Machine& machine);

}  // namespace worktop::format
