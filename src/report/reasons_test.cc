#include "report/reasons.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace worktop::report {
namespace {

using machine::Tier;
using plan::Action;
using plan::Fate;
using plan::draft::Chain;
using plan::draft::Draft;

// f 5, g 3, h 7, h.grad 10, g.grad 10, f.grad 10 ns.
cost::Durations durations_of(const Chain& chain, std::int64_t h_ns = 7) {
  cost::Durations durations;
  durations.op = base::IdVector<graph::OpId, Nanoseconds>(chain.graph.op_count(), Nanoseconds{10});
  durations.op[chain.f] = Nanoseconds{5};
  durations.op[chain.g] = Nanoseconds{3};
  durations.op[chain.h] = Nanoseconds{h_ns};
  return durations;
}

machine::Machine machine_with_links(double bytes_per_ns, bool host) {
  machine::Machine machine = plan::draft::toy_machine();
  for (machine::Link& link : machine.links)
    link.bandwidth = link.both_ways = base::BytesPerSecond{bytes_per_ns * 1e9};
  if (host) machine.host_bytes = Bytes{1000};
  return machine;
}

// a is dropped after g and made again before g.grad; b and c stay, also in sight of that peak.
plan::Plan recompute_a(const Chain& chain) {
  return Draft(chain.graph)
      .fate(chain.a, Fate::recompute)
      .at(2, {Action::drop(chain.a)})
      .at(4, {Action::recompute(chain.f)})
      .plan();
}

Reason reason_for(const std::string& label, const Chain& chain, const machine::Machine& machine,
                  const plan::Plan& plan, std::int64_t h_ns = 7) {
  for (const Reason& reason : reasons(chain.graph, machine, durations_of(chain, h_ns), plan))
    if (reason.label == label) return reason;
  ADD_FAILURE() << "no reason for " << label;
  return {};
}

TEST(Reasons, RecomputeIsCheaperThanAReload) {
  // f takes 5 ns; 2 bytes at 0.1 bytes/ns take 20 ns.
  const Chain chain;
  const Reason reason = reason_for("f", chain, machine_with_links(0.1, true), recompute_a(chain));
  EXPECT_EQ(reason.fate, Fate::recompute);
  EXPECT_EQ(reason.because, Because::cheaper_recompute);
  EXPECT_EQ(reason.count, 1);
  EXPECT_EQ(reason.bytes, Bytes{2});
  EXPECT_EQ(reason.recompute_ns, Nanoseconds{5});
  EXPECT_EQ(reason.reload_ns, Nanoseconds{20});
  EXPECT_EQ(reason.text, "recompute 5 ns < reload 20 ns");
}

TEST(Reasons, RecomputeThoughAReloadAloneWouldBeFaster) {
  const Chain chain;
  EXPECT_EQ(reason_for("f", chain, machine_with_links(1, true), recompute_a(chain)).because,
            Because::busy_link);
}

TEST(Reasons, RecomputeWithoutATier) {
  const Chain chain;
  const Reason reason = reason_for("f", chain, machine_with_links(1, false), recompute_a(chain));
  EXPECT_EQ(reason.because, Because::no_lower_tier);
  EXPECT_EQ(reason.text, "recompute 5 ns, no tier to offload to");
}

TEST(Reasons, KeptWhatWouldFreeMoreOrLessThanTheRest) {
  // a frees 2 bytes in 5 ns; b 4 in 3 (better: only the budget can be the reason); c 8 in 100 (worse).
  const Chain chain;
  const machine::Machine machine = machine_with_links(1, false);
  const Reason b = reason_for("g", chain, machine, recompute_a(chain), 100);
  EXPECT_EQ(b.because, Because::not_needed);
  EXPECT_EQ(b.text, "kept: frees 1.27 MiB per ms, the budget does not need it");  // 4e6 / 3 bytes
  const Reason c = reason_for("h", chain, machine, recompute_a(chain), 100);
  EXPECT_EQ(c.because, Because::poor_exchange);
  EXPECT_EQ(c.text, "kept: frees 78.1 KiB per ms, less than what is recomputed");  // 8e6 / 100 bytes
}

TEST(Reasons, KeptWhatIsNotThereAtThePeak) {
  // The peak is at f, before b exists.
  const Chain chain;
  const Reason b = reason_for("g", chain, machine_with_links(1, false), Draft(chain.graph).plan());
  EXPECT_EQ(b.because, Because::gone_at_the_peak);
}

TEST(Reasons, KeptWhatCannotBeMadeAgain) {
  const Chain random(Chain::Triggers::everywhere, {.random = true});
  EXPECT_EQ(reason_for("g", random, machine_with_links(1, false), Draft(random.graph).plan()).text,
            "random: must keep");
  const Chain opaque(Chain::Triggers::everywhere, {.opaque = true});
  EXPECT_EQ(reason_for("g", opaque, machine_with_links(1, false), Draft(opaque.graph).plan()).text,
            "producer unseen: must keep");
  const Reason beside = reason_for("g", random, machine_with_links(1, true), Draft(random.graph).plan());
  EXPECT_EQ(beside.because, Because::cannot_recompute);
  EXPECT_EQ(beside.recompute_ns, std::nullopt);
  EXPECT_EQ(beside.reload_ns, Nanoseconds{4});
}

plan::Plan offload_a(const Chain& chain) {
  return Draft(chain.graph)
      .fate(chain.a, Fate::offload_host)
      .at(2, {Action::copy_out(chain.a, plan::draft::kDown)})
      .at(3, {Action::release(chain.a)})
      .at(3, {Action::copy_in(chain.a, plan::draft::kUp)})
      .plan();
}

TEST(Reasons, ReloadHides) {
  // Out 8 to 10 ns beside h, in 15 to 17 ns beside h.grad (15 to 25): nobody waits.
  const Chain chain;
  const Reason reason = reason_for("f", chain, machine_with_links(1, true), offload_a(chain));
  EXPECT_EQ(reason.fate, Fate::offload_host);
  EXPECT_EQ(reason.because, Because::hides);
  EXPECT_EQ(reason.text, "reload 2 ns hides behind compute");
}

TEST(Reasons, ReloadIsWaitedFor) {
  // 20 ns a copy. Out 8 to 28 ns; h ends at 15, the release waits 13. In 28 to 48 beside h.grad (28 to 38):
  // g.grad waits 10.
  const Chain chain;
  const Reason reason = reason_for("f", chain, machine_with_links(0.1, true), offload_a(chain));
  EXPECT_EQ(reason.because, Because::waits);
  EXPECT_EQ(reason.text, "reload 20 ns, compute waits 23 ns (recompute 5 ns)");
}

TEST(Reasons, LargestFirstAndEveryByteOnce) {
  const Chain chain;
  const auto list =
      reasons(chain.graph, machine_with_links(1, false), durations_of(chain), recompute_a(chain));
  ASSERT_EQ(list.size(), 3U);  // c 8, b 4, a 2
  EXPECT_EQ(list[0].bytes, Bytes{8});
  EXPECT_EQ(list[1].bytes, Bytes{4});
  EXPECT_EQ(list[2].bytes, Bytes{2});
}

}  // namespace
}  // namespace worktop::report
