#include "report/residents.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "plan/holding.h"
#include "report/alike.h"

namespace worktop::report {
namespace {

using graph::Graph;
using graph::OpId;
using graph::ValueId;
using graph::ValueKind;

constexpr std::array kResidents = {Resident::weights,     Resident::gradients, Resident::optimizer_states,
                                   Resident::activations, Resident::workspace, Resident::other};

std::string why_held_by_executor(const Graph& graph, const plan::Plan& plan, ValueId v, plan::Moment moment) {
  const auto readers = graph.readers(v);
  const auto in_forward = [&](OpId op) {
    return op.index() >= moment.boundary.index() && graph.op(op).phase == graph::Phase::forward;
  };
  const bool before_last_use = std::ranges::any_of(readers, in_forward);
  switch (plan.fates[v]) {
    case plan::Fate::keep:
      return "kept for a later op";
    case plan::Fate::recompute:
      return before_last_use ? "held until its last use in forward" : "made again for a later op";
    case plan::Fate::offload_host:
    case plan::Fate::offload_disk:
      return before_last_use ? "held until its last use in forward"
                             : "on its way out, or back for a later op";
  }
  return {};
}

// The first that applies: who would have to let go for the bytes to go.
std::string why_resident(const Graph& graph, const plan::Plan& plan, ValueId v, plan::Moment moment) {
  const graph::Value& value = graph.value(v);
  const OpId running = moment.running;
  if (running.exists()) {
    if (std::ranges::count(graph.writes(running), v, &graph::Output::value) > 0)
      return "written by the op that runs";
    if (std::ranges::count(graph.reads(running), v) > 0) return "read by the op that runs";
  }
  if (!plan::program_window(graph, v).holds(moment.boundary.index()))
    return why_held_by_executor(graph, plan, v, moment);
  return value.held_until.exists() ? "held by the program" : "held by the program to the end of the step";
}

void add_unlisted(const Graph& graph, const plan::MemoryProfile& memory, std::vector<ResidentGroup>& groups) {
  const OpId running = memory.peak_moment.running;
  if (!running.exists()) return;
  const graph::Op& op = graph.op(running);
  const std::string label =
      alike_name(op.name, op.block.exists() ? graph.block(op.block).name : std::string());
  for (const Resident kind : kResidents) {
    Bytes rest = share_of(memory.residents, kind);
    for (const ResidentGroup& group : groups)
      if (group.kind == kind) rest -= group.bytes;
    if (rest == Bytes{0}) continue;
    const char* why = kind == Resident::workspace ? "needed while the op runs"
                                                  : "made again while still there: a second buffer";
    groups.push_back({.label = label, .kind = kind, .count = 1, .bytes = rest, .why = why});
  }
}

std::string advice_for_weights(const model::Settings* settings) {
  std::string advice;
  if (!settings || settings->precision != model::Precision::bf16) advice += "hold them in bf16; ";
  return advice + "share them among devices";
}

std::string advice_for_gradients(const model::Settings* settings) {
  std::string advice;
  if (!settings || !settings->lora) advice += "train LoRA adapters only; ";
  if (!settings || settings->precision != model::Precision::bf16) advice += "hold them in bf16; ";
  return advice + "share them among devices";
}

std::string advice_for_states(const model::Settings* settings) {
  std::string advice;
  if (!settings || settings->optimizer == model::Optimizer::adamw ||
      settings->optimizer == model::Optimizer::momentum)
    advice += "adamw8bit or adafactor; ";
  if (!settings || !settings->lora) advice += "train LoRA adapters only; ";
  return advice + "share them among devices";
}

std::string advice_for_activations(const model::Settings* settings) {
  std::string advice = "recompute or offload more of them";
  if (settings && settings->attention == model::Attention::materialised) advice += "; fused attention";
  if (!settings || settings->batch > 1) advice += "; a smaller batch";
  return advice + "; shorter sequences";
}

std::string advice_for_passing_bytes(const model::Settings* settings) {
  std::string advice;
  if (!settings || settings->cross_entropy == model::CrossEntropy::whole)
    advice += "chunked cross-entropy, if the loss is at the peak; ";
  if (settings && settings->attention == model::Attention::materialised) advice += "fused attention; ";
  if (!settings || settings->batch > 1) advice += "a smaller batch; ";
  return advice + "shorter sequences";
}

std::string advice_for(Resident resident, const model::Settings* settings) {
  switch (resident) {
    case Resident::weights:
      return advice_for_weights(settings);
    case Resident::gradients:
      return advice_for_gradients(settings);
    case Resident::optimizer_states:
      return advice_for_states(settings);
    case Resident::activations:
      return advice_for_activations(settings);
    case Resident::workspace:
    case Resident::other:
      return advice_for_passing_bytes(settings);
  }
  return {};
}

}  // namespace

Resident resident_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::activation:
      return Resident::activations;
    case ValueKind::weight:
      return Resident::weights;
    case ValueKind::gradient:
      return Resident::gradients;
    case ValueKind::optimizer_state:
      return Resident::optimizer_states;
    case ValueKind::buffer:
    case ValueKind::input:
    case ValueKind::temporary:
      return Resident::other;
  }
  return Resident::other;
}

Bytes share_of(const Residents& residents, Resident resident) {
  switch (resident) {
    case Resident::weights:
      return residents.weights;
    case Resident::gradients:
      return residents.gradients;
    case Resident::optimizer_states:
      return residents.optimizer_states;
    case Resident::activations:
      return residents.activations;
    case Resident::workspace:
      return residents.workspace;
    case Resident::other:
      return residents.other;
  }
  return residents.other;
}

std::vector<ResidentGroup> residents_at_peak(const Graph& graph, const plan::Plan& plan,
                                             const plan::MemoryProfile& memory) {
  std::map<std::tuple<Resident, std::string, std::string>, ResidentGroup> alike;
  for (const ValueId v : memory.resident_values) {
    const Resident kind = resident_of(graph.value(v).kind);
    const std::string label = alike_name(graph, v);
    const std::string why = why_resident(graph, plan, v, memory.peak_moment);
    ResidentGroup& group =
        alike.try_emplace({kind, label, why}, ResidentGroup{.label = label, .kind = kind, .why = why})
            .first->second;
    ++group.count;
    group.bytes += graph.value(v).bytes;
  }
  std::vector<ResidentGroup> groups;
  for (auto& [key, group] : alike) groups.push_back(std::move(group));
  add_unlisted(graph, memory, groups);
  std::ranges::sort(groups, {}, [](const ResidentGroup& group) {
    return std::tuple(-group.bytes, group.kind, std::string_view(group.label), std::string_view(group.why));
  });
  return groups;
}

std::vector<Attack> attacks(const Residents& residents, const std::optional<model::Settings>& settings) {
  std::vector<Attack> list;
  for (const Resident resident : kResidents) {
    const Bytes bytes = share_of(residents, resident);
    if (bytes <= Bytes{0}) continue;
    list.push_back({.resident = resident,
                    .bytes = bytes,
                    .share = ratio(bytes, residents.total()),
                    .advice = advice_for(resident, settings ? &*settings : nullptr)});
  }
  std::ranges::stable_sort(list, std::greater{}, &Attack::bytes);
  return list;
}

}  // namespace worktop::report
