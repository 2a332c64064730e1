// What is wished for, and how hard it is looked for.
#pragma once

#include <memory>

#include "advisor/advisor.h"
#include "command.h"
#include "threads.h"

namespace worktop::cli {

struct SearchOptions {
  Text time_limit, minimize, lambda, effort, seed, threads;

  void add(CLI::App& app, bool with_goal = true);
  // All of the question but the budget.
  [[nodiscard]] base::Result<advisor::Question> question() const;
  // Threads, progress and interrupts. The answer must outlive every use of `question`.
  [[nodiscard]] base::Result<std::unique_ptr<ThreadPool>> attach(advisor::Question& question,
                                                                 Console& console) const;
};

}  // namespace worktop::cli
