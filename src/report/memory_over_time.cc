#include "report/memory_over_time.h"

#include <algorithm>

namespace worktop::report {
namespace {

constexpr std::size_t at(StackLayer layer) {
  return static_cast<std::size_t>(layer);
}

// The state after every change of one instant, as columns of their own.
class Columns {
 public:
  explicit Columns(Nanoseconds width) : width_(width) {}

  // `now` with its time set. A state belongs to the column in whose width it begins; the one before it
  // reaches into that column, so that its end is seen there as well.
  void see(const MemoryColumn& now) {
    if (done_.empty() || now.at - start_ >= width_) {
      done_.push_back(now);
      start_ = width_ > Nanoseconds{0} ? width_ * (now.at.count() / width_.count()) : now.at;
      return;
    }
    MemoryColumn& last = done_.back();
    if (now.device > last.device) {
      last.layers = now.layers;
      last.device = now.device;
    }
    last.host = std::max(last.host, now.host);
    last.disk = std::max(last.disk, now.disk);
  }
  [[nodiscard]] std::vector<MemoryColumn> take() && { return std::move(done_); }

 private:
  Nanoseconds width_;
  Nanoseconds start_{0};
  std::vector<MemoryColumn> done_;
};

// The highest state within each instant, in order. A state that lasts until the next instant comes after it
// where it is lower, so that a short height does not last.
std::vector<MemoryColumn> instants(const graph::Graph& graph, const plan::Plan& plan,
                                   std::span<const MemoryChange> changes) {
  std::vector<MemoryColumn> seen;
  MemoryColumn now;
  std::size_t highest = 0;  // of this instant
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const MemoryChange& change = changes[i];
    if (i == 0 || change.at != now.at) highest = seen.size();
    now.at = change.at;
    if (change.tier == Tier::host) now.host += change.bytes;
    if (change.tier == Tier::disk) now.disk += change.bytes;
    if (change.tier == Tier::device) {
      const StackLayer layer =
          change.value.exists() ? layer_of(graph, plan, change.value) : StackLayer::workspace_and_other;
      now.layers[at(layer)] += change.bytes;
      now.device += change.bytes;
    }
    const bool last = i + 1 == changes.size() || changes[i + 1].at != change.at;
    if (highest == seen.size()) {
      seen.push_back(now);
    } else if (now.device > seen[highest].device) {
      seen.resize(highest + 1);
      seen[highest] = now;
    } else if (last) {
      seen.push_back(now);
    }
  }
  return seen;
}

}  // namespace

std::string_view name_of(StackLayer layer) {
  constexpr std::array<std::string_view, kStackLayers> kNames{
      "optimizer_states", "gradients", "weights", "workspace_and_other", "kept",
      "recomputed",       "copies",    "passing"};
  return kNames[at(layer)];
}

StackLayer layer_of(const graph::Graph& graph, const plan::Plan& plan, ValueId value) {
  switch (graph.value(value).kind) {
    case graph::ValueKind::optimizer_state:
      return StackLayer::optimizer_states;
    case graph::ValueKind::gradient:
      return StackLayer::gradients;
    case graph::ValueKind::weight:
      return StackLayer::weights;
    case graph::ValueKind::activation:
      break;
    default:
      return StackLayer::workspace_and_other;
  }
  if (!graph.decidable(value)) return StackLayer::passing;
  if (plan.fates[value] == plan::Fate::keep) return StackLayer::kept;
  return plan.fates[value] == plan::Fate::recompute ? StackLayer::recomputed : StackLayer::copies;
}

MemoryOverTime memory_over_time(const graph::Graph& graph, const plan::Plan& plan,
                                std::span<const MemoryChange> changes, Nanoseconds end, std::int32_t most) {
  MemoryOverTime picture;
  const std::vector<MemoryColumn> all = instants(graph, plan, changes);
  const bool few = all.size() <= static_cast<std::size_t>(most);
  Columns columns(few ? Nanoseconds{0} : Nanoseconds{end.count() / (most - 1) + 1});
  for (const MemoryColumn& column : all) columns.see(column);
  picture.columns = std::move(columns).take();
  for (std::size_t i = 0; i < picture.columns.size(); ++i)
    if (picture.columns[i].device > picture.columns[picture.peak_column].device) picture.peak_column = i;
  if (picture.columns.empty()) return picture;
  picture.peak = picture.columns[picture.peak_column].layers;
  const Bytes peak = picture.columns[picture.peak_column].device;
  picture.peak_at = std::ranges::find(all, peak, &MemoryColumn::device)->at;
  return picture;
}

}  // namespace worktop::report
