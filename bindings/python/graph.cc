// src/graph for Python.
#include "graph/graph.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "capsules.h"
#include "format/plan_json.h"
#include "handles.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

const char* name_of(graph::Phase phase) {
  switch (phase) {
    case graph::Phase::forward:
      return "forward";
    case graph::Phase::backward:
      return "backward";
    case graph::Phase::optimizer:
      return "optimizer";
  }
  return "forward";
}

const graph::Op& op(const GraphHandle& self, std::int32_t i) {
  if (i < 0 || i >= self.graph->op_count()) throw nb::index_error("no op has this index");
  return self.graph->op(graph::OpId{i});
}

graph::ValueId value_id(const GraphHandle& self, std::int32_t i) {
  if (i < 0 || i >= self.graph->value_count()) throw nb::index_error("no value has this index");
  return graph::ValueId{i};
}
const graph::Value& value(const GraphHandle& self, std::int32_t i) {
  return self.graph->value(value_id(self, i));
}

std::optional<std::int32_t> producer(const GraphHandle& self, std::int32_t i) {
  const graph::OpId id = value(self, i).producer;
  if (!id.exists()) return std::nullopt;
  return id.index();
}

std::string represent(const GraphHandle& self) {
  return "<worktop.Graph '" + self.graph->name() + "': " + std::to_string(self.graph->op_count()) + " ops, " +
         std::to_string(self.graph->value_count()) + " values>";
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<GraphHandle>(m, "Graph", "A step graph: ops in program order over values, named by index.")
      .def_static(
          "from_capsule",
          [](const nb::capsule& capsule) {
            return GraphHandle{from_capsule<graph::Graph>(capsule, kGraphCapsule)};
          },
          "capsule"_a, "The graph in a capsule named worktop.graph, shared, not copied.")
      .def("capsule", [](const GraphHandle& self) { return to_capsule(self.graph, kGraphCapsule); })
      .def_prop_ro("name", [](const GraphHandle& self) { return self.graph->name(); })
      .def_prop_ro(
          "hash", [](const GraphHandle& self) { return format::print_hash(self.graph->hash()); },
          "Sixteen hexadecimal digits over all that a plan can depend on.")
      .def_prop_ro("op_count", [](const GraphHandle& self) { return self.graph->op_count(); })
      .def_prop_ro("value_count", [](const GraphHandle& self) { return self.graph->value_count(); })
      .def_prop_ro("micro_steps", [](const GraphHandle& self) { return self.graph->micro_steps(); })
      .def_prop_ro("tokens_per_step", [](const GraphHandle& self) { return self.graph->tokens_per_step(); })
      .def(
          "op_name", [](const GraphHandle& self, std::int32_t i) { return op(self, i).name; }, "op"_a)
      .def(
          "op_kind", [](const GraphHandle& self, std::int32_t i) { return op(self, i).kind; }, "op"_a)
      .def(
          "op_phase", [](const GraphHandle& self, std::int32_t i) { return name_of(op(self, i).phase); },
          "op"_a, "forward, backward or optimizer.")
      .def(
          "value_name", [](const GraphHandle& self, std::int32_t i) { return value(self, i).name; },
          "value"_a)
      .def(
          "value_bytes", [](const GraphHandle& self, std::int32_t i) { return number(value(self, i).bytes); },
          "value"_a)
      .def("producer", producer, "value"_a,
           "The op that writes the value; None: it is there before the step.")
      .def(
          "decidable",
          [](const GraphHandle& self, std::int32_t i) { return self.graph->decidable(value_id(self, i)); },
          "value"_a, "Whether a plan chooses its fate.")
      .def(
          "recomputable",
          [](const GraphHandle& self, std::int32_t i) { return self.graph->recomputable(value_id(self, i)); },
          "value"_a, "Whether it can be made again.")
      .def("__repr__", represent);
}

}  // namespace worktop::python
