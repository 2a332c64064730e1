#include "sources.h"

#include <filesystem>

#include "files.h"
#include "format/json_cursor.h"
#include "format/machine_catalog.h"
#include "format/machine_json.h"
#include "format/model_config.h"
#include "format/model_index.h"
#include "format/plan_json.h"

namespace worktop::cli {
namespace {

using base::Result;

constexpr std::string_view kConfig = "/config.json";

bool looks_like_path(const std::string& argument) {
  return argument.find('/') != argument.npos || argument.ends_with(".json");
}

// The value of the key "format"; none where there is no such key, as in a config.json.
Result<std::optional<std::string>> format_of(const std::string& text) {
  WORKTOP_TRY(const format::JsonDocument document, format::JsonDocument::parse(text));
  WORKTOP_TRY(const format::JsonObject file, document.root().object());
  const auto format = file.find("format");
  if (!format || format->kind() != format::JsonKind::string) return std::nullopt;
  WORKTOP_TRY(const std::string_view name, format->string());
  return std::string(name);
}

// A config.json is called after its folder, another file after itself.
std::string model_name(const std::string& path) {
  const std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  const bool config = file.filename() == "config.json" && file.has_parent_path();
  const std::string name = config ? file.parent_path().filename().string() : file.stem().string();
  return name.empty() ? "model" : name;
}

Result<Source> read_source(const std::string& path, std::string text) {
  WORKTOP_TRY(const std::optional<std::string> format, format_of(text));
  Source source;
  if (!format) {
    WORKTOP_TRY(source.decoder, format::read_model_config(text, model_name(path)));
  } else if (*format == format::kPlanFormat) {
    source.plan_text = std::move(text);
  } else {
    WORKTOP_TRY(source.graph, format::read_graph_file(text));
  }
  return source;
}

Result<Source> load_file(const std::string& path) {
  WORKTOP_TRY(std::string text, read_file(path));
  return in_file(path, read_source(path, std::move(text)));
}

Result<Source> load_builtin(const std::string& name) {
  Source source;
  WORKTOP_TRY(source.decoder, format::builtin_decoder(name));
  return source;
}

bool is_builtin(const std::string& name) {
  const auto models = format::known_models();
  if (!models) return false;
  for (const format::KnownModel& model : *models)
    if (model.name == name) return true;
  return false;
}

}  // namespace

Result<Source> load_model(const std::string& argument) {
  if (looks_like_path(argument) || !is_builtin(argument)) {
    const std::string config = argument + std::string(kConfig);
    if (is_folder(argument) && is_file(config)) return load_file(config);
    if (is_file(argument) || argument.ends_with(".json")) return load_file(argument);
    if (looks_like_path(argument) && is_folder(argument))
      return base::fail(base::ErrorCode::input, "there is no config.json in this folder", argument,
                        "give a config.json, a step-graph file, or a name of 'worktop models'");
    if (argument.starts_with("/") || argument.starts_with(".")) return load_file(argument);
  }
  auto source = load_builtin(argument);
  if (!source && source.error().where.empty()) {
    source.error().where = "MODEL";
    source.error().hint += "; 'worktop models' lists the names, and a path to a config.json is as good";
  }
  return source;
}

Result<machine::Machine> load_machine(const std::string& argument) {
  if (looks_like_path(argument) || is_file(argument)) {
    WORKTOP_TRY(const std::string text, read_file(argument));
    return in_file(argument, format::read_machine_file(text));
  }
  auto machine = format::find_machine(argument);
  if (!machine && machine.error().where.empty()) {
    machine.error().where = "--machine";
    machine.error().hint += "; 'worktop machines' lists the names, and a machine file is as good";
  }
  return machine;
}

Result<format::GraphFile> load_graph(const std::string& path) {
  WORKTOP_TRY(const std::string text, read_file(path));
  return in_file(path, format::read_graph_file(text));
}

}  // namespace worktop::cli
