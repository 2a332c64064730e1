// Norms: what eager PyTorch runs and saves for them.
#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {
namespace {

// native_layer_norm: one op. Autocast runs it in fp32.
TensorId layer_norm(Context& c, const std::string& path, TensorId x, std::int64_t width) {
  const bool trained = c.base_trained();
  const TensorId weight = c.tape.parameter({path + ".weight", width, c.types.weight}, trained);
  const TensorId bias = c.tape.parameter({path + ".bias", width, c.types.weight}, trained);
  const std::int64_t rows = c.tape.elements(x) / width;
  return c.tape.run_one({.name = path + "/layer_norm",
                         .kind = "layer_norm",
                         .dtype = Dtype::fp32,
                         .reads = {x, weight, bias},
                         .writes = {{c.tape.elements(x), c.tape.dtype(x)},
                                    {rows, Dtype::fp32, false},
                                    {rows, Dtype::fp32, false}},
                         .gradients = {{.of = x, .saved = {x, weight}, .saved_outputs = {1, 2}},
                                       {.of = weight, .saved = {x}, .saved_outputs = {1, 2}},
                                       {.of = bias}}});
}

}  // namespace

// y = weight * (h * rsqrt(mean(h^2) + eps)).to(dtype of x), h = x.to(fp32), as LlamaRMSNorm spells it.
TensorId rms_norm(Context& c, const std::string& path, TensorId x, std::int64_t width) {
  const std::int64_t n = c.tape.elements(x);
  const Dtype dtype = c.tape.dtype(x);
  const Bytes wide = n * base::size_of(Dtype::fp32);
  const TensorId weight = c.tape.parameter({path + ".weight", width, c.types.weight}, c.base_trained());
  const TensorId h = cast(c, path + "/upcast", x, Dtype::fp32);
  // Forward makes the squares; backward the gradient of the mean, the square's derivative, and its factor.
  const TensorId rstd = c.tape.run_one({.name = path + "/rstd",
                                        .kind = "rms_norm.rstd",
                                        .dtype = Dtype::fp32,
                                        .workspace = wide,
                                        .backward_workspace = 3 * wide,
                                        .reads = {h},
                                        .writes = {{n / width, Dtype::fp32}},
                                        .gradients = {{.of = h, .saved = {h}, .saved_outputs = {0}}}});
  const Bytes narrowed = dtype == Dtype::fp32 ? Bytes{0} : wide;  // the fp32 side of the cast
  const TensorId normed = c.tape.run_one(
      {.name = path + "/scale",
       .kind = "rms_norm.scale",
       .dtype = Dtype::fp32,
       .workspace = narrowed,
       .backward_workspace = narrowed,
       .reads = {h, rstd},
       .writes = {{n, dtype}},
       .gradients = {{.of = h, .saved = {rstd}}, {.of = rstd, .saved = {h}, .workspace = wide}}});
  return c.tape.run_one(
      {.name = path + "/weight",
       .kind = "rms_norm.weight",
       .dtype = dtype,
       .reads = {normed, weight},
       .writes = {{n, dtype}},
       .gradients = {{.of = normed, .saved = {weight}},
                     {.of = weight, .saved = {normed}, .workspace = n * base::size_of(dtype)}}});
}

TensorId norm(Context& c, const std::string& path, TensorId x) {
  return c.decoder.norm == model::Norm::rms_norm ? rms_norm(c, path, x, c.decoder.hidden)
                                                 : layer_norm(c, path, x, c.decoder.hidden);
}

}  // namespace worktop::graph::decoder
