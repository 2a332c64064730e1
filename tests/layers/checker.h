// Does a source file keep to the table of rooms, tools/layers.txt? The checker looks at text alone.
//
// Every file: includes go along the arrows of the table; nlohmann-json only in src/format, CLI11 only in
// apps/cli, torch only in adapters/torch, nanobind only in bindings/python. Files of a pure room also name no
// clock, file, thread, environment, random device, standard stream, exit, exception, unordered container or
// inexact function of libm. Tests (_test.cc, and a testing.h that only they include) may use GoogleTest,
// RapidCheck, tests/support and files; the arrows hold for them too. Comments and string literals are not
// code and are not looked at.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace worktop::layers {

struct Finding {
  std::string file;
  int line = 0;  // from 1
  std::string what;
  [[nodiscard]] std::string text() const;  // "src/plan/legal.cc:12: ..."
};

struct Room {
  std::string folder;  // "src/plan"
  bool pure = false;
  std::vector<std::string> needs;  // "base", "machine"
};

// Rooms by name ("plan"), the last part of their folder.
using Table = std::map<std::string, Room, std::less<>>;

// Reads the table. A room may need only rooms of earlier lines, so a table without findings has no cycle.
[[nodiscard]] Table read_table(std::string_view text, std::vector<Finding>& findings);

// Judges one file; `path` is relative to the root of the repository.
[[nodiscard]] std::vector<Finding> check_file(const Table& table, std::string_view path,
                                              std::string_view text);

// The source with comments and the insides of literals made blank; include lines and line ends stay.
[[nodiscard]] std::string code_of(std::string_view text);

}  // namespace worktop::layers
