#include "format/page_question.h"

#include <limits>
#include <utility>

#include "format/json_names.h"
#include "format/json_writer.h"

namespace worktop::format {
namespace {

using base::Bytes;
using base::Nanoseconds;
using base::Result;

constexpr double kAnyNumber = std::numeric_limits<double>::max();
constexpr double kMostThreshold = 1e5;

constexpr NamedValue<solver::Effort> kEfforts[] = {
    {"quick", solver::Effort::quick}, {"normal", solver::Effort::normal}, {"deep", solver::Effort::deep}};
constexpr NamedValue<advisor::Minimize> kGoals[] = {
    {"time", advisor::Minimize::time}, {"peak", advisor::Minimize::peak}, {"cost", advisor::Minimize::cost}};
constexpr NamedValue<advisor::WhichKind> kWhich[] = {{"best", advisor::WhichKind::best},
                                                     {"strategy", advisor::WhichKind::strategy},
                                                     {"point", advisor::WhichKind::point},
                                                     {"file", advisor::WhichKind::file}};

Result<std::optional<std::vector<std::string>>> read_names(const JsonObject& object, std::string_view key) {
  const auto at = object.find_set(key);
  if (!at) return std::nullopt;
  WORKTOP_TRY(const JsonArray list, at->array());
  std::vector<std::string> names;
  for (const JsonCursor entry : list) {
    WORKTOP_TRY(const std::string_view name, entry.string());
    names.emplace_back(name);
  }
  return names;
}

Result<advisor::Lambda> read_lambda(const JsonObject& question) {
  WORKTOP_TRY(const JsonObject given, question.object("lambda"));
  advisor::Lambda lambda;
  WORKTOP_TRY(lambda.memory, given.number("memory", 0, 1e9));
  WORKTOP_TRY(lambda.compute, given.number("compute", 0, 1e9));
  WORKTOP_TRY(lambda.transfer, given.number("transfer", 0, 1e9));
  return lambda;
}

struct ReadLimits {
  std::optional<Bytes> memory;
  std::optional<Nanoseconds> time;
};
Result<ReadLimits> read_limits(const JsonObject& question) {
  WORKTOP_TRY(const JsonObject given, question.object("limits"));
  ReadLimits limits;
  if (const auto at = given.find_set("memory_bytes")) {
    WORKTOP_TRY(limits.memory, at->quantity<Bytes>());
  }
  if (const auto at = given.find_set("time_ns")) {
    WORKTOP_TRY(limits.time, at->quantity<Nanoseconds>());
  }
  return limits;
}

Result<advisor::Parameters> read_parameters(const JsonObject& question) {
  const auto at = question.find_set("parameters");
  if (!at) return advisor::Parameters{};
  WORKTOP_TRY(const JsonObject given, at->object());
  advisor::Parameters parameters;
  if (const auto segments = given.find_set("segments")) {
    WORKTOP_TRY(parameters.segments, segments->integer(1, cost::kMostLayers));
  }
  WORKTOP_TRY(parameters.beta, given.number_or("beta", 0.5, 0, 1));
  WORKTOP_TRY(parameters.threshold, given.number_or("threshold", 2, 0, kMostThreshold));
  return parameters;
}

Result<advisor::Which> read_which(const JsonObject& question, solver::Effort effort) {
  const auto at = question.find_set("plan");
  if (!at) return advisor::Which{.effort = effort};
  WORKTOP_TRY(const JsonObject given, at->object());
  advisor::Which which{.effort = effort};
  WORKTOP_TRY(const JsonCursor kind, given.at("kind"));
  WORKTOP_TRY(which.kind, value_in(kWhich, kind));
  if (which.kind == advisor::WhichKind::strategy || which.kind == advisor::WhichKind::point) {
    WORKTOP_TRY(which.name, given.string("name"));
  }
  if (which.kind == advisor::WhichKind::point) {
    WORKTOP_TRY(const std::int64_t points, given.integer("points", 2, 100));
    which.points = static_cast<std::int32_t>(points);
    WORKTOP_TRY(which.effort, value_or(kEfforts, given, "effort", effort));
  }
  return which;
}

Result<std::int32_t> count_or(const JsonObject& object, std::string_view key, std::int32_t otherwise,
                              std::int32_t least, std::int32_t most) {
  WORKTOP_TRY(const std::int64_t count, object.integer_or(key, otherwise, least, most));
  return static_cast<std::int32_t>(count);
}

void copy(JsonWriter& w, const JsonCursor& value);

void copy_object(JsonWriter& w, const JsonObject& object) {
  w.begin_object();
  for (const JsonObject::Member member : object) {
    w.key(member.key);
    copy(w, member.value);
  }
  w.end();
}

// No deeper than a document may be.
void copy(JsonWriter& w, const JsonCursor& value) {
  switch (value.kind()) {
    case JsonKind::null:
      w.null();
      return;
    case JsonKind::boolean:
      w.value(value.boolean().value_or(false));
      return;
    case JsonKind::number:
      if (const auto whole = value.integer(INT64_MIN, INT64_MAX))
        w.value(*whole);
      else
        w.value(value.number(-kAnyNumber, kAnyNumber).value_or(0));
      return;
    case JsonKind::string:
      w.value(value.string().value_or(std::string_view()));
      return;
    case JsonKind::array:
      w.begin_array();
      if (const auto entries = value.array())
        for (const JsonCursor entry : *entries) copy(w, entry);
      w.end();
      return;
    case JsonKind::object:
      if (const auto object = value.object()) copy_object(w, *object);
      return;
  }
}

}  // namespace

Result<Ask> read_ask(const JsonObject& question) {
  constexpr NamedValue<Ask> kAsks[] = {{"lists", Ask::lists},         {"open", Ask::open},
                                       {"ledger", Ask::ledger},       {"frontier", Ask::frontier},
                                       {"plan", Ask::plan},           {"timeline", Ask::timeline},
                                       {"ratio", Ask::ratio},         {"activations", Ask::activations},
                                       {"plan_file", Ask::plan_file}, {"trace", Ask::trace}};
  WORKTOP_TRY(const JsonCursor ask, question.at("ask"));
  return value_in(kAsks, ask);
}

Result<OpenRequest> read_open(const JsonObject& question) {
  WORKTOP_CHECK(question.only({"ask", "id", "name", "text"}));
  OpenRequest open;
  WORKTOP_TRY(open.id, question.string("id"));
  WORKTOP_TRY(open.name, question.string("name"));
  WORKTOP_TRY(open.text, question.string("text"));
  return open;
}

Result<LedgerRequest> read_ledger_request(const JsonObject& question) {
  WORKTOP_CHECK(
      question.only({"ask", "subject", "lambda", "limits", "parameters", "compete", "map", "curve"}));
  LedgerRequest request;
  WORKTOP_TRY(const advisor::Lambda lambda, read_lambda(question));
  request.question.weights = {lambda.memory, lambda.compute, lambda.transfer};
  WORKTOP_TRY(const ReadLimits limits, read_limits(question));
  if (limits.memory) request.question.limits.memory_gb = ratio(*limits.memory, base::kGB);
  request.time_limit = limits.time;
  WORKTOP_TRY(const advisor::Parameters parameters, read_parameters(question));
  request.question.segments = parameters.segments;
  request.question.beta = parameters.beta;
  WORKTOP_TRY(const auto names, read_names(question, "compete"));
  if (names) {
    request.question.compete.emplace();
    for (const std::string& name : *names) {
      WORKTOP_TRY(const auto chosen, cost::parse_competitors(name, true));
      for (const cost::LedgerStrategy strategy : chosen) request.question.compete->push_back(strategy);
    }
  }
  WORKTOP_TRY(request.map, question.boolean_or("map", true));
  WORKTOP_TRY(request.curve, question.boolean_or("curve", true));
  return request;
}

Result<PlanRequest> read_plan_request(const JsonObject& question) {
  WORKTOP_CHECK(
      question.only({"ask", "subject", "limits", "lambda", "effort", "plan", "minimize", "parameters",
                     "compete", "points", "columns", "most", "threshold", "unfold", "measured"}));
  PlanRequest request;
  WORKTOP_TRY(const ReadLimits limits, read_limits(question));
  request.question.budget = limits.memory;
  request.question.time_limit = limits.time;
  WORKTOP_TRY(request.question.lambda, read_lambda(question));
  WORKTOP_TRY(request.question.minimize, value_or(kGoals, question, "minimize", advisor::Minimize::time));
  WORKTOP_TRY(request.question.options.effort, value_or(kEfforts, question, "effort", solver::Effort::quick));
  WORKTOP_TRY(request.which, read_which(question, request.question.options.effort));
  WORKTOP_TRY(request.parameters, read_parameters(question));
  WORKTOP_TRY(request.compete, read_names(question, "compete"));
  WORKTOP_TRY(request.points, count_or(question, "points", 20, 2, 100));
  WORKTOP_TRY(request.columns, count_or(question, "columns", 1000, 16, 4000));
  WORKTOP_TRY(request.most, count_or(question, "most", 1000, 1, 100'000));
  WORKTOP_TRY(request.threshold, question.number_or("threshold", 2, 0, kMostThreshold));
  WORKTOP_TRY(const auto unfold, read_names(question, "unfold"));
  request.unfold = unfold.value_or(std::vector<std::string>{});
  WORKTOP_TRY(const auto measured, read_names(question, "measured"));
  request.measured = measured.value_or(std::vector<std::string>{});
  return request;
}

std::string canonical(const JsonCursor& value) {
  JsonWriter w;
  copy(w, value);
  return std::move(w).take();
}

}  // namespace worktop::format
