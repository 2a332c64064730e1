#include "report/residents.h"

namespace worktop::report {
Resident resident_of(graph::ValueKind) {
  return Resident::other;
}
Bytes share_of(const Residents& residents, Resident) {
  return residents.other;
}
std::vector<ResidentGroup> residents_at_peak(const graph::Graph&, const plan::Plan&,
                                             const plan::MemoryProfile&) {
  return {};
}
std::vector<Attack> attacks(const Residents&, const std::optional<model::Settings>&) {
  return {};
}
}  // namespace worktop::report
