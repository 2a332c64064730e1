#include <string>
#include <utility>

#include "format/json_cursor.h"
#include "format/page_answers.h"
#include "format/page_parts.h"

namespace worktop::format {
namespace {

void write_sizes(JsonWriter& w, const OpenedFile& file) {
  const graph::Graph* graph = file.graph ? &file.graph->graph : nullptr;
  w.key("ops");
  if (graph)
    w.value(graph->op_count());
  else
    w.null();
  w.key("values");
  if (graph)
    w.value(graph->value_count());
  else
    w.null();
  w.key("layers");
  if (graph)
    w.value(graph->block_count());
  else if (file.decoder)
    w.value(file.decoder->layers);
  else
    w.null();
}

}  // namespace

std::string page_open_json(const std::string& id, const OpenedFile& file) {
  const bool can_be_planned = file.graph || file.decoder;
  JsonWriter w;
  begin_page_answer(w, "open");
  w.member("id", id);
  w.member("name", file.name);
  w.member("kind", name_of(file.kind));
  w.member("title", file.title);
  w.member("needs_machine", can_be_planned && !file.machine);
  w.member("has_plan", file.plan.has_value());
  write_sizes(w, file);
  w.key("subject");
  if (can_be_planned)
    w.begin_object().member("kind", "file").member("file", id).end();
  else
    w.null();
  write_text_or_null(w, "machine", file.machine ? file.machine->name : std::string());
  write_measured(w, file.measured);
  write_text_or_null(w, "state", file.state);
  w.key("files").begin_array();
  for (const NamedText& inner : file.files)
    w.begin_object().member("name", inner.name).member("text", inner.text).end();
  w.end();
  w.end();
  return std::move(w).take();
}

}  // namespace worktop::format
