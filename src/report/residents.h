// Who lives in device memory at the peak, why, and whom to attack first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/settings.h"
#include "plan/memory.h"
#include "plan/plan.h"

namespace worktop::report {

using base::Bytes;
using plan::Residents;

// The six shares of plan::Residents.
enum class Resident : std::uint8_t { weights, gradients, optimizer_states, activations, workspace, other };
[[nodiscard]] constexpr const char* name_of(Resident resident) {
  switch (resident) {
    case Resident::weights:
      return "weights";
    case Resident::gradients:
      return "gradients";
    case Resident::optimizer_states:
      return "optimizer states";
    case Resident::activations:
      return "activations";
    case Resident::workspace:
      return "workspace";
    case Resident::other:
      return "other";
  }
  return "other";
}
[[nodiscard]] Resident resident_of(graph::ValueKind kind);
[[nodiscard]] Bytes share_of(const Residents& residents, Resident resident);

// Alike values (report/alike.h) that are resident at the peak for the same reason. The bytes of all groups
// sum to the peak: workspace, and the second buffers of what is recomputed while still resident, are groups.
struct ResidentGroup {
  std::string label;  // "mlp/up_proj"; of workspace: the op that works in it
  Resident kind = Resident::other;
  std::int32_t count = 0;  // values, one in each of so many blocks
  Bytes bytes;             // of all of them
  std::string why;         // "kept for backward", "held by the program to the end of the step", ...
  friend bool operator==(const ResidentGroup&, const ResidentGroup&) = default;
};
// Largest first; equals by kind, then label, then why. `memory` is measure_memory's of `plan`.
[[nodiscard]] std::vector<ResidentGroup> residents_at_peak(const graph::Graph& graph, const plan::Plan& plan,
                                                           const plan::MemoryProfile& memory);

// One share of the peak, and what would make it smaller.
struct Attack {
  Resident resident = Resident::other;
  Bytes bytes;
  double share = 0;  // of the peak
  std::string advice;
  friend bool operator==(const Attack&, const Attack&) = default;
};
// Largest first; equals in the order of the enum; none for a share of no bytes. The advice leaves out what
// the settings, where they are known, already do.
[[nodiscard]] std::vector<Attack> attacks(const Residents& residents,
                                          const std::optional<model::Settings>& settings = {});

}  // namespace worktop::report
