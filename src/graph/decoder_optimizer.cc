// The optimizer's ops and states. States are there before the step, as they are from the second step on.
#include <algorithm>

#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {
namespace {

using model::Optimizer;
using Parameter = Tape::Parameter;

constexpr std::int64_t kScaleBlock = 256;     // bitsandbytes: one fp32 scale for so many 8-bit elements
constexpr std::int64_t kSmallest8Bit = 4096;  // bitsandbytes: smaller tensors have fp32 states

struct State {
  const char* name;
  std::int64_t elements;
  Dtype dtype;
};

std::vector<State> states_of(const TensorSpec& p, Optimizer optimizer) {
  const std::int64_t n = p.elements;
  switch (optimizer) {
    case Optimizer::none:
    case Optimizer::sgd:
      return {};
    case Optimizer::momentum:
      return {{"momentum_buffer", n, p.dtype}};
    case Optimizer::adamw:
      return {{"exp_avg", n, p.dtype}, {"exp_avg_sq", n, p.dtype}};
    case Optimizer::adamw8bit: {
      if (n < kSmallest8Bit) return {{"state1", n, Dtype::fp32}, {"state2", n, Dtype::fp32}};
      const std::int64_t scales = (n + kScaleBlock - 1) / kScaleBlock;
      return {{"state1", n, Dtype::uint8},
              {"state2", n, Dtype::uint8},
              {"absmax1", scales, Dtype::fp32},
              {"absmax2", scales, Dtype::fp32}};
    }
    case Optimizer::adafactor:
      if (p.columns == 0) return {{"exp_avg_sq", n, Dtype::fp32}};
      return {{"exp_avg_sq_row", n / p.columns, Dtype::fp32}, {"exp_avg_sq_col", p.columns, Dtype::fp32}};
  }
  return {};
}

// What the update of one more tensor adds to the workspace of the op.
Bytes workspace_with(Bytes workspace, const TensorSpec& p, Optimizer optimizer) {
  if (optimizer == Optimizer::adamw) return workspace + p.elements * base::size_of(p.dtype);
  if (optimizer == Optimizer::adafactor)
    return std::max(workspace, 3 * p.elements * base::size_of(Dtype::fp32));
  return workspace;
}

void add_update(GraphBuilder& builder, std::span<const Parameter> group, Optimizer optimizer) {
  Op op{.name = "optimizer/" + group.front().scope,
        .kind = "optimizer",
        .phase = Phase::optimizer,
        .dtype = group.front().spec.dtype,
        .flags = {.side_effect = true}};
  std::vector<ValueId> reads;
  const auto read = [&](ValueId value, std::int64_t times) {
    reads.push_back(value);
    op.traffic += times * builder.value(value).bytes;
  };
  for (const Parameter& p : group) {
    if (!p.trained || !p.gradient.exists()) continue;
    read(p.value, 2);  // read and written back
    read(p.gradient, 1);
    for (const State& state : states_of(p.spec, optimizer))
      read(builder.add_value({.name = p.spec.name + "." + state.name,
                              .kind = ValueKind::optimizer_state,
                              .bytes = state.elements * base::size_of(state.dtype)}),
           2);
    op.workspace = workspace_with(op.workspace, p.spec, optimizer);
  }
  if (reads.empty()) return;
  op.traffic += 2 * op.workspace;
  builder.add_op(std::move(op), reads, {});
}

}  // namespace

void add_optimizer(GraphBuilder& builder, const std::vector<Parameter>& parameters, Optimizer optimizer) {
  if (optimizer == Optimizer::none) return;
  for (auto first = parameters.begin(); first != parameters.end();) {
    const auto last =
        std::find_if(first, parameters.end(), [&](const Parameter& p) { return p.scope != first->scope; });
    add_update(builder, std::span(first, last), optimizer);
    first = last;
  }
}

}  // namespace worktop::graph::decoder
