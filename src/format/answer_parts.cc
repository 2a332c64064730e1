#include "format/answer_parts.h"

namespace worktop::format {
namespace {

constexpr int kDigits = 12;

void write_name(JsonWriter& w, std::string_view key, const std::string& name) {
  w.key(key);
  if (name.empty())
    w.null();
  else
    w.value(name);
}

}  // namespace

std::string_view key_of(report::Resident resident) {
  return resident == report::Resident::optimizer_states ? "optimizer_states" : name_of(resident);
}

void write_number(JsonWriter& w, std::string_view key, std::optional<double> number) {
  w.key(key);
  if (number)
    w.value(*number, kDigits);
  else
    w.null();
}

void write_residents(JsonWriter& w, std::string_view key, const std::optional<report::Residents>& residents) {
  w.key(key);
  if (!residents) {
    w.null();
    return;
  }
  w.begin_object();
  using enum report::Resident;
  for (const report::Resident resident :
       {weights, gradients, optimizer_states, activations, workspace, other})
    w.member(key_of(resident), share_of(*residents, resident));
  w.end();
}

void write_groups(JsonWriter& w, std::string_view key, std::span<const report::ResidentGroup> groups) {
  w.key(key).begin_array();
  for (const report::ResidentGroup& group : groups) {
    w.begin_object_row();
    w.member("label", group.label);
    w.member("kind", key_of(group.kind));
    w.member("count", group.count);
    w.member("bytes", group.bytes);
    w.member("why", group.why);
    w.end();
  }
  w.end();
}

void write_choice(JsonWriter& w, const advisor::Choice& choice) {
  const solver::Planned& planned = choice.planned;
  w.begin_object();
  w.member("name", choice.name);
  w.member("peak_bytes", planned.peak[0]);
  w.member("step_ns", planned.step_ns);
  w.member("fits", choice.fits);
  w.member("host_peak_bytes", planned.peak[1]);
  w.member("disk_peak_bytes", planned.peak[2]);
  w.member("recompute_ns", planned.recompute_ns);
  w.member("link_busy_ns", planned.link_busy_ns);
  w.member("stalled_ns", planned.stalled_ns);
  write_number(w, "tokens_per_s", choice.tokens_per_s);
  write_number(w, "cost", choice.cost);
  write_number(w, "r_mem", choice.against.r_mem);
  write_number(w, "r_mem_total", choice.against.r_mem_total);
  write_number(w, "r_cost", choice.against.r_cost);
  w.end();
}

void write_choices(JsonWriter& w, std::string_view key, std::span<const advisor::Choice> choices) {
  w.key(key).begin_array();
  for (const advisor::Choice& choice : choices) write_choice(w, choice);
  w.end();
}

void write_picks(JsonWriter& w, const report::Picks& picks) {
  w.key("picks").begin_object();
  write_name(w, "least_memory", picks.least_memory);
  write_name(w, "balanced", picks.balanced);
  write_name(w, "fastest", picks.fastest);
  w.end();
}

}  // namespace worktop::format
