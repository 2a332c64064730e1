#include "usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <vector>

#include "base/names.h"

namespace worktop::cli {
namespace {

using base::ErrorCode;
using base::fail;

constexpr std::size_t kNameColumn = 24;

// "  --budget SIZE           of the device": no "REQUIRED", "x 2" or "Excludes", which say less than the
// text.
class Help final : public CLI::Formatter {
 public:
  Help() { column_width(kNameColumn); }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string unit = option->get_type_name();
    return unit.empty() || option->get_items_expected_max() == 0 ? "" : " " + unit;
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = "Usage: worktop";
    if (app->get_parent()) text += " " + name.substr(name.rfind(' ') + 1);
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) text += " " + option->get_name(true);
    text += app->get_parent() ? " [options]" : " COMMAND [options]";
    return text + "\n";
  }
};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  for (const char* other : {"run", "profile", "check"}) names.emplace_back(other);
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::unexpected<base::Error> unknown_command(const std::vector<std::string>& names,
                                             const std::string& typed) {
  const auto close = base::nearest(typed, names);
  return fail(ErrorCode::usage, fmt::format("there is no command '{}'", typed), "worktop",
              close ? fmt::format("did you mean '{}'?", *close) : "commands: " + joined(names));
}

std::unexpected<base::Error> no_command() {
  return fail(ErrorCode::usage, "there is no command", "worktop", "'worktop --help' lists the commands");
}

std::unexpected<base::Error> unexpected_argument(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const std::string typed = rest.empty() ? "" : rest.front().substr(0, rest.front().find('='));
  const std::string where = "worktop " + command.get_name();
  if (!typed.starts_with("-"))
    return fail(ErrorCode::usage, fmt::format("'{}' is one argument too many", typed), where,
                fmt::format("'{} --help' lists what it takes", where));
  const auto close = base::nearest(typed, option_names(command));
  return fail(ErrorCode::usage, fmt::format("there is no option '{}'", typed), where,
              close ? fmt::format("did you mean '{}'?", *close)
                    : fmt::format("'{} --help' lists the options", where));
}

}  // namespace

void configure(CLI::App& app, const std::string& version) {
  app.formatter(std::make_shared<Help>());
  app.name("worktop");
  app.set_help_flag("-h,--help", "show this, or with a command its options");
  app.set_version_flag("--version", "worktop " + version)->description("show the version");
  app.require_subcommand(1);
  app.footer(
      "\nrun, profile and check are commands of the Python package: python3 -m worktop.\n\n"
      "Example:\n"
      "  worktop plan llama-3-8b --lora-rank 16 --cross-entropy chunked \\\n"
      "    --machine rtx-4090 --batch 2 --seq 4096 --budget 20GiB\n\n"
      "Exit codes: 0 ok, 2 wrong usage or input, 3 nothing fits, 4 an illegal plan,\n"
      "5 a file or tool that is missing.");
}

void configure_command(CLI::App& command) {
  command.formatter(std::make_shared<Help>());
  command.set_help_flag("-h,--help", "show this")->group("Output");  // anew, so that it stands last
  command.footer("");
}

base::Result<Parsed> parse(CLI::App& app, int argc, char** argv) {
  if (argc < 2) return no_command();
  const std::string first = argv[1];
  const std::vector<std::string> known = command_names(app);
  if (!first.starts_with("-") && std::ranges::find(known, first) == known.end())
    return unknown_command(known, first);
  try {
    app.parse(argc, argv);
    return Parsed::command;
  } catch (const CLI::Success& success) {  // help or version
    app.exit(success, std::cout, std::cerr);
    std::cout.flush();
    return Parsed::help_was_shown;
  } catch (const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return no_command();
    const CLI::App& command = *chosen.front();
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
      return unexpected_argument(command);
    const std::string where = "worktop " + command.get_name();
    return fail(ErrorCode::usage, error.what(), where, fmt::format("'{} --help' lists the options", where));
  }
}

bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--json") == 0) return true;
  return false;
}

}  // namespace worktop::cli
