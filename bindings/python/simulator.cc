// src/simulator for Python.
#include "simulator/simulate.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "advisor/asked.h"
#include "format/simulate_answer.h"
#include "format/trace.h"
#include "simulated.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using Run = std::tuple<std::int32_t, bool, std::int64_t, std::int64_t, std::int64_t>;
using Copy = std::tuple<std::int32_t, std::string, std::string, std::int64_t, std::int64_t, std::int64_t>;

std::vector<Run> runs(const SimulatedHandle& self) {
  std::vector<Run> list;
  list.reserve(self.timeline.runs.size());
  for (const simulator::Run& run : self.timeline.runs)
    list.emplace_back(run.op.index(), run.recompute, number(run.start), number(run.end),
                      number(run.device_bytes));
  return list;
}

std::vector<Copy> copies(const SimulatedHandle& self) {
  std::vector<Copy> list;
  list.reserve(self.timeline.copies.size());
  for (const simulator::Copy& copy : self.timeline.copies) {
    const machine::Link& link = self.subject->machine.links[copy.link];
    list.emplace_back(copy.value.index(), machine::name_of(link.from), machine::name_of(link.to),
                      number(copy.issued), number(copy.start), number(copy.end));
  }
  return list;
}

format::Simulated answer(const SimulatedHandle& self) {
  return {self.subject->graph, self.subject->machine, *self.plan, self.timeline,
          advisor::tokens_per_s(self.subject->graph, self.timeline.step_ns)};
}

}  // namespace

SimulatedHandle simulated(const SubjectHandle& subject, const PlanHandle& plan) {
  const advisor::Subject& of = *subject.subject;
  return {.subject = subject.subject,
          .plan = plan.plan,
          .timeline = simulator::simulate(of.graph, of.machine, of.durations, *plan.plan),
          .peak_op = advisor::name_of_moment(
              of.graph, plan::measure_memory(of.graph, of.machine, *plan.plan).peak_moment)};
}

void bind_simulator(nb::module_& m) {
  const auto peak_of = [](machine::Tier tier) {
    return [tier](const SimulatedHandle& self) {
      return number(self.timeline.peak[static_cast<std::size_t>(tier)]);
    };
  };
  nb::class_<SimulatedHandle>(m, "Simulated", "What would happen: a plan played on queues and tiers.")
      .def_prop_ro("peak_bytes", peak_of(machine::Tier::device), "Of the device.")
      .def_prop_ro("host_peak_bytes", peak_of(machine::Tier::host))
      .def_prop_ro("disk_peak_bytes", peak_of(machine::Tier::disk))
      .def_ro("peak_op", &SimulatedHandle::peak_op, "What runs at the peak.")
      .def_prop_ro("step_ns", [](const SimulatedHandle& self) { return number(self.timeline.step_ns); })
      .def_prop_ro("micro_step_ns",
                   [](const SimulatedHandle& self) { return number(self.timeline.micro_step_ns); })
      .def_prop_ro("recompute_ns",
                   [](const SimulatedHandle& self) { return number(self.timeline.recompute_ns); })
      .def_prop_ro("stalled_ns", [](const SimulatedHandle& self) { return number(self.timeline.stalled_ns); })
      .def_prop_ro("link_busy_ns",
                   [](const SimulatedHandle& self) { return number(self.timeline.link_busy_ns); })
      .def_prop_ro("runs", runs, "(op, recompute, start_ns, end_ns, device_bytes while it runs), in order.")
      .def_prop_ro("copies", copies, "(value, from, to, issued_ns, start_ns, end_ns), in order of issue.")
      .def(
          "trace_json",
          [](const SimulatedHandle& self) {
            return format::write_trace(self.subject->graph, self.subject->machine, self.timeline);
          },
          "The timeline as Chrome trace events, for https://ui.perfetto.dev.")
      .def(
          "text", [](const SimulatedHandle& self) { return format::simulate_text(answer(self)); },
          "What `worktop simulate` prints.")
      .def("json", [](const SimulatedHandle& self) { return format::simulate_json(answer(self)); });
}

}  // namespace worktop::python
