// Decoders small enough for sums by hand, and their graphs with ops and values by name: for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "graph/build_decoder.h"
#include "model/testing.h"

namespace worktop::graph::testing {

using model::Decoder;
using model::Settings;
using model::testing::Shape;

// A graph with its ops by name.
struct Built {
  Built(const Decoder& decoder, const Settings& settings) : result(build(decoder, settings)) {
    EXPECT_TRUE(result) << result.error().what << " at " << result.error().where;
    for (OpId id : base::ids<OpId>(graph().op_count())) ops[graph().op(id).name] = id;
    for (ValueId id : base::ids<ValueId>(graph().value_count())) values[graph().value(id).name] = id;
  }
  [[nodiscard]] const Graph& graph() const { return *result; }
  [[nodiscard]] bool has(const std::string& op) const { return ops.contains(op); }
  [[nodiscard]] const Op& op(const std::string& name) const { return graph().op(ops.at(name)); }
  [[nodiscard]] const Value& value(const std::string& name) const { return graph().value(values.at(name)); }

  [[nodiscard]] bool saved(ValueId id) const {
    const auto readers = graph().readers(id);
    return graph().decidable(id) && !readers.empty() && graph().op(readers.back()).phase == Phase::backward;
  }
  [[nodiscard]] bool saved(const std::string& name) const { return saved(values.at(name)); }
  // What backward reads of what the forward of a block wrote; weights' low-precision copies apart.
  [[nodiscard]] std::int64_t saved_in(std::int32_t block, ValueKind kind = ValueKind::activation) const {
    return sum([&](ValueId id, const Value& value) {
      return value.kind == kind && value.producer.exists() &&
             graph().op(value.producer).phase == Phase::forward &&
             graph().op(value.producer).block == BlockId{block} && saved(id);
    });
  }
  // Bytes of a kind that are there before the step.
  [[nodiscard]] std::int64_t resident(ValueKind kind) const {
    return sum([&](ValueId, const Value& value) { return value.kind == kind && !value.producer.exists(); });
  }
  [[nodiscard]] std::int64_t sum(const std::function<bool(ValueId, const Value&)>& counted) const {
    std::int64_t bytes = 0;
    for (ValueId id : base::ids<ValueId>(graph().value_count()))
      if (counted(id, graph().value(id))) bytes += graph().value(id).bytes.count();
    return bytes;
  }
  [[nodiscard]] std::int64_t flops(Engine engine) const {
    std::int64_t total = 0;
    for (OpId id : base::ids<OpId>(graph().op_count()))
      if (graph().op(id).engine == engine) total += graph().op(id).flops.count();
    return total;
  }

  base::Result<Graph> result;
  std::map<std::string, OpId> ops;
  std::map<std::string, ValueId> values;
};

inline constexpr std::int64_t kBatch = 2, kSequence = 16, kTokens = kBatch * kSequence;

// h = 64, 4 heads of 16, ffn 4h.
inline Decoder tiny_gpt2() {
  Decoder d = model::testing::gpt2("tiny-gpt2", {3, 64, 4, 4, 16, 256, 128, 32});
  d.activation = model::Activation::gelu;
  return d;
}

// h = 64, 4 heads of 16 (Q = 64), 2 heads of keys and values (K = 32), ffn 96.
inline const Shape kTinyLlama{3, 64, 4, 2, 16, 96, 128, 64};
inline Decoder tiny_llama() {
  return model::testing::llama("tiny-llama", kTinyLlama);
}
inline constexpr std::int64_t h = 64, Q = 64, K = 32, f = 96, heads = 4;

inline Settings settings(model::Precision precision = model::Precision::bf16) {
  return {.batch = kBatch, .sequence = kSequence, .precision = precision};
}
inline Settings materialised() {
  Settings s = settings();
  s.attention = model::Attention::materialised;
  return s;
}

}  // namespace worktop::graph::testing
