#include "solver/cut_network.h"

#include <algorithm>

#include "plan/holding.h"
#include "solver/bounds.h"

namespace worktop::solver {

using graph::OpId;
using graph::ValueId;

namespace {
constexpr std::int32_t kSource = 0, kSink = 1;
constexpr std::int64_t kFinest = std::int64_t{1} << 20;
constexpr std::int64_t kLargestSum = std::int64_t{1} << 60;
}  // namespace

CutStep::CutStep(const Problem& problem)
    : graph(problem.graph),
      durations(problem.durations),
      wanted(problem.graph.value_count(), -1),
      needs(needed_by_ops(problem.graph)) {
  std::int32_t end = graph.op_count() + 1;  // stages below count
  if (graph.micro_steps() > 1) {
    end = 0;
    while (end < graph.op_count() && graph.op(OpId{end}).phase != graph::Phase::optimizer) ++end;
  }
  std::int64_t bytes = 1;
  for (ValueId v : base::ids<ValueId>(graph.value_count())) {
    bytes += graph.value(v).bytes.count();
    for (OpId reader : graph.readers(v))
      if (reader.index() < end) wanted[v] = reader.index();
    if (plan::needed_at_end(graph, v) && graph.op_count() < end) wanted[v] = graph.op_count();
  }
  const std::int64_t total = durations.total().count();
  scale = std::min(kFinest, kLargestSum / std::max<std::int64_t>(1, total));
  dearest = kLargestSum / bytes;
}

CutNetwork::CutNetwork(const CutStep& step)
    : step_(step), item_index_(step.graph.value_count(), -1), rerun_index_(step.graph.op_count(), -1) {}

bool CutNetwork::resident(ValueId v, OpId moment) const {
  return plan::program_window(step_.graph, v).holds(moment.index()) ||
         std::ranges::binary_search(step_.graph.readers(v), moment);
}

void CutNetwork::build(OpId moment) {
  for (const Item& item : items_) item_index_[item.value] = -1;
  for (const Rerun& rerun : reruns_) rerun_index_[rerun.op] = -1;
  items_.clear(), edges_.clear(), reruns_.clear(), reads_.clear();
  flow_.clear();
  flow_.add_node(), flow_.add_node();
  const auto counts = [&](ValueId v) {
    const OpId producer = step_.graph.value(v).producer;
    return producer.exists() && producer < moment && step_.graph.value(v).bytes.count() > 0 &&
           !resident(v, moment);
  };
  for (ValueId v : base::ids<ValueId>(step_.graph.value_count()))
    if (step_.wanted[v] > moment.index() && counts(v)) item_of(v, true);
  for (std::size_t i = 0; i < reruns_.size(); ++i) {  // grows as we go
    const std::int32_t node = reruns_[i].node;
    for (ValueId read : step_.graph.reads(reruns_[i].op)) {
      if (!counts(read)) continue;
      const std::int32_t item = item_of(read, false);
      reads_.push_back(flow_.add_edge(node, edges_[static_cast<std::size_t>(item)].node));
    }
  }
}

std::int32_t CutNetwork::item_of(ValueId v, bool wanted) {
  if (item_index_[v] >= 0) return item_index_[v];
  item_index_[v] = static_cast<std::int32_t>(items_.size());
  const OpId producer = step_.graph.value(v).producer;
  const bool replayable = step_.graph.op(producer).flags.replayable();
  items_.push_back({v, step_.graph.value(v).bytes.count(), wanted, replayable});
  ItemEdges edges{.node = flow_.add_node()};
  edges.from_source = flow_.add_edge(kSource, edges.node);
  if (replayable) edges.rerun = rerun_of(producer);
  const auto to = replayable ? reruns_[static_cast<std::size_t>(edges.rerun)].node : kSink;
  edges.keep = flow_.add_edge(edges.node, to);
  edges_.push_back(edges);
  return item_index_[v];
}

std::int32_t CutNetwork::rerun_of(OpId op) {
  if (rerun_index_[op] >= 0) return rerun_index_[op];
  rerun_index_[op] = static_cast<std::int32_t>(reruns_.size());
  Rerun rerun{.op = op, .node = flow_.add_node(), .cost = step_.durations[op].count() * step_.scale};
  rerun.to_sink = flow_.add_edge(rerun.node, kSink);
  reruns_.push_back(rerun);
  return rerun_index_[op];
}

std::int64_t CutNetwork::wanted_bytes() const {
  std::int64_t sum = 0;
  for (const Item& item : items_) sum += item.wanted ? item.bytes : 0;
  return sum;
}

void CutNetwork::set_capacities(std::int64_t price, const std::vector<Fixed>& fixed) {
  for (std::int32_t edge : reads_) flow_.set_capacity(edge, MaxFlow::kInfinite);
  for (const Rerun& rerun : reruns_) flow_.set_capacity(rerun.to_sink, rerun.cost);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Fixed fate = fixed.empty() ? Fixed::free : fixed[i];
    const bool there = items_[i].wanted || fate == Fixed::kept;
    flow_.set_capacity(edges_[i].from_source, there ? MaxFlow::kInfinite : 0);
    flow_.set_capacity(edges_[i].keep,
                       fate == Fixed::not_kept ? MaxFlow::kInfinite : price * items_[i].bytes);
    if (fate == Fixed::kept && edges_[i].rerun >= 0)
      flow_.set_capacity(reruns_[static_cast<std::size_t>(edges_[i].rerun)].to_sink, MaxFlow::kInfinite);
  }
}

std::int64_t CutNetwork::least_bytes() {
  set_capacities(1, {});
  for (const Rerun& rerun : reruns_) flow_.set_capacity(rerun.to_sink, 0);
  return flow_.run(kSource, kSink);
}

bool CutNetwork::cheapest(std::int64_t price, const std::vector<Fixed>& fixed, Choice& choice) {
  set_capacities(price, fixed);
  if (flow_.run(kSource, kSink) >= MaxFlow::kInfinite) return false;
  choice.cost = choice.bytes = 0;
  for (const Rerun& rerun : reruns_) choice.cost += flow_.on_source_side(rerun.node) ? rerun.cost : 0;
  choice.kept.assign(items_.size(), 0);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const std::int32_t rerun = edges_[i].rerun;
    const bool again = rerun >= 0 && flow_.on_source_side(reruns_[static_cast<std::size_t>(rerun)].node);
    if (!flow_.on_source_side(edges_[i].node) || again) continue;
    choice.kept[i] = 1;
    choice.bytes += items_[i].bytes;
  }
  return true;
}

}  // namespace worktop::solver
