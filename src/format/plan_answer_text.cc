#include "format/plan_answer_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "format/sizes.h"
#include "format/text_parts.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

using advisor::Choice;
using advisor::Minimize;
using advisor::PlanAnswer;
using base::Bytes;
using base::Nanoseconds;

constexpr std::size_t kBindingShown = 6;

// How sure it is that there is nothing better.
std::string certainty(const PlanAnswer& answer) {
  if (answer.minimize == Minimize::peak)
    return fmt::format("{} is the least possible", print_bytes(answer.least_possible));
  if (answer.minimize == Minimize::cost) return fmt::format("cost {:.3g}", answer.best->cost);
  if (!answer.gap) return "no bound is known";
  if (*answer.gap <= 0) return "and no plan is faster";
  if (*answer.gap > 1) return fmt::format("the bound is {}", print_duration(answer.bound_ns));
  return fmt::format("proven within {:.1f} %", std::max(0.1, 100 * *answer.gap));
}

std::string result(const PlanAnswer& answer) {
  const solver::Planned& best = answer.best->planned;
  const Nanoseconds keep_all = answer.keep_all.planned.step_ns;
  const std::string against =
      best.step_ns == keep_all ? "as fast as keep-all" : slower(best.step_ns, keep_all) + " over keep-all";
  return wrapped(fmt::format("Plan: {}, {}, {}, {}.", print_bytes(best.device_peak()),
                             print_duration(best.step_ns), against, certainty(answer)));
}

// Nothing if it was not asked for.
std::string certificate(const PlanAnswer& answer) {
  if (!answer.certified) return "";
  const advisor::Certified& certified = *answer.certified;
  if (answer.gap && *answer.gap <= 0) return "The plan meets the bound: there is nothing to certify.\n";
  if (certified.too_large) return "No certificate: the graph has too many ops.\n";
  const std::string among = "plans that run no op again more than once at one boundary";
  if (certified.infeasible) return wrapped(fmt::format("Certificate: none of the {} fits.", among));
  if (!answer.best) return "No certificate in that time.\n";
  if (certified.optimal) return wrapped(fmt::format("Certificate: the fastest of the {}.", among));
  const Nanoseconds above = answer.best->planned.step_ns - certified.bound_ns;
  return wrapped(fmt::format("Certificate: within {:.2f} % of the fastest of the {}.",
                             std::max(0.01, 100 * ratio(above, certified.bound_ns)), among));
}

std::string price(const PlanAnswer& answer) {
  std::string text;
  const Choice& best = *answer.best;
  if (best.tokens_per_s) text += fmt::format("{:.0f} tokens/s. ", *best.tokens_per_s);
  if (answer.price_per_gib)
    text += fmt::format("One more GiB would save {} a step. ", print_duration(*answer.price_per_gib));
  if (best.name != "plan")
    text +=
        fmt::format("That is the strategy {}{}. ", printable(best.name),
                    answer.minimize == Minimize::time && answer.gap > 0.0 ? ": no plan found is faster" : "");
  if (!best.fits) text += "It does not fit. ";
  if (best.planned.peak[1].count() > 0)
    text += fmt::format("{} go to the host. ", print_bytes(best.planned.peak[1]));
  if (best.planned.peak[2].count() > 0)
    text += fmt::format("{} go to the disk. ", print_bytes(best.planned.peak[2]));
  if (!text.empty()) text.pop_back();
  return text.empty() ? "" : wrapped(text);
}

std::string no_result(const PlanAnswer& answer) {
  const Bytes least = answer.leanest.planned.device_peak();
  if (least > answer.budget.budget)
    return wrapped(fmt::format("Does not fit: {} is the least found, {} the least possible.",
                               print_bytes(least), print_bytes(answer.least_possible)));
  if (answer.time_limit)
    return wrapped(fmt::format("Does not fit: nothing found within {} takes at most {}; the bound is {}.",
                               print_bytes(answer.budget.budget), print_duration(*answer.time_limit),
                               print_duration(answer.bound_ns)));
  return "Does not fit: no plan was found within the budgets.\n";
}

std::string budget_line(const PlanAnswer& answer) {
  const advisor::BudgetLine& line = answer.budget;
  std::string text = fmt::format("{} on {}\n", printable(answer.graph_name), printable(answer.machine_name));
  text += fmt::format("Budget {}{} (usable {}, context {}, margin {})", print_bytes(line.budget),
                      line.asked ? " as asked" : "", print_bytes(line.usable), print_bytes(line.context),
                      print_bytes(line.margin));
  text += '\n';
  std::string limits;
  if (answer.host) limits += fmt::format("Host {}. ", print_bytes(*answer.host));
  if (answer.disk) limits += fmt::format("Disk {}. ", print_bytes(*answer.disk));
  if (answer.time_limit) limits += fmt::format("Time limit {} a step. ", print_duration(*answer.time_limit));
  if (limits.empty()) return text;
  limits.back() = '\n';
  return text + limits;
}

// The largest resident, and the next one if it is worth a word.
std::string attack_first(const std::vector<report::Attack>& attacks) {
  std::string text;
  for (const report::Attack& attack : attacks) {
    if (!text.empty() && attack.share < 0.1) break;
    text += wrapped(fmt::format("{} {} ({}): {}.", text.empty() ? "Attack first:" : "Then:",
                                name_of(attack.resident), percent(attack.share), printable(attack.advice)),
                    2);
    if (&attack != &attacks.front()) break;
  }
  return text;
}

std::string at_peak(const PlanAnswer& answer) {
  if (!answer.residents) return "";
  const char* whose = answer.best ? "At the peak" : "At the peak of the least found";
  std::string text = wrapped(fmt::format("{}, {}", whose, printable(answer.peak_op)), 2);
  text += residents_text(*answer.residents);
  if (!answer.best) text += "The values that bind\n" + groups_text(answer.at_peak, kBindingShown);
  return text + attack_first(answer.attack);
}

// The plan, if it is none of the strategies, and they.
std::vector<const Choice*> rows_of(const PlanAnswer& answer) {
  std::vector<const Choice*> rows;
  if (answer.best && answer.best->name == "plan") rows.push_back(&*answer.best);
  for (const Choice& choice : answer.strategies) rows.push_back(&choice);
  return rows;
}

char mark_of(const PlanAnswer& answer, const Choice& choice) {
  return answer.best && choice.name == answer.best->name ? '*' : ' ';
}

template <class Of>
auto largest_of(const std::vector<const Choice*>& rows, Of of) {
  auto most = of(*rows.front());
  for (const Choice* row : rows) most = std::max(most, of(*row));
  return most;
}

Bytes host_and_disk(const Choice& choice) {
  return choice.planned.peak[1] + choice.planned.peak[2];
}

std::string strategies_table(const PlanAnswer& answer) {
  const std::vector<const Choice*> rows = rows_of(answer);
  if (rows.empty()) return "";
  const ColumnUnit bytes =
      unit_for(largest_of(rows, [](const Choice& c) { return c.planned.device_peak(); }));
  const ColumnUnit time = unit_for(largest_of(rows, [](const Choice& c) { return c.planned.step_ns; }));
  const Bytes away = largest_of(rows, host_and_disk);
  const ColumnUnit away_unit = unit_for(away);
  std::vector<TextColumn> columns{
      {"strategy", Align::left, 24}, {"peak " + bytes.name}, {"step " + time.name}, {"vs keep-all"}};
  if (away.count() > 0) columns.push_back({"away " + away_unit.name});
  columns.push_back({"fits", Align::left});
  TextTable table(std::move(columns));
  for (const Choice* row : rows) {
    std::vector<std::string> cells{row->name, bytes.print(row->planned.device_peak().count()),
                                   time.print(row->planned.step_ns.count()),
                                   slower(row->planned.step_ns, answer.keep_all.planned.step_ns)};
    if (away.count() > 0) cells.push_back(away_unit.print(host_and_disk(*row).count()));
    cells.emplace_back(row->fits ? "yes" : "no");
    table.add(std::move(cells), mark_of(answer, *row));
  }
  return table.print();
}

std::string changes_table(const PlanAnswer& answer) {
  if (answer.changes.empty()) return "";
  TextTable table({{"what would make it fit", Align::left, 34},
                   {"step"},
                   {"tokens/s"},
                   {"least found"},
                   {"fits", Align::left}});
  for (const advisor::PricedChange& change : answer.changes)
    table.add({change.how, change.step_ns ? print_duration(*change.step_ns) : "-",
               change.tokens_per_s ? fmt::format("{:.0f}", *change.tokens_per_s) : "-",
               print_bytes(change.least_feasible), change.fits ? "yes" : "no"});
  return table.print();
}

std::string head(const PlanAnswer& answer) {
  std::string text = answer.best ? result(answer) + price(answer) : no_result(answer);
  text += certificate(answer);
  if (answer.stopped) text += "Stopped early: this is the best so far.\n";
  return text + '\n' + budget_line(answer);
}

}  // namespace

std::string plan_answer_text(const PlanAnswer& answer, const std::optional<Largest>& largest) {
  std::string text;
  if (largest) {
    text += fmt::format("Largest {} that fits: {}.\n", largest->of == "seq" ? "sequence" : "batch",
                        largest->value);
    if (answer.best && !answer.time_limit)
      text += "However long its step takes: --time-limit asks for the largest that is fast enough.\n";
  }
  text += head(answer);
  for (const std::string& part :
       {changes_table(answer), at_peak(answer), strategies_table(answer), picks_text(answer.picks)})
    if (!part.empty()) text += (part.starts_with("Picks") ? "" : "\n") + part;
  return text;
}

std::string compare_text(const advisor::CompareAnswer& compared) {
  const PlanAnswer& answer = compared.plan;
  const std::vector<const Choice*> rows = rows_of(answer);
  std::string text = head(answer);
  if (rows.empty()) return text;
  const ColumnUnit bytes =
      unit_for(largest_of(rows, [](const Choice& c) { return c.planned.device_peak(); }));
  const ColumnUnit time = unit_for(largest_of(rows, [](const Choice& c) { return c.planned.step_ns; }));
  const bool copies = largest_of(rows, host_and_disk).count() > 0;
  std::vector<TextColumn> columns{
      {"strategy", Align::left, 21}, {"peak " + bytes.name}, {"step " + time.name}, {"redo " + time.name}};
  if (copies) columns.push_back({"copies"});
  for (const char* name : {"R_mem", "R_cost"}) columns.push_back({name});
  columns.push_back({"fits", Align::left});
  TextTable table(std::move(columns));
  for (const Choice* row : rows) {
    const solver::Planned& planned = row->planned;
    std::vector<std::string> cells{row->name, bytes.print(planned.device_peak().count()),
                                   time.print(planned.step_ns.count()),
                                   time.print(planned.recompute_ns.count())};
    if (copies) cells.push_back(time.print(planned.link_busy_ns.count()));
    cells.push_back(percent(row->against.r_mem));
    cells.push_back(percent(row->against.r_cost));
    cells.emplace_back(row->fits ? "yes" : "no");
    table.add(std::move(cells), mark_of(answer, *row));
  }
  text += '\n' + table.print();
  text += wrapped(
      "redo: recompute a step. R_mem: share of the activations at the peak that is saved. R_cost: what is "
      "added to the step, as a share of the forward.");
  return text + picks_text(answer.picks);
}

}  // namespace worktop::format
