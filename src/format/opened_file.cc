#include "format/opened_file.h"

#include <utility>

#include "format/json_names.h"
#include "format/machine_json.h"
#include "format/model_config.h"

namespace worktop::format {
namespace {

using base::Result;

constexpr std::size_t kLongestName = 200;

Result<OpenedFile> open_plan(OpenedFile opened, std::string_view text) {
  WORKTOP_TRY(PlanFile file, read_plan_file(text));
  opened.kind = FileKind::plan;
  opened.title = file.graph.name();
  opened.plan = std::move(file.plan);
  opened.machine = std::move(file.machine);
  opened.graph = GraphFile{std::move(file.graph), std::move(file.durations)};
  return opened;
}

Result<OpenedFile> open_report(OpenedFile opened, const JsonObject& file, std::string_view text) {
  WORKTOP_CHECK(file.is_format(kReportFormat, 1));
  opened.kind = FileKind::report;
  WORKTOP_TRY(opened.title, file.string_or("title", opened.name));
  WORKTOP_TRY(const JsonArray files, file.array("files"));
  for (const JsonCursor entry : files) {
    WORKTOP_TRY(const JsonObject object, entry.object());
    NamedText inner;
    WORKTOP_TRY(inner.name, object.string("name"));
    WORKTOP_TRY(inner.text, object.string("text"));
    opened.files.push_back(std::move(inner));
  }
  opened.state = text;
  return opened;
}

Result<OpenedFile> open_measurements(OpenedFile opened, const JsonObject& file) {
  WORKTOP_TRY(Measurements measurements, read_measurements(file));
  opened.kind = FileKind::measurements;
  opened.title = std::move(measurements.model);
  opened.measured = std::move(measurements.rows);
  return opened;
}

Result<OpenedFile> open_without_format(OpenedFile opened, const JsonObject& file, std::string_view text) {
  if (looks_like_measurements(file)) return open_measurements(std::move(opened), file);
  opened.kind = FileKind::config;
  opened.title = opened.name.substr(0, opened.name.rfind(".json"));
  WORKTOP_TRY(opened.decoder, read_model_config(text, opened.title));
  return opened;
}

}  // namespace

std::string_view name_of(FileKind kind) {
  constexpr std::string_view kNames[] = {"plan",   "graph", "config",      "machine",
                                         "report", "state", "measurements"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<OpenedFile> open_file(std::string name, std::string_view text) {
  OpenedFile opened;
  opened.name = std::move(name).substr(0, kLongestName);
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject file, document.root().object());
  const auto named = file.find("format");
  if (!named || named->kind() != JsonKind::string) return open_without_format(std::move(opened), file, text);
  WORKTOP_TRY(const std::string_view format, named->string());
  if (format == kPlanFormat) return open_plan(std::move(opened), text);
  if (format == kReportFormat) return open_report(std::move(opened), file, text);
  if (format == kStateFormat) {
    opened.kind = FileKind::state;
    opened.title = opened.name;
    opened.state = text;
    return opened;
  }
  if (format == kMachineFormat) {
    WORKTOP_TRY(opened.machine, read_machine_file(text));
    opened.kind = FileKind::machine;
    opened.title = opened.machine->title;
    return opened;
  }
  WORKTOP_TRY(opened.graph, read_graph_file(text));
  opened.kind = FileKind::graph;
  opened.title = opened.graph->graph.name();
  return opened;
}

}  // namespace worktop::format
