#include "format/machine_catalog.h"

#include <string>

#include "base/names.h"
#include "format/builtin.h"
#include "format/machine_json.h"

namespace worktop::format {

base::Result<std::vector<machine::Machine>> known_machines() {
  std::vector<machine::Machine> machines;
  for (const BuiltinFile& file : builtin_files()) {
    if (file.folder != "machines") continue;
    WORKTOP_TRY(machine::Machine machine, read_machine_file(file.text));
    machines.push_back(std::move(machine));
  }
  return machines;
}

base::Result<machine::Machine> find_machine(std::string_view typed) {
  constexpr std::string_view kEnding = ".json";
  std::vector<std::string> names;  // a machine's file is named after it
  for (const BuiltinFile& file : builtin_files())
    if (file.folder == "machines") names.emplace_back(file.name.substr(0, file.name.size() - kEnding.size()));
  WORKTOP_TRY(const std::string name, base::resolve_name("machine", typed, names));
  for (const BuiltinFile& file : builtin_files())
    if (file.folder == "machines" && file.name == name + std::string(kEnding))
      return read_machine_file(file.text);
  return base::fail(base::ErrorCode::usage, "no such machine", name);
}

}  // namespace worktop::format
