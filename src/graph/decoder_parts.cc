#include "graph/decoder_parts.h"

#include <algorithm>

namespace worktop::graph::decoder {
namespace {

// The wider of two precisions, as PyTorch promotes: fp32 if either is.
Dtype promoted(Dtype a, Dtype b) {
  return a == b ? a : Dtype::fp32;
}

// One elementwise op that saves its input.
TensorId saving_input(Context& c, const std::string& name, const std::string& kind, TensorId x) {
  return c.tape.run_one({.name = name,
                         .kind = kind,
                         .dtype = c.tape.dtype(x),
                         .reads = {x},
                         .writes = {{c.tape.elements(x), c.tape.dtype(x)}},
                         .gradients = {{.of = x, .saved = {x}}}});
}

// One elementwise op by constants that saves nothing.
TensorId saving_nothing(Context& c, const std::string& name, const std::string& kind, TensorId x) {
  return c.tape.run_one({.name = name,
                         .kind = kind,
                         .dtype = c.tape.dtype(x),
                         .reads = {x},
                         .writes = {{c.tape.elements(x), c.tape.dtype(x)}},
                         .gradients = {{.of = x}}});
}

TensorId saving_output(Context& c, const std::string& name, const std::string& kind, TensorId x) {
  return c.tape.run_one({.name = name,
                         .kind = kind,
                         .dtype = c.tape.dtype(x),
                         .reads = {x},
                         .writes = {{c.tape.elements(x), c.tape.dtype(x)}},
                         .gradients = {{.of = x, .saved_outputs = {0}}}});
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), each step as the interpreter runs it. Autocast
// raises the power to fp32, and all that follows from it.
TensorId gelu_new(Context& c, const std::string& path, TensorId x) {
  const TensorId half = saving_nothing(c, path + "/gelu_new.half", "gelu_new.half", x);
  const TensorId cubed =
      c.types.autocast() ? cast(c, path + "/gelu_new.upcast", x, Dtype::fp32) : x;  // what pow saves
  const Dtype dtype = c.tape.dtype(cubed);
  const Bytes bytes = c.tape.bytes(cubed);
  TapeOp inner{.name = path + "/gelu_new.inner",
               .kind = "gelu_new.inner",
               .dtype = dtype,
               .workspace = bytes,
               .backward_workspace = bytes,
               .reads = {cubed, x},
               .writes = {{c.tape.elements(x), dtype}},
               .gradients = {{.of = cubed, .saved = {cubed}}}};
  if (cubed != x) inner.gradients.push_back({.of = x});
  const TensorId u = c.tape.run_one(std::move(inner));
  const TensorId tanh = saving_output(c, path + "/gelu_new.tanh", "gelu_new.tanh", u);
  const TensorId plus_one = saving_nothing(c, path + "/gelu_new.plus_one", "gelu_new.plus_one", tanh);
  return multiply(c, path + "/gelu_new.mul", half, plus_one);
}

}  // namespace

Types types_of(model::Precision precision) {
  switch (precision) {
    case model::Precision::fp32:
      return {};
    case model::Precision::bf16_mixed:
      return {.compute = Dtype::bf16};
    case model::Precision::fp16_mixed:
      return {.compute = Dtype::fp16};
    case model::Precision::bf16:
      return {.weight = Dtype::bf16, .compute = Dtype::bf16, .stream = Dtype::bf16};
  }
  return {};
}

TensorId cast(Context& c, const std::string& name, TensorId x, Dtype to) {
  if (c.tape.dtype(x) == to) return x;
  return c.tape.run_one({.name = name,
                         .kind = "cast",
                         .dtype = to,
                         .reads = {x},
                         .writes = {{c.tape.elements(x), to}},
                         .gradients = {{.of = x}}});
}

TensorId add(Context& c, const std::string& name, TensorId a, TensorId b) {
  const Dtype dtype = promoted(c.tape.dtype(a), c.tape.dtype(b));
  return c.tape.run_one({.name = name,
                         .kind = "add",
                         .dtype = dtype,
                         .reads = {a, b},
                         .writes = {{std::max(c.tape.elements(a), c.tape.elements(b)), dtype}},
                         .gradients = {{.of = a, .passes = true}, {.of = b, .passes = true}}});
}

TensorId multiply(Context& c, const std::string& name, TensorId a, TensorId b) {
  const Dtype dtype = promoted(c.tape.dtype(a), c.tape.dtype(b));
  return c.tape.run_one({.name = name,
                         .kind = "mul",
                         .dtype = dtype,
                         .reads = {a, b},
                         .writes = {{c.tape.elements(a), dtype}},
                         .gradients = {{.of = a, .saved = {b}}, {.of = b, .saved = {a}}}});
}

TensorId dropout(Context& c, const std::string& name, TensorId x, std::optional<double> p) {
  if (!p || *p == 0.0) return x;
  const std::int64_t n = c.tape.elements(x);
  return c.tape.run_one({.name = name,
                         .kind = "dropout",
                         .dtype = c.tape.dtype(x),
                         .flags = {.random = true},
                         .reads = {x},
                         .writes = {{n, c.tape.dtype(x)}, {n, Dtype::boolean, false}},
                         .gradients = {{.of = x, .saved_outputs = {1}}}});
}

TensorId activation(Context& c, const std::string& path, TensorId x) {
  switch (c.decoder.activation) {
    case model::Activation::silu:
      return saving_input(c, path + "/silu", "silu", x);
    case model::Activation::gelu:
      return saving_input(c, path + "/gelu", "gelu", x);
    case model::Activation::gelu_tanh:
      return saving_input(c, path + "/gelu_tanh", "gelu_tanh", x);
    case model::Activation::relu:
      return saving_output(c, path + "/relu", "relu", x);
    case model::Activation::gelu_new:
      return gelu_new(c, path, x);
  }
  return x;
}

}  // namespace worktop::graph::decoder
