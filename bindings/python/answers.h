// Answers of the advisor, owned together with what was asked about.
#pragma once

#include "handles.h"

namespace worktop::python {

struct ChoiceHandle {
  std::shared_ptr<const advisor::Choice> choice;
};
struct PlanAnswerHandle {
  std::shared_ptr<const advisor::Subject> subject;
  std::shared_ptr<const advisor::PlanAnswer> answer;
};
struct FrontierAnswerHandle {
  std::shared_ptr<const advisor::FrontierAnswer> answer;
};
struct ExplainAnswerHandle {
  std::shared_ptr<const advisor::ExplainAnswer> answer;
};

void bind_answers(nanobind::module_& m);

}  // namespace worktop::python
