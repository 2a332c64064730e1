#include "moments.h"

#include <numeric>

namespace worktop::adapter {
namespace {

// An op that left the tape again (a view) has begun under the number of the next one: only the last beginning
// of a number is the op's.
std::vector<size_t> last_beginnings(const Record& record) {
  std::vector<size_t> last(record.ops.size(), SIZE_MAX);
  for (size_t i = 0; i < record.log.size(); ++i) {
    const Event& event = record.log[i];
    if (event.kind == EventKind::op_begin && static_cast<size_t>(event.index) < last.size())
      last[static_cast<size_t>(event.index)] = i;
  }
  return last;
}

}  // namespace

Moments::Moments(const Record& record, const std::unordered_set<AllocationId>& managed)
    : ops_(static_cast<std::int32_t>(record.ops.size())),
      nodes_(static_cast<std::int32_t>(record.visits.size())) {
  seen_.resize(static_cast<size_t>(last()) + 1);
  const std::vector<size_t> beginnings = last_beginnings(record);
  std::unordered_set<AllocationId> own;
  std::int32_t now = 0, own_depth = 0, op_open = kNone;
  std::int64_t since = record.began_ns, own_since = 0, own_ns = 0, born = 0;
  born_before_.resize(seen_.size() + 1);
  const auto move_to = [&](std::int32_t moment, std::int64_t ns) {
    if (ns > since) seen_[static_cast<size_t>(now)].ns += std::max<std::int64_t>(0, ns - since - own_ns);
    now = moment;
    since = ns;
    own_ns = 0;
  };
  for (size_t i = 0; i < record.log.size(); ++i) {
    const Event& event = record.log[i];
    switch (event.kind) {
      case EventKind::op_begin:
        if (static_cast<size_t>(event.index) >= beginnings.size() ||
            beginnings[static_cast<size_t>(event.index)] != i)
          break;
        op_open = event.index;
        move_to(of_op(event.index), event.ns);
        break;
      case EventKind::op_end:
        if (op_open != event.index) break;
        op_open = kNone;
        move_to(of_op(event.index) + 1, event.ns);
        break;
      case EventKind::forward_end:
        move_to(after_forward(), event.ns);
        break;
      case EventKind::node_begin:
        if (event.index < nodes_) move_to(of_node(event.index), event.ns);
        break;
      case EventKind::node_end:
        if (event.index >= 0 && event.index < nodes_) move_to(of_node(event.index) + 1, event.ns);
        break;
      case EventKind::own_begin:
        if (own_depth++ == 0) own_since = event.ns;
        break;
      case EventKind::own_end:
        if (--own_depth == 0) own_ns += event.ns - own_since;
        break;
      case EventKind::allocate:
        if (own_depth > 0) {
          own.insert(event.allocation);
          break;
        }
        births_.emplace(event.allocation, now);
        ++born_before_[static_cast<size_t>(now) + 1];
        ++born;
        seen_[static_cast<size_t>(now)].changes.push_back({event.bytes, event.allocation});
        break;
      case EventKind::release:
        if (own.contains(event.allocation)) break;
        deaths_.emplace(event.allocation, now);
        born_till_death_.emplace(event.allocation, born);
        if (!managed.contains(event.allocation))
          seen_[static_cast<size_t>(now)].changes.push_back({-event.bytes, event.allocation});
        break;
    }
  }
  if (record.ended_ns > since) move_to(now, record.ended_ns);
  std::partial_sum(born_before_.begin(), born_before_.end(), born_before_.begin());
}

std::int32_t Moments::death_of(AllocationId allocation) const {
  const auto found = deaths_.find(allocation);
  return found == deaths_.end() ? kNone : found->second;
}

bool Moments::frees_first(AllocationId allocation, std::int32_t from) const {
  const auto found = born_till_death_.find(allocation);
  return found != born_till_death_.end() && found->second == born_before_[static_cast<size_t>(from)];
}

std::int32_t Moments::birth_of(AllocationId allocation) const {
  const auto found = births_.find(allocation);
  return found == births_.end() ? kNone : found->second;
}

}  // namespace worktop::adapter
