// The question that plan, frontier, compare and explain share: a model or a step graph on a machine.
#pragma once

#include "advisor/advisor.h"
#include "machine_options.h"
#include "model_options.h"
#include "output_options.h"
#include "plan/plan.h"
#include "search_options.h"

namespace worktop::cli {

struct RequestOptions {
  ModelOptions model;
  MachineOptions machine;
  SearchOptions search;
  OutputOptions output;

  void add(CLI::App& app, bool with_goal = true);
};

// What is asked about, and the question. The pool serves the question as long as the request lives.
struct Request {
  advisor::Subject subject;
  advisor::Question question;
  std::unique_ptr<ThreadPool> pool;
};

[[nodiscard]] base::Result<Request> read_request(const RequestOptions& options, Console& console);
[[nodiscard]] base::Result<advisor::Subject> subject_of(const Source& source, const ModelOptions& options,
                                                        const machine::Machine& machine);

// A plan.json brings its graph and its machine, if it was written with them; what it lacks comes from the
// options.
struct ReadPlan {
  advisor::Subject subject;
  plan::Plan plan;
};
[[nodiscard]] base::Result<ReadPlan> read_plan(const std::string& path, const std::string& text,
                                               const MachineOptions& machine, const Text& graph);
// The strategy of this name on the subject.
[[nodiscard]] base::Result<plan::Plan> plan_as(const advisor::Subject& subject, const std::string& strategy);

}  // namespace worktop::cli
