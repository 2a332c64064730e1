// src/cost for Python: the ledger, with the arguments of `worktop ledger`.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "cost/durations.h"
#include "cost/ledger.h"
#include "errors.h"
#include "format/ledger_json.h"
#include "format/ledger_text.h"
#include "format/sizes.h"
#include "handles.h"

namespace worktop::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using cost::Ledger;
using cost::LedgerRow;
using cost::LedgerStrategy;
using Text = std::optional<std::string>;
using Lambda = std::variant<double, std::tuple<double, double, double>>;
using Interval = std::tuple<double, std::optional<double>, Text>;

constexpr double kBytesInGb = 1e9;

std::string name(LedgerStrategy strategy) {
  return std::string(cost::name_of(strategy));
}
Text name(const std::optional<LedgerStrategy>& strategy) {
  if (!strategy) return std::nullopt;
  return name(*strategy);
}

// The value, or the error with the argument's name as its place.
template <class T>
T read(const char* argument, base::Result<T> result) {
  if (!result && result.error().where.empty()) result.error().where = argument;
  return unwrap(std::move(result));
}
double gigabytes(const char* argument, const std::string& text) {
  return read(argument, format::parse_bytes(text)).as_double() / kBytesInGb;
}
double seconds(const char* argument, const std::string& text) {
  return ratio(read(argument, format::parse_duration(text)), base::kSecond);
}
template <class Parse>
std::optional<double> maybe(const char* argument, const Text& text, Parse parse) {
  if (!text) return std::nullopt;
  return parse(argument, *text);
}

cost::Weights weights_of(const Lambda& lambda) {
  if (const double* one = std::get_if<double>(&lambda)) return cost::Weights::of(*one);
  const auto& [memory, compute, transfer] = std::get<1>(lambda);
  return {memory, compute, transfer};
}

Ledger make(std::int64_t layers, const std::string& activation, const std::string& forward,
            const std::string& bandwidth, const std::string& base, std::optional<std::int64_t> segments,
            std::optional<double> beta, const Lambda& lambda, const Text& compete, const Text& memory_limit,
            const Text& time_limit, const Text& window, const Text& compute_limit) {
  cost::LedgerQuestion question;
  question.kitchen = {
      .layers = layers,
      .activation_gb = gigabytes("activation", activation),
      .base_gb = gigabytes("base", base),
      .forward_s = seconds("forward", forward),
      .bandwidth_gb_per_s = read("bandwidth", format::parse_bandwidth(bandwidth)).per_second / kBytesInGb};
  question.weights = weights_of(lambda);
  question.limits = {.memory_gb = maybe("memory_limit", memory_limit, gigabytes),
                     .time_s = maybe("time_limit", time_limit, seconds)};
  question.segments = segments;
  question.beta = beta;
  if (compete) question.compete = read("compete", cost::parse_competitors(*compete, beta.has_value()));
  question.transfer_window_s = maybe("window", window, seconds);
  question.compute_limit_s = maybe("compute_limit", compute_limit, seconds);
  return unwrap(cost::make_ledger(question));
}

std::vector<Interval> intervals(const std::vector<cost::WinnerInterval>& changes) {
  std::vector<Interval> list;
  for (const cost::WinnerInterval& change : changes)
    list.emplace_back(change.from, change.to, name(change.winner));
  return list;
}

void bind_rows(nb::module_& m) {
  nb::class_<LedgerRow>(m, "LedgerRow")
      .def_prop_ro("strategy", [](const LedgerRow& self) { return name(self.strategy); })
      .def_ro("memory_gb", &LedgerRow::memory_gb)
      .def_ro("extra_compute_s", &LedgerRow::extra_compute_s)
      .def_ro("extra_transfer_s", &LedgerRow::extra_transfer_s)
      .def_ro("cost", &LedgerRow::cost)
      .def_ro("r_mem", &LedgerRow::r_mem)
      .def_ro("r_mem_total", &LedgerRow::r_mem_total)
      .def_ro("r_cost", &LedgerRow::r_cost)
      .def_ro("competes", &LedgerRow::competes)
      .def_ro("over_memory", &LedgerRow::over_memory)
      .def_ro("over_time", &LedgerRow::over_time)
      .def_prop_ro("fits", &LedgerRow::fits);
}

void bind_ledger(nb::module_& m) {
  nb::class_<Ledger>(m, "Ledger",
                     "The answer of the closed form. GB are 10^9 bytes; changes are (from, to, winner).")
      .def_ro("segments", &Ledger::segments, "The K of the rows.")
      .def_ro("rows", &Ledger::rows)
      .def_prop_ro(
          "best", [](const Ledger& self) { return name(self.best); }, "None: nothing keeps the limits.")
      .def_prop_ro("best_without_limits", [](const Ledger& self) { return name(self.best_without_limits); })
      .def_ro("memory_binds", &Ledger::memory_binds)
      .def_ro("time_binds", &Ledger::time_binds)
      .def_prop_ro("best_segments", [](const Ledger& self) { return self.best_segments.without_limits; })
      .def_prop_ro("best_segments_within_limits",
                   [](const Ledger& self) { return self.best_segments.within_limits; })
      .def_prop_ro("beta_least", [](const Ledger& self) { return self.beta_range.least; })
      .def_prop_ro("beta_greatest", [](const Ledger& self) { return self.beta_range.greatest; })
      .def_prop_ro("lambda_changes", [](const Ledger& self) { return intervals(self.changes.lambda); })
      .def_prop_ro("bandwidth_changes", [](const Ledger& self) { return intervals(self.changes.bandwidth); })
      .def("text", format::ledger_text, "What `worktop ledger` prints.")
      .def("json", [](const Ledger& self) { return format::ledger_json(self); });
}

}  // namespace

Numbers numbers_of(const cost::Durations& durations) {
  Numbers list;
  list.reserve(static_cast<std::size_t>(durations.op.size()));
  for (const base::Nanoseconds ns : durations.op) list.push_back(ns.count());
  return list;
}

cost::Durations durations_of(const Numbers& durations_ns, const graph::Graph& graph) {
  if (durations_ns.size() != static_cast<std::size_t>(graph.op_count()))
    refuse(
        std::to_string(durations_ns.size()) + " durations for " + std::to_string(graph.op_count()) + " ops",
        "durations_ns", "give one per op, in program order");
  cost::Durations durations;
  durations.op.reserve(graph.op_count());
  for (const std::int64_t ns : durations_ns) {
    if (ns < 0 || base::Nanoseconds{ns} > base::Nanoseconds::largest())
      refuse("a duration of " + std::to_string(ns) + " ns", "durations_ns",
             "give whole nanoseconds, 0 or more");
    durations.op.push_back(base::Nanoseconds{ns});
  }
  return durations;
}

void bind_cost(nb::module_& m) {
  bind_rows(m);
  bind_ledger(m);
  m.def(
      "ledger", make, nb::kw_only(), "layers"_a, "activation"_a, "forward"_a, "bandwidth"_a, "base"_a = "0B",
      "segments"_a = nb::none(), "beta"_a = nb::none(), "lambda_"_a = Lambda(0.5), "compete"_a = nb::none(),
      "memory_limit"_a = nb::none(), "time_limit"_a = nb::none(), "window"_a = nb::none(),
      "compute_limit"_a = nb::none(),
      "The closed form, with the arguments of `worktop ledger`: sizes, times and rates as people write them\n"
      "(\"3GB\", \"120s\", \"50GB/s\"). segments None is the best K; lambda_ is M, which means (M, 1-M, "
      "1-M), or\n"
      "three.");
}

}  // namespace worktop::python
