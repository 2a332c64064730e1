#include <algorithm>
#include <utility>

#include "advisor/asked.h"
#include "plan/lower.h"
#include "solver/strategies.h"

namespace worktop::advisor {
namespace {

using model::Settings;

// Sequences grow in whole multiples of this; below it one token at a time.
constexpr std::int64_t kSequenceUnit = 128;

// Asked first, since it is quick.
bool some_strategy_fits(const Asked& asked) {
  const Subject& subject = asked.subject;
  const auto strategies = solver::standard_strategies(subject.graph, subject.machine, subject.durations);
  return std::ranges::any_of(strategies, [&](const plan::Policy& policy) {
    auto plan = plan::lower(subject.graph, subject.machine, policy, subject.durations.op);
    return plan && asked.fits(solver::predict(asked.problem(), *std::move(plan)));
  });
}

struct Growing {
  const model::Decoder& decoder;
  const Settings& settings;
  const machine::Machine& machine;
  const Question& question;
  Grow grow;

  [[nodiscard]] base::Result<Subject> subject_of(std::int64_t size) const {
    Settings grown = settings;
    (grow == Grow::batch ? grown.batch : grown.sequence) = size;
    return subject(decoder, grown, machine);
  }
  // Whether a strategy or a quick plan fits. Sizes that the model refuses do not.
  [[nodiscard]] bool fits(std::int64_t size) const {
    const auto at = subject_of(size);
    if (!at) return false;
    Question quick = question;
    quick.options = {.effort = solver::Effort::quick, .seed = question.options.seed};
    const auto asked = ask(*at, quick);
    if (!asked || solver::least_possible_peak(at->graph) > asked->line.budget) return false;
    if (some_strategy_fits(*asked)) return true;
    const solver::Answer answer = solver::fastest(asked->problem(), quick.options);
    return answer.best && asked->fits(*answer.best);
  }
  // The largest multiple of `unit` below `end` that fits, or 0.
  [[nodiscard]] std::int64_t largest(std::int64_t unit, std::int64_t end) const {
    std::int64_t good = 0, bad = 1;  // in units
    while (bad * unit < end && fits(bad * unit)) {
      good = bad;
      bad *= 2;
    }
    bad = std::min(bad, (end + unit - 1) / unit);
    while (good + 1 < bad) {
      const std::int64_t middle = good + (bad - good) / 2;
      (fits(middle * unit) ? good : bad) = middle;
    }
    return good * unit;
  }
};

}  // namespace

base::Result<LargestAnswer> largest(const model::Decoder& decoder, const Settings& settings,
                                    const machine::Machine& machine, const Question& question, Grow grow) {
  const Growing growing{decoder, settings, machine, question, grow};
  WORKTOP_TRY(const Subject smallest, growing.subject_of(1));
  if (const auto asked = ask(smallest, question); !asked) return std::unexpected(asked.error());
  LargestAnswer answer;
  answer.largest = growing.largest(grow == Grow::sequence ? kSequenceUnit : 1, model::kLargestCount);
  if (answer.largest == 0 && grow == Grow::sequence) answer.largest = growing.largest(1, kSequenceUnit);
  if (answer.largest == 0) return answer;
  WORKTOP_TRY(const Subject found, growing.subject_of(answer.largest));
  WORKTOP_TRY(answer.plan, plan(found, question));
  return answer;
}

}  // namespace worktop::advisor
