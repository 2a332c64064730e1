#include "engine.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "advisor/plan_detail.h"
#include "advisor/ratio_question.h"
#include "chosen.h"
#include "format/error_json.h"
#include "format/page_answers.h"
#include "format/plan_json.h"
#include "format/trace.h"

namespace worktop::page {

using base::Result;
using format::Ask;
using format::JsonObject;
using format::PlanRequest;

std::string Engine::answer(std::string_view question) {
  auto answer = try_answer(question);
  return answer ? *std::move(answer) : format::error_json(answer.error());
}

Result<std::string> Engine::try_answer(std::string_view text) {
  WORKTOP_TRY(const format::JsonDocument document, format::JsonDocument::parse(text));
  WORKTOP_TRY(const JsonObject question, document.root().object());
  WORKTOP_TRY(const Ask ask, format::read_ask(question));
  switch (ask) {
    case Ask::lists:
      return format::page_lists_json();
    case Ask::open:
      return open(question);
    case Ask::ledger:
      return ledger(question);
    case Ask::frontier:
      return frontier(question);
    case Ask::plan:
      return plan(question);
    case Ask::ratio:
      return benefit_ratio(question);
    case Ask::timeline:
    case Ask::activations:
    case Ask::plan_file:
    case Ask::trace:
      return show(ask, question);
  }
  return base::fail(base::ErrorCode::usage, "there is no such question", "ask");
}

Result<std::string> Engine::open(const JsonObject& question) {
  WORKTOP_TRY(format::OpenRequest request, format::read_open(question));
  WORKTOP_TRY(format::OpenedFile file, format::open_file(std::move(request.name), request.text));
  return format::page_open_json(request.id, memory_.open(request.id, std::move(file)));
}

Result<std::string> Engine::ledger(const JsonObject& question) {
  WORKTOP_TRY(format::LedgerRequest request, format::read_ledger_request(question));
  WORKTOP_TRY(const Memory::Subject subject, memory_.subject(question));
  const bool derived = !subject.read->kitchen;
  const advisor::Subject* played = subject.read->subject ? &*subject.read->subject : nullptr;
  if (derived) {
    WORKTOP_TRY(const advisor::KeepAll keep_all, advisor::keep_all_of(*played));
    request.question.kitchen = advisor::derived_kitchen(*played, keep_all.peak, keep_all.activations);
    if (request.time_limit)  // what may be added to the step
      request.time_limit = std::max(base::Nanoseconds{0}, *request.time_limit - keep_all.step_ns);
    if (request.question.segments)
      request.question.segments = std::min(*request.question.segments, request.question.kitchen.layers);
  } else {
    request.question.kitchen = *subject.read->kitchen;
  }
  if (request.time_limit) request.question.limits.time_s = ratio(*request.time_limit, base::kSecond);
  WORKTOP_TRY(const advisor::LedgerTruth truth,
              advisor::ledger_truth(request.question, played, subject.read->why_not, request.curve));
  std::optional<cost::WinnerMap> map;
  if (request.map) map = cost::winner_map(truth.ledger, cost::MapSize{});
  return format::page_ledger_json(truth, derived, map);
}

Result<std::string> Engine::frontier(const JsonObject& question) {
  WORKTOP_TRY(const PlanRequest request, format::read_plan_request(question));
  WORKTOP_TRY(const Memory::Subject subject, memory_.subject(question));
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  const solver::Effort effort = request.question.options.effort;
  WORKTOP_TRY(const auto solved, memory_.frontier(subject, effort, request.points));
  WORKTOP_TRY(const advisor::TradeOff answer, advisor::trade_off(*played,
                                                                 {.question = request.question,
                                                                  .points = request.points,
                                                                  .parameters = request.parameters,
                                                                  .compete = request.compete},
                                                                 *solved));
  std::vector<format::Measured> measured;
  for (const std::string& id : request.measured)
    if (const format::OpenedFile* file = memory_.find(id))
      measured.insert(measured.end(), file->measured.begin(), file->measured.end());
  return format::page_frontier_json(answer, effort, measured);
}

Result<std::string> Engine::plan(const JsonObject& question) {
  WORKTOP_TRY(const PlanRequest request, format::read_plan_request(question));
  WORKTOP_TRY(const Memory::Subject subject, memory_.subject(question));
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  const solver::Effort effort = request.question.options.effort;
  if (request.which.kind == advisor::WhichKind::best) {
    WORKTOP_TRY(const auto answer, memory_.best(subject, request.question));
    WORKTOP_TRY(const advisor::PlanDetail detail,
                advisor::detail_of_best(*played, request.question, *answer));
    return format::page_plan_json(detail, effort);
  }
  WORKTOP_TRY(const Chosen chosen, choose(memory_, subject, request));
  WORKTOP_TRY(const advisor::PlanDetail detail,
              advisor::detail_of(*played, request.question, chosen.planned, chosen.name, request.which));
  return format::page_plan_json(detail, effort);
}

Result<std::string> Engine::benefit_ratio(const JsonObject& question) {
  WORKTOP_TRY(const PlanRequest request, format::read_plan_request(question));
  WORKTOP_TRY(const Memory::Subject subject, memory_.subject(question));
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  WORKTOP_TRY(const auto best, memory_.best(subject, request.question));
  WORKTOP_TRY(const auto rule, memory_.rule(subject));
  WORKTOP_TRY(const advisor::RatioAnswer answer,
              advisor::ratio_question(*played, request.question, request.threshold, *best, rule->thresholds,
                                      rule->plans));
  return format::page_ratio_json(answer, request.question.options.effort, request.unfold);
}

Result<std::string> Engine::show(Ask ask, const JsonObject& question) {
  WORKTOP_TRY(const PlanRequest request, format::read_plan_request(question));
  WORKTOP_TRY(const Memory::Subject subject, memory_.subject(question));
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  WORKTOP_TRY(const Chosen chosen, choose(memory_, subject, request));
  const plan::Plan& plan = chosen.planned.plan;
  if (ask == Ask::timeline) {
    WORKTOP_TRY(const advisor::Asked asked, advisor::ask(*played, request.question));
    return format::page_timeline_json(*played, chosen.planned, chosen.name, asked.line.budget,
                                      request.columns);
  }
  if (ask == Ask::activations)
    return format::page_activations_json(*played, chosen.planned, chosen.name, request.most);
  if (ask == Ask::plan_file)
    return format::write_plan_file(plan, played->graph, played->machine, {.durations = &played->durations});
  return format::write_trace(played->graph, played->machine,
                             simulator::simulate(played->graph, played->machine, played->durations, plan));
}

}  // namespace worktop::page
