#include "format/frontier_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "format/sizes.h"
#include "format/text_parts.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

using advisor::FrontierAnswer;
using base::Bytes;
using base::Nanoseconds;
using report::FrontierPoint;

constexpr std::int64_t kColumns = 60;
constexpr std::int64_t kRows = 12;
constexpr std::int64_t kTallest = 2;  // times the fastest: what is slower stands at the upper edge

// The place of `amount` between `low` and `high`, as one of `places`; none outside.
std::int64_t place_of(std::int64_t amount, std::int64_t low, std::int64_t high, std::int64_t places) {
  if (amount < low || amount > high) return -1;
  if (high == low) return 0;
  const double share = static_cast<double>(amount - low) / static_cast<double>(high - low);
  return std::min(places - 1, static_cast<std::int64_t>(share * static_cast<double>(places - 1) + 0.5));
}

class Curve {
 public:
  explicit Curve(const std::vector<FrontierPoint>& points)
      : low_(points.front().peak),
        high_(points.back().peak),
        fast_(points.back().step_ns),
        slow_(fast_),
        lines_(kRows, std::string(kColumns, ' ')) {
    for (const FrontierPoint& point : points)
      if (point.step_ns <= kTallest * fast_) slow_ = std::max(slow_, point.step_ns);
    if (slow_ == fast_) slow_ = points.front().step_ns;
  }

  void put(Bytes peak, Nanoseconds step, char sign) {
    const std::int64_t x = place_of(peak.count(), low_.count(), high_.count(), kColumns);
    const bool off = step > slow_;
    const std::int64_t y = place_of(off ? slow_.count() : step.count(), fast_.count(), slow_.count(), kRows);
    if (off && sign == 'x') return;
    if (off) sign = '^';
    if (x >= 0 && y >= 0) lines_[static_cast<std::size_t>(kRows - 1 - y)][static_cast<std::size_t>(x)] = sign;
  }

  [[nodiscard]] std::string print() const {
    std::string text = "  Step time\n";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string label = i == 0                   ? print_duration(slow_)
                                : i + 1 == lines_.size() ? print_duration(fast_)
                                                         : "";
      std::string line = fmt::format("{:>10} |{}", label, lines_[i]);
      while (line.back() == ' ') line.pop_back();
      text += line + '\n';
    }
    text += std::string(11, ' ') + '+' + std::string(kColumns, '-') + '\n';
    const std::string left = print_bytes(low_);
    const std::string right = print_bytes(high_) + " peak";
    const auto space = static_cast<std::size_t>(kColumns) - left.size() - right.size();
    return text + std::string(12, ' ') + left + std::string(space, ' ') + right + '\n';
  }

 private:
  Bytes low_, high_;
  Nanoseconds fast_, slow_;
  std::vector<std::string> lines_;
};

std::string curve(const FrontierAnswer& answer) {
  if (answer.points.size() < 2) return "";
  Curve drawn(answer.points);
  for (const advisor::Choice& strategy : answer.strategies)
    drawn.put(strategy.planned.device_peak(), strategy.planned.step_ns, 'x');
  for (const FrontierPoint& point : answer.points) drawn.put(point.peak, point.step_ns, 'o');
  for (const FrontierPoint& point : answer.points)
    if (point.name == answer.picks.balanced) drawn.put(point.peak, point.step_ns, '*');
  return drawn.print() + "  o frontier, ^ above the scale, * balanced, x a strategy that others beat\n";
}

std::string table(const FrontierAnswer& answer) {
  const ColumnUnit bytes = unit_for(answer.points.back().peak);
  const ColumnUnit time = unit_for(answer.points.front().step_ns);
  const bool host =
      std::ranges::any_of(answer.points, [](const FrontierPoint& p) { return p.link_busy_ns.count() > 0; });
  std::vector<TextColumn> columns{{"plan", Align::left, 24},
                                  {"peak " + bytes.name},
                                  {"step " + time.name},
                                  {"vs keep-all"},
                                  {"redo " + time.name}};
  if (host) columns.push_back({"copies"});
  columns.push_back({"a GiB saves"});
  TextTable rows(std::move(columns));
  for (const FrontierPoint& point : answer.points) {
    std::vector<std::string> cells{
        point.name, bytes.print(point.peak.count()), time.print(point.step_ns.count()),
        slower(point.step_ns, answer.keep_all.planned.step_ns), time.print(point.recompute_ns.count())};
    if (host) cells.push_back(time.print(point.link_busy_ns.count()));
    cells.push_back(point.price_per_gib ? print_duration(*point.price_per_gib) : "-");
    rows.add(std::move(cells), point.name == answer.picks.balanced ? '*' : ' ');
  }
  return rows.print();
}

}  // namespace

std::string frontier_text(const FrontierAnswer& answer) {
  if (answer.points.empty()) return "No plan was found.\n";
  const FrontierPoint& lean = answer.points.front();
  const FrontierPoint& fast = answer.points.back();
  std::string text = wrapped(fmt::format(
      "Frontier: {} plans, from {} at {} to {} at {}.", answer.points.size(), print_bytes(lean.peak),
      print_duration(lean.step_ns), print_bytes(fast.peak), print_duration(fast.step_ns)));
  if (answer.stopped) text += "Stopped early: these are the best so far.\n";
  text += wrapped(fmt::format("{} on {}. The least possible peak is {}.", printable(answer.graph_name),
                              printable(answer.machine_name), print_bytes(answer.least_possible)));
  for (const std::string& part : {curve(answer), table(answer)})
    if (!part.empty()) text += '\n' + part;
  return text + picks_text(answer.picks);
}

}  // namespace worktop::format
