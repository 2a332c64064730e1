// A tape that turns forward ops into a step graph, as an eager autograd does: each op says which gradients
// exist and what they read; `backward` then walks the tape in reverse and emits one op for each recorded one.
//
//   Tape tape(builder, Accumulate::no);
//   TensorId x = tape.input({.name = "x", .elements = 8, .dtype = bf16});
//   TensorId w = tape.parameter({.name = "w", .elements = 4, .dtype = bf16}, true);
//   TensorId y = tape.run_one({.name = "mm", .reads = {x, w}, .writes = {{8, bf16}},
//                              .gradients = {{.of = x, .saved = {w}}, {.of = w, .saved = {x}}}});
//   tape.backward(y);  // emits "mm.grad"
//
// What always holds:
//   - A tensor requires a gradient if it is a trained parameter, or an output of an op with a gradient of one
//     that does. Only such gradients are computed, and only what they read is saved: a frozen weight saves no
//     input.
//   - Forward outputs are holdable; the program holds them to their last forward reader. What is saved is
//     what backward ops read.
//   - Incoming and outgoing gradients of activations are temporaries with the tensor's bytes, held to their
//     last reader. Where several consumers send one, the later is added to the earlier within the op that
//     computes it: in place if nobody else has the earlier one, else into a fresh one; the summand is
//     workspace.
//   - A gradient that is the incoming one unchanged (a residual add) is no op and no bytes; an op is emitted
//     only where it must be cast or summed.
//   - Gradients of parameters are held to the end of the step. Accumulating ones are there from its start,
//     and each contribution is workspace of the op that adds it.
//   - traffic = bytes read + bytes written + 2 * workspace, unless stated.
//   - Backward ops have the engine, precision and block of their forward op.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "graph/builder.h"

namespace worktop::graph {

struct TensorTag {};
using TensorId = base::Id<TensorTag>;

struct TensorSpec {
  std::string name;
  std::int64_t elements = 0;
  base::Dtype dtype = base::Dtype::fp32;
  std::int64_t columns = 0;  // of a matrix, its last dimension; 0: a vector
};

// An output of a forward op.
struct TapeOutput {
  std::int64_t elements = 0;
  base::Dtype dtype = base::Dtype::fp32;
  bool differentiable = true;  // false: masks, log-sum-exp, statistics
  ValueKind kind = ValueKind::activation;
};

struct TapeGradient {
  TensorId of;                                   // an input of the op
  std::vector<TensorId> saved = {};              // what computing it reads besides the incoming gradients
  std::vector<std::int32_t> saved_outputs = {};  // the same, by place among the op's own outputs
  Flops flops{0};
  Bytes workspace{0};   // the gradients of an op are computed one after the other: the largest counts
  bool passes = false;  // it is the incoming gradient (of the only output), cast or summed where they differ
};

struct TapeOp {
  std::string name;
  std::string kind;
  Engine engine = Engine::vector;
  base::Dtype dtype = base::Dtype::fp32;
  Flops flops{0};
  Bytes workspace{0};
  Flops backward_flops{0};      // whichever gradients are needed
  Bytes backward_workspace{0};  // the same
  std::optional<Bytes> traffic = {};
  std::optional<Bytes> backward_traffic = {};
  OpFlags flags = {};
  std::vector<TensorId> reads = {};
  std::vector<TapeOutput> writes = {};
  std::vector<TapeGradient> gradients = {};
  // Trained parameters whose gradients the forward itself computes (a fused loss): it is then never replayed.
  std::vector<TensorId> gradients_now = {};
};

enum class Accumulate : bool { no, yes };

class Tape {
 public:
  struct Parameter {
    TensorSpec spec;
    std::string scope;  // the tape's when it was made
    ValueId value;
    ValueId gradient;  // its latest version; none: frozen, or not reached by backward
    bool trained = false;
    std::int32_t additions = 0;  // how often something was added to a gradient that was there
  };

  Tape(GraphBuilder& builder, Accumulate accumulate) : builder_(builder), accumulate_(accumulate) {}

  // What is there before the step.
  TensorId input(const TensorSpec& spec) { return resident(spec, ValueKind::input); }
  TensorId buffer(const TensorSpec& spec) { return resident(spec, ValueKind::buffer); }
  TensorId parameter(TensorSpec spec, bool trained);

  // Adds the forward op; its outputs in order.
  std::vector<TensorId> run(TapeOp op);
  TensorId run_one(TapeOp op) { return run(std::move(op)).front(); }
  // Parts of one storage that are used apart; their gradients are joined by the op "<name>.grad".
  std::vector<TensorId> split(std::string name, TensorId whole, std::initializer_list<std::int64_t> elements);
  // The program keeps it to the end of the forward (a cache), through the backward (it was handed out), or
  // to the op added last (a local variable).
  void hold_through_forward(TensorId tensor) { through_forward_.push_back(value(tensor)); }
  void hold_through_backward(TensorId tensor) { through_backward_.push_back(value(tensor)); }
  void hold_until_last_op(TensorId tensor) { builder_.set_held_until(value(tensor), last_op()); }
  // Block of the forward ops that follow, and of their backward ops; and the name under which the parameters
  // that follow are grouped.
  void set_scope(std::string name, BlockId block) {
    scope_ = std::move(name);
    block_ = block;
  }

  // Walks the tape back from the op that made `loss`, whose own gradient is one. Once.
  void backward(TensorId loss);

  [[nodiscard]] bool requires_grad(TensorId tensor) const { return tensors_[tensor].requires_grad; }
  [[nodiscard]] bool is_parameter(TensorId tensor) const { return tensors_[tensor].parameter >= 0; }
  [[nodiscard]] base::Dtype dtype(TensorId tensor) const { return tensors_[tensor].dtype; }
  [[nodiscard]] std::int64_t elements(TensorId tensor) const { return tensors_[tensor].elements; }
  [[nodiscard]] Bytes bytes(TensorId tensor) const {
    return tensors_[tensor].elements * base::size_of(tensors_[tensor].dtype);
  }
  [[nodiscard]] ValueId value(TensorId tensor) const { return tensors_[tensor].value; }
  // In the order in which they were made.
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

 private:
  struct Tensor {
    ValueId value;
    std::int64_t elements = 0;
    base::Dtype dtype = base::Dtype::fp32;
    bool requires_grad = false;
    std::int32_t parameter = -1;  // index in parameters_
    ValueId gradient;             // of an activation: what has arrived so far
  };
  // What backward needs to know of a forward op.
  struct Record {
    std::string name, kind;
    Engine engine;
    base::Dtype dtype;
    BlockId block;
    Flops flops;
    Bytes workspace;
    std::optional<Bytes> traffic;
    std::vector<TensorId> outputs;
    std::vector<TapeGradient> gradients;  // those that are needed
  };
  // An op under construction.
  struct Emission {
    Op op;
    std::vector<ValueId> reads;
    std::vector<Output> writes;
    std::int32_t outs = 0;
  };

  TensorId resident(const TensorSpec& spec, ValueKind kind);
  TensorId write(Emission& emission, const TapeOutput& out, bool requires_grad);
  void record(TapeOp op, std::vector<TensorId> outputs);
  void emit(const Record& record, bool is_root);
  bool pass_on(TensorId to, ValueId incoming, TensorId from);
  void add_gradient(Emission& emission, TensorId of);
  void add_parameter_gradient(Emission& emission, Parameter& parameter);
  OpId finish(Emission emission, std::optional<Bytes> traffic);
  void take(ValueId gradient) { ++holders_of(gradient); }
  void let_go(ValueId gradient) { --holders_of(gradient); }
  std::int32_t& holders_of(ValueId gradient);
  [[nodiscard]] OpId last_op() const { return OpId{builder_.op_count() - 1}; }

  GraphBuilder& builder_;
  Accumulate accumulate_;
  BlockId block_;
  std::string scope_;
  base::IdVector<TensorId, Tensor> tensors_;
  std::vector<Parameter> parameters_;
  std::vector<Record> records_;
  std::vector<ValueId> through_forward_, through_backward_;
  std::vector<std::int32_t> holders_;  // by value: how many tensors have it as their gradient
};

}  // namespace worktop::graph
