#include "memory.h"

#include <utility>

#include "advisor/ratio_question.h"

namespace worktop::page {

using base::Result;

const format::OpenedFile* Memory::find(std::string_view id) const {
  const auto file = files_.find(id);
  return file == files_.end() ? nullptr : &file->second;
}

const format::OpenedFile& Memory::open(std::string id, format::OpenedFile file) {
  subjects_.clear();  // the id may have meant another file, and keys are made of ids
  frontiers_.clear();
  answers_.clear();
  rules_.clear();
  return files_.insert_or_assign(std::move(id), std::move(file)).first->second;
}

Result<const advisor::Subject*> Memory::Subject::played() const {
  if (read->subject) return &*read->subject;
  return base::fail(
      base::ErrorCode::usage, read->why_not, "layers",
      "use at most " + std::to_string(advisor::kMostLayersPlayed) + " layers; the ledger takes more");
}

Result<Memory::Subject> Memory::subject(const format::JsonObject& question) {
  WORKTOP_TRY(const format::JsonCursor at, question.at("subject"));
  WORKTOP_TRY(const format::JsonObject object, at.object());
  std::string key = format::canonical(at);
  if (auto known = subjects_.find(key)) return Subject{std::move(key), std::move(known)};
  WORKTOP_TRY(format::PageSubject read, format::read_page_subject(object, *this));
  auto added = subjects_.add(key, std::move(read));
  return Subject{std::move(key), std::move(added)};
}

Memory::Shared<solver::FrontierAnswer> Memory::frontier(const Subject& subject, solver::Effort effort,
                                                        std::int32_t points) {
  std::string key =
      subject.key + ' ' + std::to_string(static_cast<int>(effort)) + ' ' + std::to_string(points);
  if (auto known = frontiers_.find(key)) return known;
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  WORKTOP_TRY(solver::FrontierAnswer solved,
              advisor::solve_frontier(*played, {.effort = effort, .on_progress = progress_}, points));
  return frontiers_.add(std::move(key), std::move(solved));
}

Memory::Shared<advisor::PlanAnswer> Memory::best(const Subject& subject, const advisor::Question& question) {
  std::string key = subject.key;
  const auto add = [&](auto amount) { key += ' ' + std::to_string(amount); };
  add(static_cast<int>(question.options.effort));
  add(static_cast<int>(question.minimize));
  add(question.budget ? question.budget->count() : -1);
  add(question.time_limit ? question.time_limit->count() : -1);
  if (question.minimize == advisor::Minimize::cost)
    for (const double weight : {question.lambda.memory, question.lambda.compute, question.lambda.transfer})
      add(static_cast<std::int64_t>(weight * 1e9));
  if (auto known = answers_.find(key)) return known;
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  advisor::Question asked = question;
  asked.options.on_progress = progress_;
  asked.with_price = question.options.effort != solver::Effort::quick;  // a slider is not kept waiting for it
  WORKTOP_TRY(advisor::PlanAnswer answer, advisor::plan(*played, asked));
  return answers_.add(std::move(key), std::move(answer));
}

Memory::Shared<RuleOverThreshold> Memory::rule(const Subject& subject) {
  if (auto known = rules_.find(subject.key)) return known;
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  RuleOverThreshold rule;
  WORKTOP_TRY(rule.plans, advisor::plans_over_threshold(*played, rule.thresholds));
  return rules_.add(subject.key, std::move(rule));
}

}  // namespace worktop::page
