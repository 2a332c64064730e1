#include "report/reasons.h"

namespace worktop::report {
std::vector<Reason> reasons(const graph::Graph&, const machine::Machine&, const cost::Durations&,
                            const plan::Plan&) {
  return {};
}
}  // namespace worktop::report
