// Which strategy does a name mean, as the user types it after --as?
#include <algorithm>
#include <optional>
#include <string_view>

#include "base/names.h"
#include "solver/strategies.h"

namespace worktop::solver {
namespace {

// Arguments in thousandths. Those that count something are whole numbers.
struct Parameter {
  bool whole = false;
  std::int32_t otherwise = 0;
};
struct Form {
  std::string name;
  std::vector<Parameter> parameters;
};

// offload_all takes the name of a tier, and is read on its own.
std::vector<Form> forms(const Graph& graph) {
  const Parameter one{true, 1000}, segments{true, 1000 * usual_segments(graph)},
      layers{true, 1000 * layer_count(graph)}, half{false, 500}, twice{false, 2000};
  return {{"keep_all", {}},      {"checkpoint", {segments}},   {"checkpoint_every", {one}},
          {"recompute_all", {}}, {"offload_all", {}},          {"hybrid", {half, layers}},
          {"ratio", {twice}},    {"save_matmuls", {}},         {"attention_core", {}},
          {"mlp", {}},           {"norms_and_activations", {}}};
}

// "2" -> 2000, "0.25" -> 250; nothing if it is not such a number.
std::optional<std::int32_t> parse_permille(std::string_view text) {
  std::int64_t value = 0;
  std::int32_t decimals = -1;
  for (char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (c >= '0' && c <= '9' && decimals < 3 && value < 1'000'000) {
      value = value * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
    } else {
      return std::nullopt;
    }
  }
  for (std::int32_t i = std::max(decimals, 0); i < 3; ++i) value *= 10;
  if (text.empty() || text == "." || value > 1'000'000'000) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

struct Call {
  std::string_view name;
  std::vector<std::string_view> arguments;
};

// "hybrid(0.5,8)" -> hybrid, {0.5, 8}; "hybrid()" and "hybrid" -> hybrid, {}.
Call parse_call(std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return {text, {}};
  Call call{text.substr(0, open), {}};
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  if (rest.empty()) return call;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view argument = rest.substr(0, comma);
    while (argument.starts_with(' ')) argument.remove_prefix(1);
    call.arguments.push_back(argument);
    if (comma == rest.size()) return call;
    rest.remove_prefix(comma + 1);
  }
}

std::unexpected<base::Error> refused(const std::string& text, const std::string& why,
                                     const std::string& hint =
                                         "write for example checkpoint(8) or "
                                         "hybrid(0.5,8)") {
  return base::fail(base::ErrorCode::usage, "strategy '" + text + "' " + why, "--as", hint);
}

base::Status at_most(std::size_t count, const std::string& text, const Call& call) {
  const std::size_t given = call.arguments.size();
  if (given <= count) return {};
  return refused(text, "has " + std::to_string(given) + (given == 1 ? " argument" : " arguments") + ", and " +
                           std::string(call.name) + " takes " +
                           (count == 0 ? "none" : "at most " + std::to_string(count)));
}

// One number for each parameter, in thousandths.
base::Result<std::vector<std::int32_t>> numbers(const std::string& text, const Call& call,
                                                const std::vector<Parameter>& parameters) {
  WORKTOP_CHECK(at_most(parameters.size(), text, call));
  std::vector<std::int32_t> values;
  for (const Parameter& parameter : parameters) {
    if (values.size() >= call.arguments.size()) {
      values.push_back(parameter.otherwise);
      continue;
    }
    const std::string_view argument = call.arguments[values.size()];
    const auto value = parse_permille(argument);
    if (!value) return refused(text, "has an argument that is no number");
    if (parameter.whole && *value % 1000 != 0)
      return refused(text, "has " + std::string(argument) + " where a whole number belongs");
    values.push_back(*value);
  }
  return values;
}

base::Result<Policy> offload_all_by_name(const std::string& text, const Call& call,
                                         const machine::Machine& machine) {
  using machine::Tier;
  WORKTOP_CHECK(at_most(1, text, call));
  if (call.arguments.empty()) return offload_all(machine.has_tier(Tier::host) ? Tier::host : Tier::disk);
  for (const Tier named : {Tier::host, Tier::disk})
    if (call.arguments[0] == machine::name_of(named)) return offload_all(named);
  return refused(text, "names no lower tier", "write offload_all(host) or offload_all(disk)");
}

}  // namespace

base::Result<Policy> strategy_by_name(const std::string& name, const Graph& graph,
                                      const machine::Machine& machine, const cost::Durations& durations) {
  const Call call = parse_call(name);
  const std::vector<Form> known = forms(graph);
  const auto form = std::ranges::find(known, call.name, &Form::name);
  if (form == known.end()) {
    std::vector<std::string> names;
    for (const Form& f : known) names.push_back(f.name);
    return std::unexpected(base::resolve_name("strategy", call.name, names).error());
  }
  if (call.name == "offload_all") return offload_all_by_name(name, call, machine);
  WORKTOP_TRY(const std::vector<std::int32_t> at, numbers(name, call, form->parameters));
  const machine::Tier tier =
      machine.has_tier(machine::Tier::host) ? machine::Tier::host : machine::Tier::disk;
  if (call.name == "checkpoint") return checkpoint(graph, at[0] / 1000);
  if (call.name == "checkpoint_every") return checkpoint_every(graph, at[0] / 1000);
  if (call.name == "recompute_all") return recompute_all();
  if (call.name == "hybrid") return hybrid(graph, at[0], at[1] / 1000, tier);
  if (call.name == "ratio") return ratio(graph, durations, at[0]);
  if (call.name == "save_matmuls") return save_matmuls(graph);
  if (call.name == "attention_core") return attention_core();
  if (call.name == "mlp") return mlp(graph);
  if (call.name == "norms_and_activations") return norms_and_activations();
  return keep_all();
}

}  // namespace worktop::solver
