#include "solver/max_flow.h"

#include <algorithm>

namespace worktop::solver {

void MaxFlow::clear() {
  first_.clear(), next_.clear(), to_.clear(), residual_.clear(), level_.clear();
}

std::int32_t MaxFlow::add_node() {
  first_.push_back(-1);
  level_.push_back(-1);
  return static_cast<std::int32_t>(first_.size()) - 1;
}

std::int32_t MaxFlow::add_edge(std::int32_t from, std::int32_t to) {
  const auto arc = static_cast<std::int32_t>(to_.size());
  to_.push_back(to), next_.push_back(first_[at(from)]), residual_.push_back(0);
  first_[at(from)] = arc;
  to_.push_back(from), next_.push_back(first_[at(to)]), residual_.push_back(0);
  first_[at(to)] = arc + 1;
  return arc / 2;
}

std::int64_t MaxFlow::run(std::int32_t source, std::int32_t sink) {
  std::int64_t flow = 0;
  while (find_levels(source, sink)) {
    current_ = first_;
    while (const std::int64_t pushed = push_path(source, sink)) {
      flow += pushed;
      if (flow >= kInfinite) return flow;
    }
  }
  return flow;
}

// Distances from the source along arcs with room; false once the sink is out of reach.
bool MaxFlow::find_levels(std::int32_t source, std::int32_t sink) {
  std::ranges::fill(level_, -1);
  queue_.assign(1, source);
  level_[at(source)] = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const std::int32_t node = queue_[i];
    for (std::int32_t arc = first_[at(node)]; arc >= 0; arc = next_[at(arc)]) {
      ++work_;
      if (residual_[at(arc)] <= 0 || level_[at(to_[at(arc)])] >= 0) continue;
      level_[at(to_[at(arc)])] = level_[at(node)] + 1;
      queue_.push_back(to_[at(arc)]);
    }
  }
  return level_[at(sink)] >= 0;
}

// One path to the sink, each step one level further; dead ends are not entered again. 0: there is none.
std::int64_t MaxFlow::push_path(std::int32_t source, std::int32_t sink) {
  path_.clear();
  std::int32_t node = source;
  while (node != sink) {
    std::int32_t& arc = current_[at(node)];
    while (arc >= 0 && (residual_[at(arc)] <= 0 || level_[at(to_[at(arc)])] != level_[at(node)] + 1)) {
      ++work_;
      arc = next_[at(arc)];
    }
    if (arc >= 0) {
      path_.push_back(arc);
      node = to_[at(arc)];
      continue;
    }
    if (node == source) return 0;
    const std::int32_t back = path_.back();  // a dead end: step back and go on behind it
    path_.pop_back();
    node = to_[at(back ^ 1)];
    current_[at(node)] = next_[at(current_[at(node)])];
  }
  std::int64_t least = kInfinite;
  for (std::int32_t arc : path_) least = std::min(least, residual_[at(arc)]);
  for (std::int32_t arc : path_) residual_[at(arc)] -= least, residual_[at(arc ^ 1)] += least;
  return least;
}

}  // namespace worktop::solver
