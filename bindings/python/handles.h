// What Python objects hold: shared ownership of what rooms hand on, which is never changed afterwards. A part
// of an answer (a plan of its list) shares the ownership of the whole.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advisor/advisor.h"
#include "plan/memory.h"
#include "simulator/simulate.h"

namespace worktop::python {

struct GraphHandle {
  std::shared_ptr<const graph::Graph> graph;
};
struct PlanHandle {
  std::shared_ptr<const plan::Plan> plan;
};
struct SubjectHandle {
  std::shared_ptr<const advisor::Subject> subject;
};

// `whole` keeps `part` alive.
template <class Part, class Whole>
std::shared_ptr<const Part> part_of(const std::shared_ptr<const Whole>& whole, const Part& part) {
  return std::shared_ptr<const Part>(whole, &part);
}

// Quantities as Python ints, in the unit that the attribute's name says.
template <class Tag>
std::int64_t number(base::Quantity<Tag> quantity) {
  return quantity.count();
}
template <class Tag>
std::optional<std::int64_t> number(const std::optional<base::Quantity<Tag>>& quantity) {
  if (!quantity) return std::nullopt;
  return quantity->count();
}

using Numbers = std::vector<std::int64_t>;
[[nodiscard]] Numbers numbers_of(const cost::Durations& durations);
// One per op of the graph, none negative.
[[nodiscard]] cost::Durations durations_of(const Numbers& durations_ns, const graph::Graph& graph);

// Raises what `plan/legal` finds.
void require_legal(const advisor::Subject& subject, const plan::Plan& plan);

// One function a room; the order is that of the house.
void bind_machine(nanobind::module_& m);
void bind_graph(nanobind::module_& m);
void bind_cost(nanobind::module_& m);
void bind_plan(nanobind::module_& m);
void bind_simulator(nanobind::module_& m);
void bind_report(nanobind::module_& m);
void bind_advisor(nanobind::module_& m);
void bind_format(nanobind::module_& m);

}  // namespace worktop::python
