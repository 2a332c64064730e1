// The parts that a decoder's graph is put together from, each a few ops on the tape. Internal to
// build_decoder.
//
// A `path` is the module ("layers.3.mlp"); ops are named "path/op", parameters "path.name.weight".
#pragma once

#include <string>

#include "graph/autograd.h"
#include "model/decoder.h"
#include "model/parameters.h"
#include "model/settings.h"

namespace worktop::graph::decoder {

using base::Dtype;

// What a precision means for each kind of tensor.
struct Types {
  Dtype weight = Dtype::fp32;   // parameters, gradients, optimizer states
  Dtype compute = Dtype::fp32;  // products and attention
  Dtype stream = Dtype::fp32;   // the residual stream
  [[nodiscard]] bool autocast() const { return weight != compute; }
};
[[nodiscard]] Types types_of(model::Precision precision);

struct Context {
  const model::Decoder& decoder;  // overrides in place
  const model::Settings& settings;
  Types types;
  Tape& tape;
  TensorId cosines = TensorId::none();  // rotary tables
  TensorId sines = TensorId::none();

  [[nodiscard]] std::int64_t tokens() const { return settings.tokens(); }
  [[nodiscard]] bool base_trained() const { return !settings.lora.has_value(); }
};

// --- elementwise (decoder_parts.cc)
[[nodiscard]] TensorId cast(Context& c, const std::string& name, TensorId x, Dtype to);  // x if it is that
[[nodiscard]] TensorId add(Context& c, const std::string& name, TensorId a, TensorId b);
[[nodiscard]] TensorId multiply(Context& c, const std::string& name, TensorId a, TensorId b);
[[nodiscard]] TensorId dropout(Context& c, const std::string& name, TensorId x, std::optional<double> p);
[[nodiscard]] TensorId activation(Context& c, const std::string& path, TensorId x);

// --- norms (decoder_norms.cc). `width` elements are normed together and share the weight's shape.
[[nodiscard]] TensorId rms_norm(Context& c, const std::string& path, TensorId x, std::int64_t width);
[[nodiscard]] TensorId norm(Context& c, const std::string& path, TensorId x);

// --- linears (decoder_linears.cc)
// What the product runs on: the parameter itself, or its low-precision copy under autocast.
[[nodiscard]] TensorId low_precision(Context& c, const std::string& name, TensorId parameter);
struct Product {
  std::string name;
  TensorId weight;  // parameter, in * out
  TensorId bias = TensorId::none();
  std::int64_t in = 0;
  std::int64_t out = 0;
};
[[nodiscard]] TensorId product(Context& c, const Product& p, TensorId x);
// A linear module of a layer, with its adapter if it has one.
[[nodiscard]] TensorId linear(Context& c, const std::string& layer, const model::LinearModule& module,
                              TensorId x);

// --- attention (decoder_attention.cc): of queries, keys and values that are projected, normed and rotated
[[nodiscard]] TensorId rotary(Context& c, const std::string& name, TensorId x);
[[nodiscard]] TensorId attention(Context& c, const std::string& path, TensorId q, TensorId k, TensorId v);

// --- whole pieces
[[nodiscard]] TensorId layer(Context& c, const std::string& path,
                             const std::vector<model::LinearModule>& linears, TensorId x);
// Final norm, head and loss. `tied_weight` is none where the head has its own.
[[nodiscard]] TensorId head_and_loss(Context& c, TensorId x, TensorId tied_weight, TensorId labels);
void add_optimizer(GraphBuilder& builder, const std::vector<Tape::Parameter>& parameters,
                   model::Optimizer optimizer);

}  // namespace worktop::graph::decoder
