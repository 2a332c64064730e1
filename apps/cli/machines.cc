// worktop machines: the machines that are known by name, or one of them in full.
#include "command.h"
#include "format/catalog_json.h"
#include "format/catalog_text.h"
#include "format/machine_catalog.h"
#include "format/machine_json.h"
#include "output_options.h"
#include "sources.h"

namespace worktop::cli {
namespace {

struct MachinesOptions {
  Text machine;
  OutputOptions output;
};

base::Result<int> run(const MachinesOptions& options, Console& console) {
  options.output.apply(console);
  if (options.machine) {
    WORKTOP_TRY(const machine::Machine machine, load_machine(*options.machine));
    // As JSON it is a machine file: the start of one's own.
    WORKTOP_CHECK(
        console.answer(console.json ? format::write_machine_file(machine) : format::machine_text(machine)));
    return kOk;
  }
  WORKTOP_TRY(const std::vector<machine::Machine> machines, format::known_machines());
  WORKTOP_CHECK(
      console.answer(console.json ? format::machines_json(machines) : format::machines_text(machines)));
  return kOk;
}

}  // namespace

Action add_machines(CLI::App& app) {
  const auto options = std::make_shared<MachinesOptions>();
  add_text(app, "MACHINE", options->machine, "", "this one alone: a name, a prefix, or a file");
  options->output.add(app);
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace worktop::cli
