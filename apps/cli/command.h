// What a command is: it adds its options to a parser and says what to do once they are read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "console.h"

namespace worktop::cli {

// Answers the exit code: 0, or 3 for an answer that says "infeasible". Errors have exit codes of their own.
using Action = std::function<base::Result<int>(Console&)>;

inline constexpr int kOk = 0;
inline constexpr int kInfeasible = 3;

using Text = std::optional<std::string>;  // an option as it was typed; none: not given

// One file a command.
[[nodiscard]] Action add_plan(CLI::App& app);
[[nodiscard]] Action add_frontier(CLI::App& app);
[[nodiscard]] Action add_compare(CLI::App& app);
[[nodiscard]] Action add_explain(CLI::App& app);
[[nodiscard]] Action add_simulate(CLI::App& app);
[[nodiscard]] Action add_ledger(CLI::App& app);
[[nodiscard]] Action add_page(CLI::App& app);
[[nodiscard]] Action add_report(CLI::App& app);
[[nodiscard]] Action add_machines(CLI::App& app);
[[nodiscard]] Action add_models(CLI::App& app);

// An option with a value. `meaning` ends with its default, if it has one.
inline CLI::Option* add_text(CLI::App& app, const std::string& name, Text& text, const std::string& unit,
                             const std::string& meaning) {
  return app.add_option(name, text, meaning)->type_name(unit)->option_text(unit);
}

}  // namespace worktop::cli
