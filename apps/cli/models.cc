// worktop models: the models that are known by name, or one of them.
#include "command.h"
#include "format/catalog_json.h"
#include "format/catalog_text.h"
#include "format/model_index.h"
#include "output_options.h"

namespace worktop::cli {
namespace {

struct ModelsOptions {
  Text model;
  OutputOptions output;
};

base::Result<std::vector<format::KnownModel>> chosen(const Text& name) {
  if (!name) return format::known_models();
  WORKTOP_TRY(format::KnownModel model, format::find_model(*name));
  return std::vector{std::move(model)};
}

base::Result<int> run(const ModelsOptions& options, Console& console) {
  options.output.apply(console);
  WORKTOP_TRY(const std::vector<format::KnownModel> models, chosen(options.model));
  WORKTOP_CHECK(console.answer(console.json ? format::models_json(models) : format::models_text(models)));
  return kOk;
}

}  // namespace

Action add_models(CLI::App& app) {
  const auto options = std::make_shared<ModelsOptions>();
  add_text(app, "MODEL", options->model, "", "this one alone: a name or a prefix");
  options->output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
