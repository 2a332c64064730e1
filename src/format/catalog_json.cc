#include "format/catalog_json.h"

#include "format/json_writer.h"
#include "format/machine_json.h"

namespace worktop::format {

std::string machines_json(std::span<const machine::Machine> machines) {
  JsonWriter w(2);
  w.begin_object();
  w.member("format", "worktop-machines");
  w.member("version", 1);
  w.key("machines").begin_array();
  for (const machine::Machine& machine : machines) write_machine(w, machine);
  w.end();
  w.end();
  return std::move(w).take();
}

std::string models_json(std::span<const KnownModel> models) {
  JsonWriter w(2);
  w.begin_object();
  w.member("format", "worktop-models-list");
  w.member("version", 1);
  w.key("models").begin_array();
  for (const KnownModel& model : models) {
    w.begin_object();
    w.member("name", model.name);
    w.member("title", model.title);
    w.key("aliases").begin_row();
    for (const std::string& alias : model.aliases) w.value(alias);
    w.end();
    w.member("can_be_planned", model.config);
    w.member("family", model.family);
    w.member("architecture", model.architecture);
    w.member("parameters", model.parameters);
    w.member("parameters_published", model.published);
    w.member("layers", model.layers);
    w.member("hidden", model.hidden);
    w.member("source", model.source);
    w.end();
  }
  w.end();
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
