#include "chosen.h"

#include <utility>

namespace worktop::page {
namespace {

using advisor::Which;
using advisor::WhichKind;
using base::ErrorCode;
using base::Result;

Result<Chosen> from_file(const Memory::Subject& subject, const advisor::Subject& played) {
  if (!subject.read->plan)
    return base::fail(ErrorCode::usage, "this file has no plan for this machine", "plan",
                      "ask for the best one, or leave the machine as it is in the file");
  return Chosen{subject.read->plan->made_by == "search" ? "plan" : subject.read->plan->made_by,
                solver::predict({played.graph, played.machine, played.durations, {}}, *subject.read->plan)};
}

Result<Chosen> on_frontier(Memory& memory, const Memory::Subject& subject, const Which& which) {
  WORKTOP_TRY(const auto solved, memory.frontier(subject, which.effort, which.points));
  if (const solver::Planned* planned = advisor::point_named(*solved, which.name))
    return Chosen{which.name, *planned};
  return base::fail(ErrorCode::usage, "the frontier has no point of this name", which.name,
                    "ask for the frontier again");
}

}  // namespace

Result<Chosen> choose(Memory& memory, const Memory::Subject& subject, const format::PlanRequest& request) {
  WORKTOP_TRY(const advisor::Subject* const played, subject.played());
  switch (request.which.kind) {
    case WhichKind::best: {
      WORKTOP_TRY(const auto answer, memory.best(subject, request.question));
      const advisor::Choice& choice = answer->best ? *answer->best : answer->leanest;
      return Chosen{choice.name, choice.planned};
    }
    case WhichKind::strategy: {
      WORKTOP_TRY(solver::Planned planned, advisor::play_strategy(*played, request.which.name));
      return Chosen{planned.plan.made_by, std::move(planned)};
    }
    case WhichKind::point:
      return on_frontier(memory, subject, request.which);
    case WhichKind::file:
      return from_file(subject, *played);
  }
  return base::fail(ErrorCode::usage, "there is no such plan", "plan");
}

}  // namespace worktop::page
