#include "graph/autograd.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace worktop::graph {
namespace {

Bytes bytes_of(std::int64_t elements, base::Dtype dtype) {
  return elements * base::size_of(dtype);
}

}  // namespace

TensorId Tape::resident(const TensorSpec& spec, ValueKind kind) {
  const Bytes bytes = bytes_of(spec.elements, spec.dtype);
  const ValueId value = builder_.add_value({.name = spec.name, .kind = kind, .bytes = bytes});
  return tensors_.push_back({.value = value, .elements = spec.elements, .dtype = spec.dtype});
}

TensorId Tape::parameter(TensorSpec spec, bool trained) {
  const TensorId tensor = resident(spec, ValueKind::weight);
  Parameter parameter{.spec = std::move(spec), .scope = scope_, .value = value(tensor), .trained = trained};
  if (trained && accumulate_ == Accumulate::yes)
    parameter.gradient = builder_.add_value(
        {.name = parameter.spec.name + ".grad", .kind = ValueKind::gradient, .bytes = bytes(tensor)});
  tensors_[tensor].requires_grad = trained;
  tensors_[tensor].parameter = static_cast<std::int32_t>(parameters_.size());
  parameters_.push_back(std::move(parameter));
  return tensor;
}

std::vector<TensorId> Tape::run(TapeOp op) {
  Emission emission;
  emission.op = {.name = op.name,
                 .kind = op.kind,
                 .phase = Phase::forward,
                 .block = block_,
                 .engine = op.engine,
                 .dtype = op.dtype,
                 .flops = op.flops,
                 .workspace = op.workspace,
                 .flags = op.flags};
  for (TensorId read : op.reads) emission.reads.push_back(value(read));
  std::erase_if(op.gradients, [&](const TapeGradient& gradient) { return !requires_grad(gradient.of); });
  std::vector<TensorId> outputs;
  for (const TapeOutput& out : op.writes)
    outputs.push_back(write(emission, out, out.differentiable && !op.gradients.empty()));
  for (TensorId parameter : op.gradients_now) {
    if (!requires_grad(parameter)) continue;
    emission.op.flags.side_effect = true;
    add_gradient(emission, parameter);
  }
  finish(std::move(emission), op.traffic);
  for (TapeGradient& gradient : op.gradients)
    for (std::int32_t k : gradient.saved_outputs)
      gradient.saved.push_back(outputs[static_cast<std::size_t>(k)]);
  if (!op.gradients.empty()) record(std::move(op), outputs);
  return outputs;
}

TensorId Tape::write(Emission& emission, const TapeOutput& out, bool requires_grad) {
  const ValueId value =
      builder_.add_value({.name = emission.op.name + "/out#" + std::to_string(emission.outs++),
                          .kind = out.kind,
                          .bytes = bytes_of(out.elements, out.dtype),
                          .holdable = true},
                         ProgramHold::to_last_forward_reader);
  emission.writes.push_back({value});
  return tensors_.push_back(
      {.value = value, .elements = out.elements, .dtype = out.dtype, .requires_grad = requires_grad});
}

std::vector<TensorId> Tape::split(std::string name, TensorId whole,
                                  std::initializer_list<std::int64_t> elements) {
  std::vector<TensorId> parts;
  const Tensor source = tensors_[whole];
  for (std::int64_t n : elements)
    parts.push_back(tensors_.push_back({.value = source.value,
                                        .elements = n,
                                        .dtype = source.dtype,
                                        .requires_grad = source.requires_grad}));
  if (source.requires_grad)
    record({.name = std::move(name), .kind = "split", .dtype = source.dtype, .gradients = {{.of = whole}}},
           parts);
  return parts;
}

void Tape::record(TapeOp op, std::vector<TensorId> outputs) {
  records_.push_back({.name = std::move(op.name),
                      .kind = std::move(op.kind),
                      .engine = op.engine,
                      .dtype = op.dtype,
                      .block = block_,
                      .flops = op.backward_flops,
                      .workspace = op.backward_workspace,
                      .traffic = op.backward_traffic,
                      .outputs = std::move(outputs),
                      .gradients = std::move(op.gradients)});
}

void Tape::backward(TensorId loss) {
  for (ValueId value : through_forward_) builder_.set_held_until(value, last_op());
  for (const Record& record : std::views::reverse(records_))
    emit(record, std::ranges::find(record.outputs, loss) != record.outputs.end());
  for (ValueId value : through_backward_) builder_.set_held_until(value, last_op());
}

void Tape::emit(const Record& record, bool is_root) {
  std::vector<ValueId> incoming;
  for (TensorId output : record.outputs)
    if (tensors_[output].gradient.exists()) incoming.push_back(tensors_[output].gradient);
  if (incoming.empty() && !is_root) return;
  Emission emission;
  emission.op = {.name = record.name + ".grad",
                 .kind = record.kind + ".grad",
                 .phase = Phase::backward,
                 .block = record.block,
                 .engine = record.engine,
                 .dtype = record.dtype,
                 .flops = record.flops,
                 .workspace = record.workspace};
  emission.reads = incoming;
  Bytes largest_workspace{0};
  bool computes = false;
  for (const TapeGradient& gradient : record.gradients) {
    if (gradient.passes && pass_on(gradient.of, incoming.front(), record.outputs.front())) continue;
    computes = true;
    for (TensorId saved : gradient.saved) emission.reads.push_back(value(saved));
    emission.op.flops += gradient.flops;
    largest_workspace = std::max(largest_workspace, gradient.workspace);
    add_gradient(emission, gradient.of);
  }
  emission.op.workspace += largest_workspace;
  if (computes) finish(std::move(emission), record.traffic);
  for (ValueId gradient : incoming) let_go(gradient);
}

// Makes the incoming gradient, that of `from`, the gradient of `to`, if it can be that as it is.
bool Tape::pass_on(TensorId to, ValueId incoming, TensorId from) {
  if (is_parameter(to) || tensors_[to].gradient.exists()) return false;
  if (dtype(to) != dtype(from) || elements(to) != elements(from)) return false;
  tensors_[to].gradient = incoming;
  take(incoming);
  return true;
}

void Tape::add_gradient(Emission& emission, TensorId of) {
  if (const std::int32_t index = tensors_[of].parameter; index >= 0)
    return add_parameter_gradient(emission, parameters_[static_cast<std::size_t>(index)]);
  const ValueId old = tensors_[of].gradient;
  Value fresh{.name = emission.op.name + "/out#" + std::to_string(emission.outs++),
              .kind = ValueKind::temporary,
              .bytes = bytes(of)};
  ValueId overwritten;
  if (old.exists()) {
    emission.reads.push_back(old);
    emission.op.workspace += bytes(of);
    let_go(old);
    if (holders_of(old) == 0) overwritten = old;
  }
  const ValueId sum = builder_.add_value(std::move(fresh));
  emission.writes.push_back({sum, overwritten});
  tensors_[of].gradient = sum;
  take(sum);
}

void Tape::add_parameter_gradient(Emission& emission, Parameter& parameter) {
  const ValueId old = parameter.gradient;
  const Bytes bytes = bytes_of(parameter.spec.elements, parameter.spec.dtype);
  if (old.exists()) {
    emission.reads.push_back(old);
    emission.op.workspace += bytes;
  }
  // Versions of one gradient: w.grad, w.grad#1, ...
  const std::string version = old.exists() ? "#" + std::to_string(++parameter.additions) : "";
  parameter.gradient = builder_.add_value(
      {.name = parameter.spec.name + ".grad" + version, .kind = ValueKind::gradient, .bytes = bytes});
  builder_.set_held_until(parameter.gradient, OpId::none());
  emission.writes.push_back({parameter.gradient, old});
}

OpId Tape::finish(Emission emission, std::optional<Bytes> traffic) {
  if (!traffic) {
    std::ranges::sort(emission.reads);
    const auto repeated = std::ranges::unique(emission.reads);
    emission.reads.erase(repeated.begin(), repeated.end());
    traffic = 2 * emission.op.workspace;
    for (ValueId read : emission.reads) *traffic += builder_.value(read).bytes;
    for (const Output& out : emission.writes) *traffic += builder_.value(out.value).bytes;
  }
  emission.op.traffic = *traffic;
  return builder_.add_op(std::move(emission.op), emission.reads, emission.writes);
}

std::int32_t& Tape::holders_of(ValueId gradient) {
  if (gradient.at() >= holders_.size()) holders_.resize(gradient.at() + 1);
  return holders_[gradient.at()];
}

}  // namespace worktop::graph
