// Where output goes: the answer to stdout, everything else to stderr.
//
// With --json exactly one JSON object is written to stdout, errors too. Progress is one line that is
// rewritten on a terminal, otherwise a line every few seconds. NO_COLOR and terminals are respected: the only
// emphasis is the answer's first sentence in bold.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "solver/portfolio.h"

namespace worktop::cli {

enum class Verbosity : std::uint8_t { quiet, normal, verbose };

class Console {
 public:
  Console();
  bool json = false;
  Verbosity verbosity = Verbosity::normal;

  // The answer. It ends with a newline. An error (code environment) if stdout does not take it.
  [[nodiscard]] base::Status answer(const std::string& text);
  // A line to stderr, not with -q; and one only with -v.
  void note(const std::string& line);
  void detail(const std::string& line);
  // The error, in the form that was asked for.
  void error(const base::Error& error);
  void progress(const solver::Progress& progress);
  // With -v: how long all of it took.
  void took();

 private:
  using Clock = std::chrono::steady_clock;
  void clear_progress();

  bool bold_ = false;          // stdout is a terminal that may be coloured
  bool live_ = false;          // stderr is a terminal
  bool line_is_live_ = false;  // a progress line stands on it
  Clock::time_point started_;
  Clock::time_point shown_;
};

}  // namespace worktop::cli
