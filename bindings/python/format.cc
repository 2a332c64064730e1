// src/format for Python: graphs and plans as the texts of their files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.h"
#include "format/graph_file.h"
#include "format/graph_json.h"
#include "format/plan_json.h"
#include "format/sizes.h"
#include "handles.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using machine::Machine;

std::optional<cost::Durations> maybe_durations(const std::optional<Numbers>& numbers,
                                               const GraphHandle& graph) {
  if (!numbers) return std::nullopt;
  return durations_of(*numbers, *graph.graph);
}

std::pair<GraphHandle, std::optional<Numbers>> read_graph(const std::string& text) {
  format::GraphFile file = unwrap(format::read_graph_file(text));
  std::optional<Numbers> durations;
  if (file.durations) durations = numbers_of(*file.durations);
  return {GraphHandle{std::make_shared<const graph::Graph>(std::move(file.graph))}, std::move(durations)};
}

std::string write_graph(const GraphHandle& graph, const std::optional<Numbers>& durations_ns) {
  const auto durations = maybe_durations(durations_ns, graph);
  return format::write_graph_json(*graph.graph, durations ? &*durations : nullptr);
}

// What a plan.json held, each part as an object of its own.
struct PlanParts {
  PlanHandle plan;
  GraphHandle graph;
  Machine machine;
  std::optional<Numbers> durations_ns;
};

PlanParts read_plan(const std::string& text, std::optional<GraphHandle> graph,
                    std::optional<Machine> machine) {
  format::PlanFile file = unwrap(
      format::read_plan_file(text, graph ? graph->graph.get() : nullptr, machine ? &*machine : nullptr));
  PlanParts parts{.plan = {std::make_shared<const plan::Plan>(std::move(file.plan))},
                  .graph = {std::make_shared<const graph::Graph>(std::move(file.graph))},
                  .machine = std::move(file.machine),
                  .durations_ns = std::nullopt};
  if (file.durations) parts.durations_ns = numbers_of(*file.durations);
  return parts;
}

std::string write_plan(const PlanHandle& plan, const GraphHandle& graph, const Machine& machine,
                       const std::optional<Numbers>& durations_ns, bool with_graph, bool with_machine) {
  if (plan.plan->graph != graph.graph->hash())
    refuse("the plan belongs to another graph", "plan", "give the graph that it was made for");
  const auto durations = maybe_durations(durations_ns, graph);
  return format::write_plan_file(
      *plan.plan, *graph.graph, machine,
      {.graph = with_graph, .machine = with_machine, .durations = durations ? &*durations : nullptr});
}

std::int64_t parse_bytes(const std::string& text, std::optional<std::int64_t> whole_bytes) {
  base::Limit<base::Bytes> whole;
  if (whole_bytes) whole = base::Bytes{*whole_bytes};
  return unwrap(format::parse_bytes(text, whole)).count();
}

}  // namespace

void bind_format(nb::module_& m) {
  nb::class_<PlanParts>(m, "PlanFile", "What a plan.json holds.")
      .def_ro("plan", &PlanParts::plan)
      .def_ro("graph", &PlanParts::graph)
      .def_ro("machine", &PlanParts::machine)
      .def_ro("durations_ns", &PlanParts::durations_ns);
  m.def("read_graph", read_graph, "text"_a,
        "The graph of a step-graph file of any kind, and its durations or None.");
  m.def("write_graph", write_graph, "graph"_a, "durations_ns"_a = nb::none(),
        "The text of its step-graph file.");
  m.def("read_plan", read_plan, "text"_a, nb::kw_only(), "graph"_a = nb::none(), "machine"_a = nb::none(),
        "A plan.json, judged: what is not legal is refused. graph and machine are used where it has none.");
  m.def("write_plan", write_plan, "plan"_a, "graph"_a, "machine"_a, "durations_ns"_a = nb::none(),
        nb::kw_only(), "with_graph"_a = true, "with_machine"_a = true, "The text of a plan.json.");
  m.def("parse_bytes", parse_bytes, "text"_a, "whole_bytes"_a = nb::none(),
        "Bytes of a size such as 6GiB, 6GB or 4096B; of 80% if a whole is given.");
}

}  // namespace worktop::python
