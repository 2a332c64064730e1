#include "format/simulate_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "format/answer_parts.h"
#include "format/sizes.h"
#include "format/text_table.h"

namespace worktop::format {
namespace {

using base::Nanoseconds;
using simulator::Stall;
using simulator::Timeline;

constexpr std::size_t kStallsShown = 10;

std::int64_t recompute_count(const Timeline& timeline) {
  return std::ranges::count_if(timeline.runs, [](const simulator::Run& run) { return run.recompute; });
}

// Longest first, equals in order.
std::vector<Stall> longest_stalls(const Timeline& timeline) {
  std::vector<Stall> stalls = timeline.stalls;
  std::ranges::stable_sort(stalls,
                           [](const Stall& a, const Stall& b) { return a.end - a.start > b.end - b.start; });
  if (stalls.size() > kStallsShown) stalls.resize(kStallsShown);
  return stalls;
}

std::string waited_for(const Simulated& s, const Stall& stall) {
  const simulator::Copy& copy = s.timeline.copies[static_cast<std::size_t>(stall.copy)];
  return s.graph.value(copy.value).name;
}

std::string who_waits(const Simulated& s, const Stall& stall) {
  return stall.before.exists() ? s.graph.op(stall.before).name : "release";
}

std::string share_line(const char* name, Nanoseconds amount, Nanoseconds step) {
  if (amount.count() == 0 || step.count() == 0) return fmt::format("  {:11}none\n", name);
  return fmt::format("  {:11}{} ({:.1f} %)\n", name, print_duration(amount), 100 * ratio(amount, step));
}

}  // namespace

std::string simulate_json(const Simulated& s) {
  const Timeline& timeline = s.timeline;
  JsonWriter w(1);
  w.begin_object();
  w.member("format", "worktop-answer-simulate");
  w.member("version", 1);
  w.member("graph", s.graph.name());
  w.member("machine", s.machine.name);
  w.member("made_by", s.plan.made_by);
  w.member("peak_bytes", timeline.peak[0]);
  w.member("host_peak_bytes", timeline.peak[1]);
  w.member("disk_peak_bytes", timeline.peak[2]);
  w.member("step_ns", timeline.step_ns);
  w.member("micro_step_ns", timeline.micro_step_ns);
  w.member("recompute_ns", timeline.recompute_ns);
  w.member("link_busy_ns", timeline.link_busy_ns);
  w.member("stalled_ns", timeline.stalled_ns);
  write_number(w, "tokens_per_s", s.tokens_per_s);
  w.member("runs", timeline.runs.size());
  w.member("recomputes", recompute_count(timeline));
  w.member("copies", timeline.copies.size());
  w.key("longest_stalls").begin_array();
  for (const Stall& stall : longest_stalls(timeline)) {
    w.begin_object_row();
    w.member("start_ns", stall.start);
    w.member("end_ns", stall.end);
    w.member("before", who_waits(s, stall));
    w.member("waits_for", waited_for(s, stall));
    w.end();
  }
  w.end();
  w.end();
  return std::move(w).take();
}

std::string simulate_text(const Simulated& s) {
  const Timeline& timeline = s.timeline;
  std::string text = fmt::format("{}: {}, {} a step", printable(s.plan.made_by),
                                 print_bytes(timeline.peak[0]), print_duration(timeline.step_ns));
  if (s.tokens_per_s) text += fmt::format(", {:.0f} tokens/s", *s.tokens_per_s);
  text += fmt::format(".\n{} on {}\n\n", printable(s.graph.name()), printable(s.machine.name));
  for (const int tier : {1, 2})
    if (const base::Bytes peak = timeline.peak[static_cast<std::size_t>(tier)]; peak.count() > 0)
      text += fmt::format("  {:11}{}\n", name_of(static_cast<machine::Tier>(tier)), print_bytes(peak));
  text += share_line("recompute", timeline.recompute_ns, timeline.step_ns);
  text += share_line("copies", timeline.link_busy_ns, timeline.step_ns);
  text += share_line("stalled", timeline.stalled_ns, timeline.step_ns);
  text += fmt::format("  {:11}{} ops, {} recomputes, {} copies\n", "ran",
                      timeline.runs.size() - static_cast<std::size_t>(recompute_count(timeline)),
                      recompute_count(timeline), timeline.copies.size());
  if (timeline.stalls.empty()) return text;
  TextTable table(
      {{"longest stalls", Align::right}, {"before", Align::left, 28}, {"waits for", Align::left, 30}});
  for (const Stall& stall : longest_stalls(timeline))
    table.add({print_duration(stall.end - stall.start), who_waits(s, stall), waited_for(s, stall)});
  return text + '\n' + table.print();
}

}  // namespace worktop::format
