// src/report for Python: what answers are made of.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "handles.h"
#include "report/frontier.h"
#include "report/reasons.h"
#include "report/residents.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using report::Attack;
using report::FrontierPoint;
using report::Picks;
using report::Reason;
using report::ResidentGroup;

void bind_peak(nb::module_& m) {
  nb::class_<ResidentGroup>(m, "ResidentGroup", "Alike values that are in device memory at the peak.")
      .def_ro("label", &ResidentGroup::label)
      .def_prop_ro("kind", [](const ResidentGroup& self) { return report::name_of(self.kind); })
      .def_ro("count", &ResidentGroup::count)
      .def_prop_ro(
          "bytes", [](const ResidentGroup& self) { return number(self.bytes); }, "Of all of them.")
      .def_ro("why", &ResidentGroup::why);
  nb::class_<Attack>(m, "Attack", "A share of the peak, and what would make it smaller.")
      .def_prop_ro("resident", [](const Attack& self) { return report::name_of(self.resident); })
      .def_prop_ro("bytes", [](const Attack& self) { return number(self.bytes); })
      .def_ro("share", &Attack::share)
      .def_ro("advice", &Attack::advice);
}

void bind_points(nb::module_& m) {
  nb::class_<FrontierPoint>(m, "FrontierPoint", "A plan that no other beats in both peak and time.")
      .def_ro("name", &FrontierPoint::name)
      .def_prop_ro("peak_bytes", [](const FrontierPoint& self) { return number(self.peak); })
      .def_prop_ro("step_ns", [](const FrontierPoint& self) { return number(self.step_ns); })
      .def_prop_ro("host_peak_bytes", [](const FrontierPoint& self) { return number(self.host_peak); })
      .def_prop_ro("disk_peak_bytes", [](const FrontierPoint& self) { return number(self.disk_peak); })
      .def_prop_ro("recompute_ns", [](const FrontierPoint& self) { return number(self.recompute_ns); })
      .def_prop_ro("link_busy_ns", [](const FrontierPoint& self) { return number(self.link_busy_ns); })
      .def_prop_ro(
          "price_per_gib_ns", [](const FrontierPoint& self) { return number(self.price_per_gib); },
          "What one more GiB would save a step.");
  nb::class_<Picks>(m, "Picks", "Names of three plans to choose from.")
      .def_ro("least_memory", &Picks::least_memory)
      .def_ro("fastest", &Picks::fastest)
      .def_ro("balanced", &Picks::balanced);
}

void bind_reasons(nb::module_& m) {
  nb::class_<Reason>(m, "Reason", "Alike activations with one fate and one reason for it.")
      .def_ro("label", &Reason::label)
      .def_prop_ro("fate", [](const Reason& self) { return plan::name_of(self.fate); })
      .def_ro("count", &Reason::count)
      .def_prop_ro(
          "bytes", [](const Reason& self) { return number(self.bytes); }, "Of all of them.")
      .def_prop_ro("recompute_ns", [](const Reason& self) { return number(self.recompute_ns); })
      .def_prop_ro("reload_ns", [](const Reason& self) { return number(self.reload_ns); })
      .def_ro("text", &Reason::text);
}

}  // namespace

void bind_report(nb::module_& m) {
  bind_peak(m);
  bind_points(m);
  bind_reasons(m);
}

}  // namespace worktop::python
