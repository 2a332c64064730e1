// worktop: plans what a training step keeps, recomputes and offloads. This file is the table of contents;
// each command has a file of its own name.
#include <span>

#include "command.h"
#include "hand_over.h"
#include "usage.h"

#ifndef WORKTOP_VERSION
#define WORKTOP_VERSION "unknown"
#endif

namespace worktop::cli {
namespace {

struct Entry {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App&);
};

constexpr Entry kCommands[] = {
    {"plan", "the fastest plan within a budget", add_plan},
    {"frontier", "the whole trade-off between memory and time", add_frontier},
    {"compare", "every strategy, simulated, beside the plan", add_compare},
    {"explain", "who is in memory at the peak, and why", add_explain},
    {"simulate", "what a plan would do, with a trace for Perfetto", add_simulate},
    {"ledger", "the closed form to reason with in one's head", add_ledger},
    {"report", "one HTML file with a plan, to look at and to change", add_report},
    {"page", "the same file with the scenarios alone", add_page},
    {"machines", "the machines that are known by name", add_machines},
    {"models", "the models that are known by name", add_models},
};

int run(int argc, char** argv) {
  Console console;
  console.json = asks_for_json(argc, argv);
  CLI::App app(
      "Worktop decides, for every activation of a training step, whether it is kept,\n"
      "recomputed or offloaded, so that the step fits its memory and takes least time.\n");
  configure(app, WORKTOP_VERSION);
  Action chosen;
  for (const Entry& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->callback([&chosen, action = command.add(*sub)] { chosen = action; });
    configure_command(*sub);
  }
  auto parsed = parse(app, argc, argv);
  if (!parsed) {
    console.error(parsed.error());
    return base::exit_code(parsed.error().code);
  }
  if (*parsed == Parsed::help_was_shown) return kOk;
  const auto code = chosen(console);
  console.took();
  if (code) return *code;
  console.error(code.error());
  return base::exit_code(code.error().code);
}

}  // namespace
}  // namespace worktop::cli

// Only a lack of memory throws, or an option declared twice: both end the program.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  using namespace worktop::cli;
  if (is_handed_over(argc, argv)) return hand_over(argc, argv);
  return run(argc, argv);
}
