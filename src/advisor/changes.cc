#include "advisor/changes.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace worktop::advisor {
namespace {

using machine::Tier;
using model::Settings;

constexpr Bytes kHostOffered = base::kGiB * 64;
constexpr Bytes kDiskOffered = base::kGiB * 500;

// A change that may be tried: the settings and the machine after it.
struct Change {
  std::string name, how;
  Settings settings;
  machine::Machine machine;
};

Change of_batch(const Asked& asked, std::int64_t batch) {
  const std::string number = std::to_string(batch);
  Change change{"batch " + number, "--batch " + number, *asked.subject.settings, asked.subject.machine};
  change.settings.batch = batch;
  return change;
}

std::vector<Change> changes_of_settings(const Asked& asked) {
  std::vector<Change> list;
  const Settings& now = *asked.subject.settings;
  const auto offer = [&](std::string name, std::string how, const std::function<void(Settings&)>& change) {
    list.push_back({std::move(name), std::move(how), now, asked.subject.machine});
    change(list.back().settings);
  };
  if (now.batch > 1) {
    const std::int64_t steps = now.accumulation * now.batch;
    offer("accumulate over batches of 1", "--batch 1 --accumulation " + std::to_string(steps),
          [&](Settings& s) { s.batch = 1, s.accumulation = steps; });
  }
  if (now.cross_entropy == model::CrossEntropy::whole)
    offer("chunked cross-entropy", "--cross-entropy chunked",
          [](Settings& s) { s.cross_entropy = model::CrossEntropy::chunked; });
  if (now.attention == model::Attention::materialised)
    offer("fused attention", "--attention fused", [](Settings& s) { s.attention = model::Attention::fused; });
  if (now.optimizer == model::Optimizer::adamw)
    offer("8-bit AdamW", "--optimizer adamw8bit",
          [](Settings& s) { s.optimizer = model::Optimizer::adamw8bit; });
  if (!now.lora) offer("LoRA of rank 16", "--lora-rank 16", [](Settings& s) { s.lora = model::Lora{}; });
  if (now.precision != model::Precision::bf16)
    offer("bf16", "--precision bf16", [](Settings& s) { s.precision = model::Precision::bf16; });
  return list;
}

std::vector<Change> changes_of_machine(const Asked& asked) {
  std::vector<Change> list;
  const machine::Machine& now = asked.subject.machine;
  const Settings settings = asked.subject.settings.value_or(Settings{});  // unused without a model
  const bool host_link = now.link(Tier::device, Tier::host).exists();
  if (!now.has_tier(Tier::host) && host_link) {
    Change change{"host memory", "--host 64GiB", settings, now};
    change.machine.host_bytes = kHostOffered;
    list.push_back(std::move(change));
  }
  const bool disk_link = now.link(Tier::device, Tier::disk).exists() ||
                         (now.has_tier(Tier::host) && host_link && now.link(Tier::host, Tier::disk).exists());
  if (!now.has_tier(Tier::disk) && disk_link) {
    Change change{"a disk", "--disk 500GiB", settings, now};
    change.machine.disk_bytes = kDiskOffered;
    list.push_back(std::move(change));
  }
  return list;
}

// None: the change cannot be made (the model refuses it).
std::optional<PricedChange> priced(const Asked& asked, const Change& change) {
  Question question = asked.question;
  question.options = {.effort = solver::Effort::quick, .seed = asked.question.options.seed};
  base::Result<Subject> changed = asked.subject.decoder
                                      ? subject(*asked.subject.decoder, change.settings, change.machine)
                                      : subject(asked.subject.graph, asked.subject.durations, change.machine);
  if (!changed) return std::nullopt;
  const auto asked_then = ask(*changed, question);
  if (!asked_then) return std::nullopt;
  solver::Problem problem = asked_then->problem();
  // Where no plan can fit, only the leanest is wanted: without a budget keep-all fits, and nothing is
  // searched.
  if (solver::least_possible_peak(changed->graph) > asked_then->line.budget) problem.budgets.device.reset();
  const solver::Answer answer = solver::fastest(problem, question.options);
  PricedChange result{.name = change.name, .how = change.how, .least_feasible = answer.leanest.device_peak()};
  if (!answer.best || !asked_then->fits(*answer.best)) return result;
  result.fits = true;
  result.step_ns = answer.best->step_ns;
  result.tokens_per_s = tokens_per_s(changed->graph, answer.best->step_ns);
  return result;
}

std::optional<PricedChange> smaller_batch(const Asked& asked) {
  std::optional<PricedChange> smaller;
  for (std::int64_t batch = asked.subject.settings->batch / 2; batch >= 1; batch /= 2) {
    smaller = priced(asked, of_batch(asked, batch));
    if (!smaller || smaller->fits) break;
  }
  return smaller;
}

}  // namespace

std::vector<PricedChange> priced_changes(const Asked& asked) {
  const bool has_model = asked.subject.decoder.has_value();
  std::vector<Change> changes = has_model ? changes_of_settings(asked) : std::vector<Change>{};
  for (Change& change : changes_of_machine(asked)) changes.push_back(std::move(change));

  // The first is the smaller batch: one of several tries, in turn.
  std::vector<std::optional<PricedChange>> found(changes.size() + 1);
  base::SerialExecutor serial;
  base::Executor& executor = asked.question.options.executor ? *asked.question.options.executor : serial;
  executor.for_each(static_cast<std::int32_t>(found.size()), [&](std::int32_t i) {
    const auto at = static_cast<std::size_t>(i);
    if (i > 0)
      found[at] = priced(asked, changes[at - 1]);
    else if (has_model)
      found[at] = smaller_batch(asked);
  });

  std::vector<PricedChange> list;
  for (std::optional<PricedChange>& change : found)
    if (change) list.push_back(*std::move(change));
  std::ranges::stable_sort(list, [](const PricedChange& a, const PricedChange& b) {
    if (a.fits != b.fits) return a.fits;
    if (!a.fits) return a.least_feasible < b.least_feasible;
    if (a.tokens_per_s && b.tokens_per_s) return *a.tokens_per_s > *b.tokens_per_s;
    return *a.step_ns < *b.step_ns;
  });
  return list;
}

}  // namespace worktop::advisor
