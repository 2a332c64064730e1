// What the arguments MODEL and --machine turned out to be: names that are built in, or files.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "format/graph_file.h"
#include "machine/machine.h"
#include "model/decoder.h"

namespace worktop::cli {

// Exactly one of the three.
struct Source {
  std::optional<model::Decoder> decoder;   // a built-in name, a config.json, or a folder that holds one
  std::optional<format::GraphFile> graph;  // a step-graph file of any kind
  std::optional<std::string> plan_text;    // a plan.json, still to be read: it may need a graph and a machine
};

// A path wins where it exists, but for exact names: a folder "llama-3-8b" without a config.json hides
// nothing.
[[nodiscard]] base::Result<Source> load_model(const std::string& argument);

// A name, an unambiguous prefix of one, or a machine file.
[[nodiscard]] base::Result<machine::Machine> load_machine(const std::string& argument);

[[nodiscard]] base::Result<format::GraphFile> load_graph(const std::string& path);

// Puts the file's name in front of the place that its reader named, and says what to do if that did not.
template <class T>
[[nodiscard]] base::Result<T> in_file(const std::string& path, base::Result<T> result) {
  if (!result) {
    std::string& where = result.error().where;
    where = where.empty() ? path : path + ":" + where;
    if (result.error().hint.empty())
      result.error().hint = "correct the file there; docs has a page for each format";
  }
  return result;
}

}  // namespace worktop::cli
