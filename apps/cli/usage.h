// The command line's own grammar: help, and errors of the parser as errors of ours.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace worktop::cli {

// How help looks, and what the program has besides its commands.
void configure(CLI::App& app, const std::string& version);
void configure_command(CLI::App& command);

enum class Parsed : std::uint8_t { command, help_was_shown };
// Errors (code usage) offer the nearest command or option.
[[nodiscard]] base::Result<Parsed> parse(CLI::App& app, int argc, char** argv);

// Before anything is parsed: an error of the parser is JSON too.
[[nodiscard]] bool asks_for_json(int argc, char** argv);

}  // namespace worktop::cli
