// A file that a person dropped: what it is, and what it brings.
//
// Known: plans, step graphs of every kind, a config.json, machines, reports of this program, a saved state of
// the page, and the measurements of `worktop check`. The key "format" says which; without it, what else the
// file has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/graph_file.h"
#include "format/measurements.h"
#include "format/plan_json.h"
#include "machine/machine.h"
#include "model/decoder.h"

namespace worktop::format {

enum class FileKind : std::uint8_t { plan, graph, config, machine, report, state, measurements };
[[nodiscard]] std::string_view name_of(FileKind kind);

inline constexpr std::string_view kReportFormat = "worktop-report";
inline constexpr std::string_view kStateFormat = "worktop-state";

struct NamedText {
  std::string name;
  std::string text;
};

struct OpenedFile {
  std::string name;
  FileKind kind = FileKind::graph;
  std::string title;  // of the graph, the model or the machine
  // Of which each kind has what it is.
  std::optional<GraphFile> graph;  // of a plan too
  std::optional<plan::Plan> plan;
  std::optional<model::Decoder> decoder;
  std::optional<machine::Machine> machine;
  std::vector<Measured> measured;
  std::vector<NamedText> files;  // of a report
  std::string state;             // of a state or a report: the JSON text
};

[[nodiscard]] base::Result<OpenedFile> open_file(std::string name, std::string_view text);

}  // namespace worktop::format
