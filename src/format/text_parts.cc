#include "format/text_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "format/sizes.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

constexpr std::int64_t kBar = 36;  // characters for the whole peak

std::string bar(base::Bytes part, base::Bytes whole) {
  const std::int64_t full = std::max<std::int64_t>(1, whole.count());
  const auto length =
      static_cast<std::int64_t>(static_cast<double>(part.count()) / static_cast<double>(full) * kBar + 0.5);
  return std::string(static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kBar)), '#');
}

}  // namespace

std::string residents_text(const report::Residents& residents) {
  const base::Bytes total = residents.total();
  TextTable table({{"resident", Align::left}, {"bytes"}, {"share"}, {"", Align::left}});
  using enum report::Resident;
  for (const report::Resident resident :
       {weights, gradients, optimizer_states, activations, workspace, other}) {
    const base::Bytes bytes = share_of(residents, resident);
    if (bytes.count() > 0)
      table.add({name_of(resident), print_bytes(bytes), percent(ratio(bytes, total)), bar(bytes, total)});
  }
  return table.print();
}

std::string groups_text(std::span<const report::ResidentGroup> groups, std::size_t rows) {
  TextTable table(
      {{"who", Align::left, 28}, {"count"}, {"bytes"}, {.head = "why", .align = Align::left, .wrap = true}});
  for (const report::ResidentGroup& group : groups.first(std::min(rows, groups.size())))
    table.add({group.label, std::to_string(group.count), print_bytes(group.bytes), group.why});
  std::string text = table.print();
  if (groups.size() > rows) text += fmt::format("  and {} smaller groups\n", groups.size() - rows);
  return text;
}

std::string picks_text(const report::Picks& picks) {
  if (picks.fastest.empty()) return "";
  return wrapped(
      fmt::format("Picks: least memory {}, balanced {}, fastest {}.", printable(picks.least_memory),
                  printable(picks.balanced), printable(picks.fastest)),
      7);
}

std::string slower(base::Nanoseconds step_ns, base::Nanoseconds than) {
  if (than.count() == 0) return "-";
  return signed_percent(ratio(step_ns - than, than));
}

}  // namespace worktop::format
