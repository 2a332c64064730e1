// src/advisor for Python: what is asked about, and the questions. The interpreter's lock is free while they
// work.
#include "advisor/advisor.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <utility>

#include "answers.h"
#include "errors.h"
#include "format/policy_json.h"
#include "plan/lower.h"
#include "simulated.h"
#include "solver/strategies.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using Lambda = std::variant<double, std::tuple<double, double, double>>;
using Size = std::optional<std::int64_t>;

SubjectHandle make_subject(const GraphHandle& graph, const std::optional<Numbers>& durations_ns,
                           const machine::Machine& machine) {
  std::optional<cost::Durations> durations;
  if (durations_ns) durations = durations_of(*durations_ns, *graph.graph);
  return {std::make_shared<const advisor::Subject>(
      advisor::subject(*graph.graph, std::move(durations), machine))};
}

// What `given` names.
template <class Enum>
Enum one_of(const char* argument, const std::string& given,
            std::initializer_list<std::pair<const char*, Enum>> values) {
  std::string known;
  for (const auto& [name, value] : values) {
    if (given == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  refuse(std::string("'") + given + "' is no " + argument, argument, "write one of: " + known);
}

solver::Effort effort_named(const std::string& name) {
  using enum solver::Effort;
  return one_of<solver::Effort>("effort", name, {{"quick", quick}, {"normal", normal}, {"deep", deep}});
}

advisor::Minimize goal_named(const std::string& name) {
  using enum advisor::Minimize;
  return one_of<advisor::Minimize>("minimize", name, {{"time", time}, {"peak", peak}, {"cost", cost}});
}

advisor::Lambda weights_of(const Lambda& lambda) {
  if (const double* m = std::get_if<double>(&lambda)) return {*m, 1 - *m, 1 - *m};
  const auto& [memory, compute, transfer] = std::get<1>(lambda);
  return {memory, compute, transfer};
}

// An interrupt of the user stops the search; Python then raises it.
bool go_on(const solver::Progress&) {
  const nb::gil_scoped_acquire lock;
  return PyErr_Occurred() == nullptr && PyErr_CheckSignals() == 0;
}

solver::Options options_of(const std::string& effort, std::uint64_t seed) {
  return {.effort = effort_named(effort), .seed = seed, .executor = nullptr, .on_progress = go_on};
}

// Works on a question with the lock free, and raises what came up meanwhile.
template <class Ask>
auto ask(Ask question) {
  auto answer = [&] {
    const nb::gil_scoped_release free;
    return question();
  }();
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return answer;
}

PlanAnswerHandle plan(const SubjectHandle& self, Size budget_bytes, const std::string& effort,
                      std::uint64_t seed, const std::string& minimize, Size time_limit_ns,
                      const Lambda& lambda) {
  advisor::Question question;
  if (budget_bytes) question.budget = base::Bytes{*budget_bytes};
  if (time_limit_ns) question.time_limit = base::Nanoseconds{*time_limit_ns};
  question.minimize = goal_named(minimize);
  question.lambda = weights_of(lambda);
  question.options = options_of(effort, seed);
  auto answer = unwrap(ask([&] { return advisor::plan(*self.subject, question); }));
  return {self.subject, std::make_shared<const advisor::PlanAnswer>(std::move(answer))};
}

FrontierAnswerHandle frontier(const SubjectHandle& self, std::int32_t points, const std::string& effort,
                              std::uint64_t seed) {
  if (points < 2 || points > 1000)
    refuse(std::to_string(points) + " points", "points", "give a number from 2 to 1000");
  advisor::Question question;
  question.options = options_of(effort, seed);
  auto answer = unwrap(ask([&] { return advisor::frontier(*self.subject, question, points); }));
  return {std::make_shared<const advisor::FrontierAnswer>(std::move(answer))};
}

ExplainAnswerHandle explain(const SubjectHandle& self, const PlanHandle& plan) {
  require_legal(*self.subject, *plan.plan);
  auto answer = unwrap(ask([&] { return advisor::explain(*self.subject, *plan.plan); }));
  return {std::make_shared<const advisor::ExplainAnswer>(std::move(answer))};
}

SimulatedHandle simulate(const SubjectHandle& self, const PlanHandle& plan) {
  require_legal(*self.subject, *plan.plan);
  return ask([&] { return simulated(self, plan); });
}

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

PlanHandle lower(const SubjectHandle& self, const std::string& policy) {
  const advisor::Subject& subject = *self.subject;
  auto plan = ask([&]() -> base::Result<plan::Plan> {
    WORKTOP_TRY(const plan::Policy meant,
                is_json(policy)
                    ? format::read_policy_file(policy)
                    : solver::strategy_by_name(policy, subject.graph, subject.machine, subject.durations));
    return plan::lower(subject.graph, subject.machine, meant, subject.durations.op);
  });
  if (!plan && plan.error().where.empty()) plan.error().where = "policy";
  return {std::make_shared<const plan::Plan>(unwrap(std::move(plan)))};
}

std::string policy_json(const SubjectHandle& self, const PlanHandle& plan) {
  require_legal(*self.subject, *plan.plan);
  return format::write_policy_file(plan::policy_of(self.subject->graph, *plan.plan));
}

}  // namespace

void bind_advisor(nb::module_& m) {
  bind_answers(m);
  nb::class_<SubjectHandle>(m, "Subject",
                            "What is asked about: a step graph with its durations on a machine.")
      .def(
          "__init__",
          [](SubjectHandle* self, const GraphHandle& graph, const std::optional<Numbers>& durations_ns,
             const machine::Machine& machine) {
            new (self) SubjectHandle(make_subject(graph, durations_ns, machine));
          },
          "graph"_a, "durations_ns"_a.none(), "machine"_a,
          "durations_ns: one per op; None: estimated from the machine's rates.")
      .def_prop_ro(
          "graph",
          [](const SubjectHandle& self) { return GraphHandle{part_of(self.subject, self.subject->graph)}; })
      .def_prop_ro("machine", [](const SubjectHandle& self) { return self.subject->machine; })
      .def_prop_ro("durations_ns",
                   [](const SubjectHandle& self) { return numbers_of(self.subject->durations); })
      .def("plan", plan, "budget_bytes"_a = nb::none(), nb::kw_only(), "effort"_a = "normal", "seed"_a = 0,
           "minimize"_a = "time", "time_limit_ns"_a = nb::none(), "lambda_"_a = Lambda(0.5),
           "The best plan within the budget (None: what the machine can use). Infeasible is an answer: its "
           "best is\n"
           "None. minimize: time, peak, or cost with the weights lambda_ (M, or memory, compute, transfer).")
      .def("frontier", frontier, "points"_a = 20, nb::kw_only(), "effort"_a = "normal", "seed"_a = 0,
           "Plans at so many budgets from the least feasible to the keep-all peak.")
      .def("explain", explain, "plan"_a)
      .def("lower", lower, "policy"_a,
           "The plan of a strategy (\"keep_all\", \"checkpoint_every(1)\", ...) or of a policy file's text.")
      .def("simulate", simulate, "plan"_a, "What would happen.")
      .def("policy_json", policy_json, "plan"_a, "The fates by name, to be lowered onto another graph.");
}

}  // namespace worktop::python
