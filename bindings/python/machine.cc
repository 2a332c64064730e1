// src/machine for Python: machines by name, from a file's text, or measured (a CPU whose memory is the
// device).
#include "machine/machine.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "errors.h"
#include "format/machine_catalog.h"
#include "format/machine_json.h"
#include "handles.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using base::Bytes;
using machine::Machine;
using machine::Tier;
using Size = std::optional<std::int64_t>;

// A copy of `machine` with other lower tiers, as a reader of files would accept it.
Machine checked(const Machine& machine) {
  return unwrap(format::read_machine_file(format::write_machine_file(machine)));
}

Machine with_tiers(Machine machine, Size host_bytes, Size disk_bytes) {
  machine.host_bytes.reset();
  machine.disk_bytes.reset();
  if (host_bytes) machine.host_bytes = Bytes{*host_bytes};
  if (disk_bytes) machine.disk_bytes = Bytes{*disk_bytes};
  return checked(machine);
}

Machine machine_by_name(const std::string& name, Size host_bytes, Size disk_bytes) {
  return with_tiers(unwrap(format::find_machine(name)), host_bytes, disk_bytes);
}

machine::Link link_between(Tier from, Tier to, double alone, double both_ways, std::int64_t latency_ns,
                           std::int64_t smallest_bytes) {
  return {.from = from,
          .to = to,
          .bandwidth = {alone},
          .both_ways = {std::min(alone, both_ways)},
          .latency = base::Nanoseconds{latency_ns},
          .smallest = Bytes{smallest_bytes},
          .source = "measured here"};
}

// The device is this process's memory; below it there is only the disk.
Machine cpu_machine(const std::string& name, std::int64_t usable_bytes, Size disk_bytes,
                    double out_bytes_per_s, double in_bytes_per_s, double both_out_bytes_per_s,
                    double both_in_bytes_per_s, std::int64_t latency_ns, double compute_slowdown,
                    double matmul_flops_per_s, double vector_flops_per_s, double memory_bandwidth_bytes_per_s,
                    std::int64_t smallest_bytes) {
  Machine machine;
  machine.name = name;
  machine.title = name;
  machine.kind = "cpu";
  machine.usable_bytes = Bytes{usable_bytes};
  machine.usable_source = "as given";
  machine.memory_bandwidth = {memory_bandwidth_bytes_per_s};
  machine.vector_rate = {vector_flops_per_s};
  machine.compute_slowdown = compute_slowdown;
  machine.matmul.push_back({.dtype = base::Dtype::fp32,
                            .peak = {matmul_flops_per_s},
                            .measured = true,
                            .source = "measured here"});
  machine.links.push_back(link_between(Tier::device, Tier::disk, out_bytes_per_s, both_out_bytes_per_s,
                                       latency_ns, smallest_bytes));
  machine.links.push_back(link_between(Tier::disk, Tier::device, in_bytes_per_s, both_in_bytes_per_s,
                                       latency_ns, smallest_bytes));
  machine.source = "measured here";
  return with_tiers(std::move(machine), std::nullopt, disk_bytes);
}

std::string represent(const Machine& self) {
  return "<worktop.Machine '" + self.name + "'>";
}

}  // namespace

void bind_machine(nb::module_& m) {
  nb::class_<Machine>(m, "Machine", "What a step runs on: tiers of memory, links between them, rates.")
      .def_prop_ro("name", [](const Machine& self) { return self.name; })
      .def_prop_ro("title", [](const Machine& self) { return self.title; })
      .def_prop_ro(
          "kind", [](const Machine& self) { return self.kind; }, "gpu, tpu or cpu.")
      .def_prop_ro("usable_bytes", [](const Machine& self) { return number(self.usable_bytes); })
      .def_prop_ro(
          "default_budget_bytes", [](const Machine& self) { return number(self.default_budget()); },
          "Usable less context less margin.")
      .def_prop_ro("host_bytes", [](const Machine& self) { return number(self.host_bytes); })
      .def_prop_ro("disk_bytes", [](const Machine& self) { return number(self.disk_bytes); })
      .def(
          "with_tiers",
          [](const Machine& self, Size host, Size disk) { return with_tiers(self, host, disk); },
          nb::kw_only(), "host_bytes"_a = nb::none(), "disk_bytes"_a = nb::none(),
          "The same machine with these lower tiers; None: the tier is absent.")
      .def("__repr__", represent);
  m.def("machine", machine_by_name, "name"_a, nb::kw_only(), "host_bytes"_a = nb::none(),
        "disk_bytes"_a = nb::none(), "A machine of the catalogue, by name or unambiguous prefix.");
  m.def(
      "read_machine", [](const std::string& text) { return unwrap(format::read_machine_file(text)); },
      "text"_a, "A machine from the text of a machine file.");
  m.def("machine_json", format::write_machine_file, "machine"_a, "The text of its machine file.");
  m.def("cpu_machine", cpu_machine, "name"_a, nb::kw_only(), "usable_bytes"_a, "disk_bytes"_a.none(),
        "out_bytes_per_s"_a, "in_bytes_per_s"_a, "both_out_bytes_per_s"_a, "both_in_bytes_per_s"_a,
        "latency_ns"_a, "compute_slowdown"_a, "matmul_flops_per_s"_a, "vector_flops_per_s"_a,
        "memory_bandwidth_bytes_per_s"_a, "smallest_bytes"_a = 1 << 20,
        "A CPU whose memory is the device tier, with a disk below it (None: no disk). both_*: the rate of a "
        "link\n"
        "while the other direction is busy too.");
}

}  // namespace worktop::python
