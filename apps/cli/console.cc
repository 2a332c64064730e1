#include "console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "format/error_json.h"
#include "format/sizes.h"

namespace worktop::cli {
namespace {

constexpr auto kFirstLine = std::chrono::milliseconds(500);  // shorter work shows no progress at all
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kLogEvery = std::chrono::seconds(5);

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

bool knows_colour() {
  const char* terminal = std::getenv("TERM");
  return !is_set("NO_COLOR") && terminal && std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

Console::Console()
    : bold_(isatty(STDOUT_FILENO) && knows_colour()),
      live_(isatty(STDERR_FILENO) && is_set("TERM")),
      started_(Clock::now()),
      shown_(started_) {}

base::Status Console::answer(const std::string& text) {
  clear_progress();
  std::string out = text;
  if (const std::size_t end = out.find('\n'); bold_ && !json && end != out.npos)
    out = "\x1b[1m" + out.substr(0, end) + "\x1b[0m" + out.substr(end);
  const bool written =
      std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  if (written) return {};
  return base::fail(base::ErrorCode::environment,
                    fmt::format("the answer can't be written: {}", std::strerror(errno)), "stdout",
                    "send it where there is room");
}

void Console::note(const std::string& line) {
  if (verbosity == Verbosity::quiet) return;
  clear_progress();
  fmt::print(stderr, "{}\n", line);
}

void Console::detail(const std::string& line) {
  if (verbosity == Verbosity::verbose) note(line);
}

void Console::error(const base::Error& error) {
  clear_progress();
  if (json)
    std::fputs(format::error_json(error).c_str(), stdout);
  else
    std::fputs(format::error_text(error).c_str(), stderr);
}

void Console::progress(const solver::Progress& progress) {
  if (verbosity == Verbosity::quiet) return;
  const auto now = Clock::now();
  if (now - started_ < kFirstLine || now - shown_ < (live_ ? Clock::duration(kRedraw) : kLogEvery)) return;
  shown_ = now;
  std::string line = fmt::format("{}: {} of {}", progress.doing, progress.units_done, progress.units_total);
  if (progress.best_step_ns)
    line += fmt::format(", best {} a step", format::print_duration(*progress.best_step_ns));
  fmt::print(stderr, "{}{}{}", live_ ? "\r" : "", line, live_ ? "\x1b[K" : "\n");
  std::fflush(stderr);
  line_is_live_ = live_;
}

void Console::took() {
  const std::chrono::duration<double> passed = Clock::now() - started_;
  detail(fmt::format("Took {:.2f} s", passed.count()));
}

void Console::clear_progress() {
  if (line_is_live_) std::fputs("\r\x1b[K", stderr);
  line_is_live_ = false;
}

}  // namespace worktop::cli
