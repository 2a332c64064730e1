// What the advisor answers, field by field.
#include "answers.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "format/explain_json.h"
#include "format/explain_text.h"
#include "format/frontier_json.h"
#include "format/frontier_text.h"
#include "format/plan_answer_json.h"
#include "format/plan_answer_text.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using advisor::Choice;
using advisor::PlanAnswer;
using advisor::PricedChange;

PlanHandle plan_of(const std::shared_ptr<const Choice>& choice) {
  return {part_of(choice, choice->planned.plan)};
}

template <class Answer>
std::vector<ChoiceHandle> choices(const std::shared_ptr<const Answer>& answer) {
  std::vector<ChoiceHandle> list;
  for (const Choice& choice : answer->strategies) list.push_back({part_of(answer, choice)});
  return list;
}

std::map<std::string, std::int64_t> residents_of(const plan::Residents& residents) {
  using enum report::Resident;
  std::map<std::string, std::int64_t> shares;
  for (const report::Resident kind : {weights, gradients, optimizer_states, activations, workspace, other})
    shares[kind == optimizer_states ? "optimizer_states" : report::name_of(kind)] =
        number(report::share_of(residents, kind));
  return shares;
}

void bind_choice(nb::module_& m) {
  const auto planned = [](auto get) {
    return [get](const ChoiceHandle& self) { return get(self.choice->planned); };
  };
  using solver::Planned;
  nb::class_<ChoiceHandle>(m, "Choice", "One plan as it is shown, with what the simulator says of it.")
      .def_prop_ro("name", [](const ChoiceHandle& self) { return self.choice->name; })
      .def_prop_ro("plan", [](const ChoiceHandle& self) { return plan_of(self.choice); })
      .def_prop_ro(
          "fits", [](const ChoiceHandle& self) { return self.choice->fits; },
          "The budgets and the time limit.")
      .def_prop_ro("peak_bytes", planned([](const Planned& p) { return number(p.peak[0]); }),
                   "Of the device.")
      .def_prop_ro("host_peak_bytes", planned([](const Planned& p) { return number(p.peak[1]); }))
      .def_prop_ro("disk_peak_bytes", planned([](const Planned& p) { return number(p.peak[2]); }))
      .def_prop_ro("step_ns", planned([](const Planned& p) { return number(p.step_ns); }))
      .def_prop_ro("recompute_ns", planned([](const Planned& p) { return number(p.recompute_ns); }))
      .def_prop_ro("link_busy_ns", planned([](const Planned& p) { return number(p.link_busy_ns); }))
      .def_prop_ro("stalled_ns", planned([](const Planned& p) { return number(p.stalled_ns); }))
      .def_prop_ro("tokens_per_s", [](const ChoiceHandle& self) { return self.choice->tokens_per_s; })
      .def_prop_ro("cost", [](const ChoiceHandle& self) { return self.choice->cost; })
      .def_prop_ro("r_mem", [](const ChoiceHandle& self) { return self.choice->against.r_mem; })
      .def_prop_ro("r_mem_total", [](const ChoiceHandle& self) { return self.choice->against.r_mem_total; })
      .def_prop_ro("r_cost", [](const ChoiceHandle& self) { return self.choice->against.r_cost; });
  nb::class_<PricedChange>(m, "PricedChange", "What would make an infeasible request fit, planned.")
      .def_ro("name", &PricedChange::name)
      .def_ro("how", &PricedChange::how, "The option of the command line.")
      .def_ro("fits", &PricedChange::fits)
      .def_prop_ro("step_ns", [](const PricedChange& self) { return number(self.step_ns); })
      .def_ro("tokens_per_s", &PricedChange::tokens_per_s)
      .def_prop_ro("least_feasible_bytes",
                   [](const PricedChange& self) { return number(self.least_feasible); });
}

// What was asked for, and what came of it in general.
void bind_request(nb::class_<PlanAnswerHandle>& type) {
  const auto get = [](auto field) {
    return [field](const PlanAnswerHandle& self) { return field(*self.answer); };
  };
  type.def_prop_ro("graph_name", get([](const PlanAnswer& a) { return a.graph_name; }))
      .def_prop_ro("machine_name", get([](const PlanAnswer& a) { return a.machine_name; }))
      .def_prop_ro("usable_bytes", get([](const PlanAnswer& a) { return number(a.budget.usable); }))
      .def_prop_ro("context_bytes", get([](const PlanAnswer& a) { return number(a.budget.context); }))
      .def_prop_ro("margin_bytes", get([](const PlanAnswer& a) { return number(a.budget.margin); }))
      .def_prop_ro("budget_bytes", get([](const PlanAnswer& a) { return number(a.budget.budget); }))
      .def_prop_ro("budget_asked", get([](const PlanAnswer& a) { return a.budget.asked; }))
      .def_prop_ro("host_bytes", get([](const PlanAnswer& a) { return number(a.host); }))
      .def_prop_ro("disk_bytes", get([](const PlanAnswer& a) { return number(a.disk); }))
      .def_prop_ro("time_limit_ns", get([](const PlanAnswer& a) { return number(a.time_limit); }))
      .def_prop_ro("units_spent", get([](const PlanAnswer& a) { return a.units_spent; }), "Of effort.")
      .def_prop_ro("stopped", get([](const PlanAnswer& a) { return a.stopped; }));
}

// The plan. Without one the request is infeasible.
void bind_best(nb::class_<PlanAnswerHandle>& type) {
  const auto best = [](auto field) {
    return [field](const PlanAnswerHandle& self) -> std::optional<decltype(field(*self.answer->best))> {
      if (!self.answer->best) return std::nullopt;
      return field(*self.answer->best);
    };
  };
  type.def_prop_ro(
          "best",
          [](const PlanAnswerHandle& self) -> std::optional<ChoiceHandle> {
            if (!self.answer->best) return std::nullopt;
            return ChoiceHandle{part_of(self.answer, *self.answer->best)};
          },
          "None: nothing fits.")
      .def_prop_ro(
          "plan",
          [](const PlanAnswerHandle& self) -> std::optional<PlanHandle> {
            if (!self.answer->best) return std::nullopt;
            return PlanHandle{part_of(self.answer, self.answer->best->planned.plan)};
          },
          "Of the best.")
      .def_prop_ro("peak_bytes", best([](const Choice& c) { return number(c.planned.device_peak()); }),
                   "Of the best.")
      .def_prop_ro("step_ns", best([](const Choice& c) { return number(c.planned.step_ns); }), "Of the best.")
      .def_prop_ro(
          "gap", [](const PlanAnswerHandle& self) { return self.answer->gap; },
          "(step_ns - bound_ns) / bound_ns of the best.")
      .def_prop_ro(
          "price_per_gib_ns", [](const PlanAnswerHandle& self) { return number(self.answer->price_per_gib); },
          "What one more GiB would save a step; None: nothing is faster.");
}

// What it is compared with, and what is proven.
void bind_beside(nb::class_<PlanAnswerHandle>& type) {
  type.def_prop_ro("strategies", [](const PlanAnswerHandle& self) { return choices(self.answer); })
      .def_prop_ro("keep_all",
                   [](const PlanAnswerHandle& self) {
                     return ChoiceHandle{part_of(self.answer, self.answer->keep_all)};
                   })
      .def_prop_ro(
          "keep_all_peak_bytes",
          [](const PlanAnswerHandle& self) { return number(self.answer->keep_all.planned.device_peak()); })
      .def_prop_ro("keep_all_step_ns",
                   [](const PlanAnswerHandle& self) { return number(self.answer->keep_all.planned.step_ns); })
      .def_prop_ro(
          "leanest",
          [](const PlanAnswerHandle& self) {
            return ChoiceHandle{part_of(self.answer, self.answer->leanest)};
          },
          "The plan of the least peak that was found.")
      .def_prop_ro("leanest_plan",
                   [](const PlanAnswerHandle& self) {
                     return PlanHandle{part_of(self.answer, self.answer->leanest.planned.plan)};
                   })
      .def_prop_ro(
          "least_feasible_bytes",
          [](const PlanAnswerHandle& self) { return number(self.answer->leanest.planned.device_peak()); },
          "Its peak.")
      .def_prop_ro(
          "least_possible_bytes",
          [](const PlanAnswerHandle& self) { return number(self.answer->least_possible); },
          "Proven: no legal plan has a smaller peak.")
      .def_prop_ro(
          "bound_ns", [](const PlanAnswerHandle& self) { return number(self.answer->bound_ns); },
          "Proven: no legal plan is faster.")
      .def_prop_ro(
          "changes", [](const PlanAnswerHandle& self) { return self.answer->changes; }, "If infeasible.");
}

void bind_peak(nb::class_<PlanAnswerHandle>& type) {
  using Shares = std::map<std::string, std::int64_t>;
  type.def_prop_ro(
          "residents",
          [](const PlanAnswerHandle& self) -> std::optional<Shares> {
            if (!self.answer->residents) return std::nullopt;
            return residents_of(*self.answer->residents);
          },
          "Bytes by kind, at the peak of the best; of the leanest if infeasible. They sum to the peak.")
      .def_prop_ro(
          "peak_op", [](const PlanAnswerHandle& self) { return self.answer->peak_op; }, "What runs then.")
      .def_prop_ro(
          "at_peak", [](const PlanAnswerHandle& self) { return self.answer->at_peak; }, "Largest first.")
      .def_prop_ro(
          "attack", [](const PlanAnswerHandle& self) { return self.answer->attack; }, "Largest first.")
      .def_prop_ro("picks", [](const PlanAnswerHandle& self) { return self.answer->picks; });
}

void bind_plan_answer(nb::module_& m) {
  nb::class_<PlanAnswerHandle> type(m, "PlanAnswer", "The plan, what it costs, and what else there is.");
  bind_request(type);
  bind_best(type);
  bind_beside(type);
  bind_peak(type);
  type.def(
          "text", [](const PlanAnswerHandle& self) { return format::plan_answer_text(*self.answer); },
          "What `worktop plan` prints.")
      .def(
          "json",
          [](const PlanAnswerHandle& self) { return format::plan_answer_json(*self.subject, *self.answer); },
          "What `worktop plan --json` prints.");
}

void bind_frontier(nb::module_& m) {
  using Handle = FrontierAnswerHandle;
  nb::class_<Handle>(m, "FrontierAnswer", "The plans that no other plan beats in both memory and time.")
      .def_prop_ro(
          "points", [](const Handle& self) { return self.answer->points; },
          "Ascending in peak, strictly falling in time.")
      .def_prop_ro("strategies", [](const Handle& self) { return choices(self.answer); })
      .def_prop_ro(
          "keep_all",
          [](const Handle& self) { return ChoiceHandle{part_of(self.answer, self.answer->keep_all)}; })
      .def_prop_ro("picks", [](const Handle& self) { return self.answer->picks; })
      .def_prop_ro("least_possible_bytes",
                   [](const Handle& self) { return number(self.answer->least_possible); })
      .def_prop_ro("bound_ns", [](const Handle& self) { return number(self.answer->bound_ns); })
      .def_prop_ro("stopped", [](const Handle& self) { return self.answer->stopped; })
      .def(
          "text", [](const Handle& self) { return format::frontier_text(*self.answer); },
          "What `worktop frontier` prints.")
      .def("json", [](const Handle& self) { return format::frontier_json(*self.answer); });
}

void bind_explanation(nb::module_& m) {
  using Handle = ExplainAnswerHandle;
  nb::class_<Handle>(m, "ExplainAnswer",
                     "Who is in memory at the peak, and why each activation has its fate.")
      .def_prop_ro("made_by", [](const Handle& self) { return self.answer->made_by; })
      .def_prop_ro("peak_bytes", [](const Handle& self) { return number(self.answer->peak); })
      .def_prop_ro("step_ns", [](const Handle& self) { return number(self.answer->step_ns); })
      .def_prop_ro("residents", [](const Handle& self) { return residents_of(self.answer->residents); })
      .def_prop_ro("peak_op", [](const Handle& self) { return self.answer->peak_op; })
      .def_prop_ro(
          "at_peak", [](const Handle& self) { return self.answer->at_peak; }, "Largest first.")
      .def_prop_ro(
          "reasons", [](const Handle& self) { return self.answer->reasons; }, "Largest first.")
      .def(
          "text", [](const Handle& self) { return format::explain_text(*self.answer); },
          "What `worktop explain` prints.")
      .def("json", [](const Handle& self) { return format::explain_json(*self.answer); });
}

}  // namespace

void bind_answers(nb::module_& m) {
  bind_choice(m);
  bind_plan_answer(m);
  bind_frontier(m);
  bind_explanation(m);
}

}  // namespace worktop::python
