#include "format/model_index.h"

#include "base/names.h"
#include "format/builtin.h"
#include "format/json_cursor.h"
#include "format/model_config.h"

namespace worktop::format {
namespace {

using base::Result;

constexpr std::int64_t kMost = std::int64_t{1} << 53;

Result<KnownModel> read_entry(const JsonCursor& cursor) {
  WORKTOP_TRY(const JsonObject entry, cursor.object());
  KnownModel model;
  WORKTOP_TRY(model.name, entry.string("name"));
  WORKTOP_TRY(model.title, entry.string("title"));
  WORKTOP_TRY(const JsonArray aliases, entry.array("aliases"));
  for (const JsonCursor alias : aliases) {
    WORKTOP_TRY(const std::string_view text, alias.string());
    model.aliases.emplace_back(text);
  }
  WORKTOP_TRY(model.config, entry.boolean("config"));
  WORKTOP_TRY(model.family, entry.string("family"));
  WORKTOP_TRY(model.architecture, entry.string("arch"));
  WORKTOP_TRY(model.layers, entry.integer("layers", 0, kMost));
  WORKTOP_TRY(model.hidden, entry.integer("hidden", 0, kMost));
  WORKTOP_TRY(model.parameters, entry.integer("params_computed", 0, kMost));
  WORKTOP_TRY(model.published, entry.string("params_published"));
  WORKTOP_TRY(model.source, entry.string("source"));
  return model;
}

Result<std::string_view> builtin_text(std::string_view folder, std::string_view name) {
  for (const BuiltinFile& file : builtin_files())
    if (file.folder == folder && file.name == name) return file.text;
  return base::fail(base::ErrorCode::input, "a file is missing from the program",
                    std::string(folder) + "/" + std::string(name), "list it in data/index.txt");
}

}  // namespace

Result<std::vector<KnownModel>> read_model_index(std::string_view text) {
  WORKTOP_TRY(const JsonDocument document, JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject file, document.root().object());
  WORKTOP_CHECK(file.is_format("worktop-models", 1));
  WORKTOP_TRY(const JsonArray entries, file.array("models"));
  std::vector<KnownModel> models;
  for (const JsonCursor entry : entries) {
    WORKTOP_TRY(KnownModel model, read_entry(entry));
    models.push_back(std::move(model));
  }
  return models;
}

Result<std::vector<KnownModel>> known_models() {
  WORKTOP_TRY(const std::string_view text, builtin_text("models", "index.json"));
  return read_model_index(text);
}

Result<KnownModel> find_model(std::string_view typed) {
  WORKTOP_TRY(const std::vector<KnownModel> models, known_models());
  std::vector<std::string> names;
  for (const KnownModel& model : models) {
    for (const std::string& alias : model.aliases)
      if (alias == typed) return model;
    names.push_back(model.name);
  }
  WORKTOP_TRY(const std::string name, base::resolve_name("model", typed, names));
  for (const KnownModel& model : models)
    if (model.name == name) return model;
  return base::fail(base::ErrorCode::usage, "no such model", name);
}

Result<model::Decoder> builtin_decoder(std::string_view typed) {
  WORKTOP_TRY(const KnownModel model, find_model(typed));
  if (!model.config)
    return base::fail(
        base::ErrorCode::usage, model.name + " is known by its figures only, so that it can't be planned",
        "MODEL", "give its config.json if it is a dense decoder; 'worktop models' lists what can be planned");
  WORKTOP_TRY(const std::string_view text, builtin_text("models/" + model.name, "config.json"));
  return read_model_config(text, model.name);
}

}  // namespace worktop::format
