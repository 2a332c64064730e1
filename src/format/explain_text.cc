#include "format/explain_text.h"

#include <fmt/format.h>

#include "format/sizes.h"
#include "format/text_parts.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

constexpr std::size_t kGroups = 12;
constexpr std::size_t kReasons = 16;

std::string reasons_table(const std::vector<report::Reason>& reasons) {
  TextTable table({{"activation", Align::left, 24},
                   {"count"},
                   {"bytes"},
                   {"fate", Align::left},
                   {.head = "because", .align = Align::left, .wrap = true}});
  std::size_t shown = 0;
  for (const report::Reason& reason : reasons) {
    if (++shown > kReasons) break;
    table.add({reason.label, std::to_string(reason.count), print_bytes(reason.bytes),
               plan::name_of(reason.fate), reason.text});
  }
  std::string text = table.print();
  if (reasons.size() > kReasons)
    text += fmt::format("  and {} smaller ones; --json has them all\n", reasons.size() - kReasons);
  return text;
}

}  // namespace

std::string explain_text(const advisor::ExplainAnswer& answer, bool peak_alone) {
  std::string text = wrapped(fmt::format("The peak of {} is {}, at {}.", printable(answer.made_by),
                                         print_bytes(answer.peak), printable(answer.peak_op)));
  text += fmt::format("{} on {}, {} a step.\n\n", printable(answer.graph_name),
                      printable(answer.machine_name), print_duration(answer.step_ns));
  text += residents_text(answer.residents) + '\n' + groups_text(answer.at_peak, kGroups);
  if (peak_alone || answer.reasons.empty()) return text;
  return text + '\n' + reasons_table(answer.reasons);
}

}  // namespace worktop::format
