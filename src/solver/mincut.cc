#include "solver/mincut.h"

#include <algorithm>

#include "solver/bounds.h"
#include "solver/cut_network.h"

namespace worktop::solver {
namespace {

using graph::OpId;
using machine::Tier;
using Choice = CutNetwork::Choice;
using Fixed = CutNetwork::Fixed;

constexpr std::int32_t kMostPrices = 40;     // cuts of one search for the best price
constexpr std::int32_t kFirstMoments = 256;  // on a coarse grid; then around the best
constexpr std::size_t kBranchMoments = 4;    // the best so many are closed by branch and bound

// Bytes that the links of the device can move between lower tiers and it in that time.
std::int64_t carried(const machine::Machine& machine, Nanoseconds time, bool outward) {
  double bytes = 0;
  for (machine::LinkId id : base::ids<machine::LinkId>(machine.links.size())) {
    const machine::Link& link = machine.links[id];
    const Tier upper = outward ? link.from : link.to, lower = outward ? link.to : link.from;
    if (upper == Tier::device && machine.has_tier(lower))
      bytes += link.bandwidth.per_second * time.as_double() / 1e9 + 1;
  }
  return bytes < 4e18 ? static_cast<std::int64_t>(bytes * (1 + 1e-12)) : INT64_MAX / 4;
}

// The search for the best price at one moment, with some items fixed.
struct Priced {
  std::int64_t bound = 0;        // scaled; kNone: no choice fits
  std::int64_t price = 0;        // at which it is reached
  std::optional<Choice> fits;    // the cheapest seen that fits
  std::optional<Choice> beyond;  // the dearest seen that does not
};
constexpr std::int64_t kNone = INT64_MAX;

Priced best_price(CutNetwork& network, const CutStep& step, std::int64_t room,
                  const std::vector<Fixed>& fixed) {
  Priced result;
  Choice choice;
  if (!network.cheapest(0, fixed, choice)) return {.bound = kNone};
  result.bound = choice.cost;
  if (choice.bytes <= room) return result.fits = choice, result;
  result.beyond = choice;
  std::int64_t price = step.dearest;
  for (std::int32_t i = 0; i < kMostPrices; ++i) {
    if (!network.cheapest(price, fixed, choice)) return {.bound = kNone};
    const std::int64_t value = choice.cost + price * (choice.bytes - room);
    if (value > result.bound) result.bound = value, result.price = price;
    const bool fits = choice.bytes <= room;
    const std::optional<Choice>& same = fits ? result.fits : result.beyond;
    const bool known = same && value >= same->cost + price * (same->bytes - room);
    if (!known) (fits ? result.fits : result.beyond) = choice;
    if (!result.fits || (known && i > 0)) break;
    const std::int64_t next =
        (result.fits->cost - result.beyond->cost) / (result.beyond->bytes - result.fits->bytes);
    if (next == price) break;
    price = std::clamp<std::int64_t>(next, 0, step.dearest);
  }
  return result;
}

class Bounder {
 public:
  Bounder(const Problem& problem, const CutLimits& limits)
      : problem_(problem),
        limits_(limits),
        step_(problem),
        network_(step_),
        first_runs_(first_runs_ns(problem)),
        before_(problem.graph.op_count() + 1, Nanoseconds{0}) {
    for (OpId op : base::ids<OpId>(problem.graph.op_count()))
      before_[OpId{op.index() + 1}] = saturating_add(before_[op], problem.durations[op]);
  }

  CutBound run();

 private:
  struct Moment {
    OpId op;
    std::int64_t room = 0;
    std::int64_t bound = 0;
  };
  [[nodiscard]] std::int64_t room(OpId moment) const;
  std::int64_t look(OpId moment);
  void take(OpId moment, std::int64_t bound, const Priced& priced);
  void note_gone(const std::optional<Choice>& choice);
  void branch(const Moment& moment);
  [[nodiscard]] std::int64_t enough() const;
  [[nodiscard]] Nanoseconds whole_step(std::int64_t scaled) const;

  const Problem& problem_;
  const CutLimits& limits_;
  CutStep step_;
  CutNetwork network_;
  Nanoseconds first_runs_;
  base::IdVector<OpId, Nanoseconds> before_;  // first runs before the op
  std::vector<Moment> seen_;
  std::int64_t best_ = 0;  // scaled
  CutBound result_;
};

// What the moment leaves for values that are wanted later, on the device and, meanwhile, below it.
std::int64_t Bounder::room(OpId moment) const {
  const std::int64_t here = problem_.budgets.device->count() - step_.needs[moment].count();
  std::int64_t below = 0;
  for (const Tier tier : {Tier::host, Tier::disk}) {
    if (!problem_.machine.has_tier(tier) || limits_.alone) continue;
    const auto& budget = problem_.budgets.of(tier);
    below = std::min(INT64_MAX / 4, below + (budget ? budget->count() : INT64_MAX / 8));
  }
  if (below == 0) return here;
  if (!limits_.within) return INT64_MAX / 8;
  // Of the last micro-step, with what follows: the others take their first runs at least.
  const Nanoseconds others = first_runs_ - before_[OpId{problem_.graph.op_count()}];
  const Nanoseconds all = *limits_.within - others;
  const Nanoseconds after = all - before_[moment];
  const Nanoseconds until = all - (before_[OpId{problem_.graph.op_count()}] - before_[moment]);
  return here + std::min({below, carried(problem_.machine, std::max(after, Nanoseconds{0}), false),
                          carried(problem_.machine, std::max(until, Nanoseconds{0}), true)});
}

Nanoseconds Bounder::whole_step(std::int64_t scaled) const {
  const std::int64_t ns = scaled / step_.scale + (scaled % step_.scale != 0);
  return saturating_add(first_runs_,
                        saturating_mul(Nanoseconds{ns}, std::max(1, problem_.graph.micro_steps())));
}

// Where the bound need not be higher.
std::int64_t Bounder::enough() const {
  if (!limits_.within) return kNone;
  const std::int64_t ns = (*limits_.within - first_runs_).count() / std::max(1, problem_.graph.micro_steps());
  return ns >= kNone / step_.scale / 2 ? kNone : std::max<std::int64_t>(ns, 0) * step_.scale;
}

void Bounder::take(OpId moment, std::int64_t bound, const Priced& priced) {
  if (bound <= best_ || bound == kNone) return;
  best_ = bound;
  result_.moment = moment;
  result_.price_per_gib = Nanoseconds{static_cast<std::int64_t>(
      static_cast<double>(priced.price) / static_cast<double>(step_.scale) * base::kGiB.as_double())};
  note_gone(priced.fits);
}

void Bounder::note_gone(const std::optional<Choice>& choice) {
  result_.gone.clear();
  if (!choice) return;
  for (std::size_t i = 0; i < network_.items().size(); ++i)
    if (!choice->kept[i]) result_.gone.push_back(network_.items()[i].value);
}

std::int64_t Bounder::look(OpId moment) {
  const std::int64_t room = this->room(moment);
  network_.build(moment);
  if (network_.wanted_bytes() <= room) return 0;
  const Priced priced = best_price(network_, step_, room, {});
  const std::int64_t bound =
      priced.bound == kNone ? 0 : priced.bound;  // (nothing is fixed: there is a choice)
  take(moment, bound, priced);
  seen_.push_back({moment, room, bound});
  return bound;
}

// Best first; the bound of the moment is that of the lowest open node, or the best choice where it is lower.
void Bounder::branch(const Moment& moment) {
  network_.build(moment.op);
  struct Node {
    std::int64_t bound = 0;
    std::vector<Fixed> fixed;
    std::size_t next = 0;  // the item to branch on
  };
  const auto later = [](const Node& a, const Node& b) { return a.bound > b.bound; };
  std::vector<Node> open;
  std::int64_t incumbent = kNone;  // the cheapest choice that fits
  std::optional<Choice> cheapest;
  std::int64_t leaf = kNone;  // the lowest bound of a node that cannot be branched on
  const auto add = [&](std::vector<Fixed> fixed, std::int64_t parent) {
    const Priced priced = best_price(network_, step_, moment.room, fixed);
    if (priced.bound == kNone) return;
    const std::int64_t bound = std::max(parent, priced.bound);
    if (priced.fits && priced.fits->cost < incumbent) incumbent = priced.fits->cost, cheapest = priced.fits;
    if (!priced.beyond || bound >= incumbent) return;
    Node node{bound, std::move(fixed), 0};
    std::int64_t largest = -1;
    for (std::size_t i = 0; i < network_.items().size(); ++i) {
      const bool open_item = priced.fits ? priced.fits->kept[i] != priced.beyond->kept[i]
                                         : priced.beyond->kept[i] && node.fixed[i] == Fixed::free;
      if (open_item && network_.items()[i].bytes > largest)
        largest = network_.items()[i].bytes, node.next = i;
    }
    if (largest < 0) return void(leaf = std::min(leaf, bound));
    open.push_back(std::move(node));
    std::ranges::push_heap(open, later);
  };
  add(std::vector<Fixed>(network_.items().size(), Fixed::free), 0);
  const std::int64_t until =
      network_.work() + limits_.branch_work / static_cast<std::int64_t>(kBranchMoments);
  while (!open.empty() && open.front().bound < std::min({incumbent, leaf, enough()}) &&
         network_.work() < until) {
    std::ranges::pop_heap(open, later);
    Node node = std::move(open.back());
    open.pop_back();
    for (const Fixed fate : {Fixed::kept, Fixed::not_kept}) {
      std::vector<Fixed> fixed = node.fixed;
      fixed[node.next] = fate;
      add(std::move(fixed), node.bound);
    }
  }
  std::int64_t bound = std::min(incumbent, leaf);
  if (!open.empty()) bound = std::min(bound, open.front().bound);
  if (bound == kNone || bound <= best_) return;
  best_ = bound;
  result_.moment = moment.op;
  note_gone(cheapest);
}

CutBound Bounder::run() {
  result_.step_ns = first_runs_;
  if (!problem_.budgets.device || step_.scale == 0) return result_;
  const std::int32_t ops = problem_.graph.op_count();
  std::int32_t stride = (ops + kFirstMoments - 1) / kFirstMoments;
  const auto goes_on = [&] { return network_.work() < limits_.work && best_ < enough(); };
  for (std::int32_t t = 0; t < ops && goes_on(); t += stride) (void)look(OpId{t});
  while ((stride /= 2) > 0 && result_.moment.exists() && goes_on())
    for (const std::int32_t t : {result_.moment.index() - stride, result_.moment.index() + stride})
      if (t >= 0 && t < ops) (void)look(OpId{t});
  std::stable_sort(seen_.begin(), seen_.end(),
                   [](const Moment& a, const Moment& b) { return a.bound > b.bound; });
  for (std::size_t i = 0; i < std::min(seen_.size(), kBranchMoments) && limits_.branch_work > 0; ++i)
    if (best_ < enough()) branch(seen_[i]);
  result_.step_ns = whole_step(best_);
  if (limits_.within) result_.step_ns = std::min(result_.step_ns, std::max(*limits_.within, first_runs_));
  return result_;
}

}  // namespace

Bytes least_peak_bound(const Problem& problem, std::int64_t work) {
  Bytes least = least_possible_peak(problem.graph);
  for (const Tier tier : {Tier::host, Tier::disk})
    if (problem.machine.has_tier(tier)) return least;
  const CutStep step(problem);
  CutNetwork network(step);
  // Moments in descending order of what could be kept at most: the rest cannot be above the best.
  struct Moment {
    OpId op;
    Bytes most{0};
  };
  std::vector<Moment> moments;
  const std::int32_t ops = problem.graph.op_count();
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(ops) + 2, 0);  // differences, by stage
  for (graph::ValueId v : base::ids<graph::ValueId>(problem.graph.value_count())) {
    const OpId producer = problem.graph.value(v).producer;
    if (!producer.exists() || step.wanted[v] <= producer.index()) continue;
    wanted[producer.at() + 1] += problem.graph.value(v).bytes.count();
    wanted[static_cast<std::size_t>(step.wanted[v])] -= problem.graph.value(v).bytes.count();
  }
  std::int64_t now = 0;
  for (OpId op : base::ids<OpId>(ops)) {
    now += wanted[op.at()];
    moments.push_back({op, step.needs[op] + Bytes{std::max<std::int64_t>(now, 0)}});
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.most > b.most; });
  for (const Moment& moment : moments) {
    if (moment.most <= least || network.work() > work) break;
    network.build(moment.op);
    least = std::max(least, step.needs[moment.op] + Bytes{network.least_bytes()});
  }
  return least;
}

CutBound cut_bound(const Problem& problem, const CutLimits& limits) {
  return Bounder(problem, limits).run();
}

}  // namespace worktop::solver
