#include "cost/roofline.h"

#include <gtest/gtest.h>

#include "graph/builder.h"

namespace worktop::cost {
namespace {

using base::Dtype;
using base::Flops;
using graph::Engine;
using graph::OpId;

// bf16 achieves 80 of 100 flop/ns, fused attention half of that, vectors 10; memory gives 8 of 10 bytes/ns;
// no op takes less than 5 ns.
machine::Machine toy() {
  machine::Machine m;
  m.memory_bandwidth = {10e9};
  m.memory_efficiency = 0.8;
  m.vector_rate = {10e9};
  m.attention_efficiency = 0.5;
  m.launch = Nanoseconds{5};
  m.matmul = {{.dtype = Dtype::bf16, .peak = {100e9}, .efficiency = 0.8}};
  return m;
}

Nanoseconds time_of(graph::Op op, const machine::Machine& machine) {
  op.name = "op";
  graph::GraphBuilder builder("toy", graph::Origin::analytic);
  const OpId id = builder.add_op(op, {}, {});
  const auto graph = std::move(builder).build();
  return graph ? estimate(*graph, machine)[id] : Nanoseconds{-1};
}

graph::Op op_of(Engine engine, Dtype dtype, std::int64_t flops, std::int64_t traffic) {
  return {.engine = engine, .dtype = dtype, .flops = Flops{flops}, .traffic = Bytes{traffic}};
}

TEST(Roofline, the_slower_of_compute_and_memory_decides) {
  // 8000 flops at 80 flop/ns: 100 ns; 400 bytes at 8 bytes/ns: 50 ns.
  EXPECT_EQ(time_of(op_of(Engine::matmul, Dtype::bf16, 8000, 400), toy()), Nanoseconds{100});
  // 1600 bytes: 200 ns.
  EXPECT_EQ(time_of(op_of(Engine::matmul, Dtype::bf16, 8000, 1600), toy()), Nanoseconds{200});
}

TEST(Roofline, each_engine_has_its_rate) {
  EXPECT_EQ(time_of(op_of(Engine::attention, Dtype::bf16, 8000, 0), toy()), Nanoseconds{200});
  EXPECT_EQ(time_of(op_of(Engine::vector, Dtype::bf16, 8000, 0), toy()), Nanoseconds{800});
  // fp32 has no row, and no wider type either: what is left is the vector rate.
  EXPECT_EQ(time_of(op_of(Engine::matmul, Dtype::fp32, 8000, 0), toy()), Nanoseconds{800});
}

TEST(Roofline, no_op_is_faster_than_its_launch) {
  EXPECT_EQ(time_of(op_of(Engine::matmul, Dtype::bf16, 80, 8), toy()), Nanoseconds{5});
  EXPECT_EQ(time_of(op_of(Engine::vector, Dtype::fp32, 0, 0), toy()), Nanoseconds{5});
}

TEST(Roofline, rounds_up_to_whole_nanoseconds) {
  // 81 bytes at 8 bytes/ns: 10.125 ns.
  EXPECT_EQ(time_of(op_of(Engine::vector, Dtype::fp32, 0, 81), toy()), Nanoseconds{11});
}

TEST(Roofline, sums_to_the_keep_all_time) {
  graph::GraphBuilder builder("toy", graph::Origin::analytic);
  graph::Op a = op_of(Engine::matmul, Dtype::bf16, 8000, 0);
  graph::Op b = op_of(Engine::vector, Dtype::fp32, 0, 80);
  a.name = "a";
  b.name = "b";
  builder.add_op(a, {}, {});
  builder.add_op(b, {}, {});
  const auto graph = std::move(builder).build();
  ASSERT_TRUE(graph);
  EXPECT_EQ(estimate(*graph, toy()).total(), Nanoseconds{110});
}

TEST(CopyTime, is_latency_and_bytes_over_bandwidth) {
  machine::Link link;
  link.bandwidth = {2e9};
  link.latency = Nanoseconds{7};
  EXPECT_EQ(copy_time(link, Bytes{100}), Nanoseconds{57});
  EXPECT_EQ(copy_time(link, Bytes{0}), Nanoseconds{0});
}

}  // namespace
}  // namespace worktop::cost
