// Linear modules, their low-precision copies under autocast, and their adapters.
#include "graph/decoder_parts.h"

namespace worktop::graph::decoder {

TensorId low_precision(Context& c, const std::string& name, TensorId parameter) {
  if (!c.types.autocast()) return parameter;
  const Dtype compute = c.types.compute;
  const TensorId copy =
      c.tape.run_one({.name = name,
                      .kind = "cast_weight",
                      .dtype = compute,
                      .reads = {parameter},
                      .writes = {{c.tape.elements(parameter), compute, true, ValueKind::weight}},
                      .gradients = {{.of = parameter}}});
  // torch.autocast caches the copies of what is trained.
  if (c.tape.requires_grad(parameter)) c.tape.hold_through_forward(copy);
  return copy;
}

TensorId product(Context& c, const Product& p, TensorId x) {
  const TensorId input = cast(c, p.name + ".cast", x, c.types.compute);
  const TensorId weight = low_precision(c, p.name + ".cast_weight", p.weight);
  const std::int64_t rows = c.tape.elements(x) / p.in;
  const Flops flops{2 * rows * p.in * p.out};
  TapeOp op{.name = p.name,
            .kind = "linear",
            .engine = Engine::matmul,
            .dtype = c.types.compute,
            .flops = flops,
            .reads = {input, weight},
            .writes = {{rows * p.out, c.types.compute}},
            .gradients = {{.of = input, .saved = {weight}, .flops = flops},
                          {.of = weight, .saved = {input}, .flops = flops}}};
  if (p.bias.exists()) {
    const TensorId bias = low_precision(c, p.name + ".cast_bias", p.bias);
    op.reads.push_back(bias);
    op.gradients.push_back({.of = bias});
  }
  return c.tape.run_one(std::move(op));
}

TensorId linear(Context& c, const std::string& layer, const model::LinearModule& module, TensorId x) {
  const std::string path = layer + "." + std::string(module.parent);
  const std::string op = path + "/" + std::string(module.name);
  const std::string owner = path + "." + std::string(module.name);
  const bool trained = c.base_trained();
  const Dtype dtype = c.types.weight;
  Product base{.name = op, .in = module.in, .out = module.out};
  base.weight = c.tape.parameter({owner + ".weight", module.in * module.out, dtype, module.in}, trained);
  if (module.bias) base.bias = c.tape.parameter({owner + ".bias", module.out, dtype}, trained);
  const TensorId y = product(c, base, x);
  const std::int64_t rank = module.lora_rank;
  if (rank == 0) return y;

  const Product down{
      .name = op + ".lora_A",
      .weight = c.tape.parameter({owner + ".lora_A.weight", module.in * rank, dtype, module.in}, true),
      .in = module.in,
      .out = rank};
  const Product up{
      .name = op + ".lora_B",
      .weight = c.tape.parameter({owner + ".lora_B.weight", rank * module.out, dtype, rank}, true),
      .in = rank,
      .out = module.out};
  const TensorId adapted = product(c, up, product(c, down, x));
  const TensorId scaled = c.tape.run_one({.name = op + ".lora_scale",
                                          .kind = "scale",
                                          .dtype = c.types.compute,
                                          .reads = {adapted},
                                          .writes = {{c.tape.elements(adapted), c.types.compute}},
                                          .gradients = {{.of = adapted}}});
  return add(c, op + ".lora_add", y, scaled);
}

}  // namespace worktop::graph::decoder
