// A plan played by the simulator.
#pragma once

#include "handles.h"

namespace worktop::python {

struct SimulatedHandle {
  std::shared_ptr<const advisor::Subject> subject;
  std::shared_ptr<const plan::Plan> plan;
  simulator::Timeline timeline;
  std::string peak_op;
};

// `plan` is legal.
[[nodiscard]] SimulatedHandle simulated(const SubjectHandle& subject, const PlanHandle& plan);

}  // namespace worktop::python
