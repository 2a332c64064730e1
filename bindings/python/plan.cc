// src/plan for Python.
#include "plan/plan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "capsules.h"
#include "errors.h"
#include "format/plan_json.h"
#include "handles.h"
#include "plan/legal.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::vector<std::string> fates(const PlanHandle& self) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(self.plan->fates.size()));
  for (const plan::Fate fate : self.plan->fates) names.emplace_back(plan::name_of(fate));
  return names;
}

std::string represent(const PlanHandle& self) {
  return "<worktop.Plan by " + self.plan->made_by + ": " + std::to_string(self.plan->actions.items()) +
         " actions>";
}

}  // namespace

void require_legal(const advisor::Subject& subject, const plan::Plan& plan) {
  unwrap(plan::legal(subject.graph, subject.machine, plan));
}

void bind_plan(nb::module_& m) {
  nb::class_<PlanHandle>(m, "Plan", "The decision: a fate per value and actions at triggers, for one graph.")
      .def_static(
          "from_capsule",
          [](const nb::capsule& capsule) {
            return PlanHandle{from_capsule<plan::Plan>(capsule, kPlanCapsule)};
          },
          "capsule"_a, "The plan in a capsule named worktop.plan, shared, not copied.")
      .def("capsule", [](const PlanHandle& self) { return to_capsule(self.plan, kPlanCapsule); })
      .def_prop_ro(
          "made_by", [](const PlanHandle& self) { return self.plan->made_by; },
          "\"search\", or the strategy's name.")
      .def_prop_ro("graph_hash", [](const PlanHandle& self) { return format::print_hash(self.plan->graph); })
      .def_prop_ro("fates", fates, "Per value: keep, recompute, offload_host or offload_disk.")
      .def_prop_ro("action_count", [](const PlanHandle& self) { return self.plan->actions.items(); })
      .def("__eq__",
           [](const PlanHandle& self, const PlanHandle& other) { return *self.plan == *other.plan; })
      .def("__repr__", represent);
}

}  // namespace worktop::python
