#include "plan/policy.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace worktop::plan {
namespace {

using base::ids;

// Whether a policy says anything of the value.
bool concerns(const Graph& graph, ValueId v) {
  const graph::Value& value = graph.value(v);
  return value.holdable && value.bytes > Bytes{0} && value.producer.exists() &&
         graph.op(value.producer).phase == graph::Phase::forward;
}

// The four texts that a selector looks at, those that it does not name left out.
using Key = std::array<std::optional<std::string_view>, 4>;

Key key_of(const Selector& select) {
  return {select.value, select.block, select.block_kind, select.op_kind};
}

Key key_of(const Graph& graph, ValueId v) {
  const graph::Op& producer = graph.op(graph.value(v).producer);
  Key key{graph.value(v).name, {}, {}, producer.kind};
  if (producer.block.exists()) {
    key[1] = graph.block(producer.block).name;
    key[2] = graph.block(producer.block).kind;
  }
  return key;
}

// Finds the first rule that matches. A rule matches a value if its selector is the value's own key with some
// of the four texts left out: so there are 16 keys to look up, however many rules there are.
class Rules {
 public:
  explicit Rules(const std::vector<Rule>& rules) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Key key = key_of(rules[i].select);
      named_[mask_of(key)] = true;
      first_.try_emplace(key, i);  // the first of equal selectors decides
    }
  }

  // Its index, or `otherwise`.
  [[nodiscard]] std::size_t match(const Key& key, std::size_t otherwise) const {
    std::size_t best = otherwise;
    for (std::size_t mask = 0; mask < named_.size(); ++mask) {
      if (!named_[mask] || (mask & mask_of(key)) != mask) continue;
      Key part;
      for (std::size_t i = 0; i < key.size(); ++i)
        if (mask >> i & 1) part[i] = key[i];
      if (const auto found = first_.find(part); found != first_.end()) best = std::min(best, found->second);
    }
    return best;
  }

 private:
  static std::size_t mask_of(const Key& key) {
    std::size_t mask = 0;
    for (std::size_t i = 0; i < key.size(); ++i)
      if (key[i]) mask |= std::size_t{1} << i;
    return mask;
  }
  std::array<bool, 16> named_{};  // which combinations of texts some selector names
  std::map<Key, std::size_t> first_;
};

}  // namespace

base::IdVector<ValueId, Fate> fates_of(const Policy& policy, const Graph& graph) {
  const Rules rules(policy.rules);
  base::IdVector<ValueId, Fate> fates(graph.value_count(), Fate::keep);
  for (const ValueId v : ids<ValueId>(graph.value_count())) {
    if (!concerns(graph, v)) continue;
    const std::size_t rule = rules.match(key_of(graph, v), policy.rules.size());
    const Fate wanted = rule < policy.rules.size() ? policy.rules[rule].fate : policy.otherwise;
    fates[v] = wanted == Fate::recompute && !graph.recomputable(v) ? Fate::keep : wanted;
  }
  return fates;
}

Policy policy_of(const Graph& graph, const Plan& plan) {
  Policy policy{.name = plan.made_by, .rules = {}};
  for (const ValueId v : ids<ValueId>(graph.value_count())) {
    if (plan.fates[v] == policy.otherwise || !concerns(graph, v)) continue;
    Selector select;
    select.value = graph.value(v).name;
    policy.rules.push_back({std::move(select), plan.fates[v]});
  }
  return policy;
}

}  // namespace worktop::plan
