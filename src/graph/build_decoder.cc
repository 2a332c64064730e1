#include "graph/build_decoder.h"

#include <string>

#include "graph/autograd.h"
#include "graph/builder.h"
#include "graph/decoder_parts.h"
#include "model/parameters.h"

namespace worktop::graph {
namespace {

using decoder::Context;
using model::Decoder;
using model::Settings;

// A layer has at most about 150 ops and 250 values, whatever its settings.
constexpr std::int64_t kMostLayers = kMaxOps / 512;

struct Embedded {
  TensorId hidden;
  TensorId table;
};

TensorId embedding(Context& c, const std::string& name, TensorId ids, TensorId table) {
  const std::int64_t n = c.tape.elements(ids) * c.decoder.hidden;
  const Bytes gathered = n * base::size_of(c.types.weight);
  return c.tape.run_one({.name = name,
                         .kind = "embedding",
                         .dtype = c.types.weight,
                         .traffic = c.tape.bytes(ids) + 2 * gathered,
                         .reads = {ids, table},
                         .writes = {{n, c.types.weight}},
                         .gradients = {{.of = table, .saved = {ids}}}});
}

Embedded embed(Context& c) {
  const Decoder& d = c.decoder;
  const bool learned = d.position == model::Position::learned;
  const std::string name = learned ? "wte" : "embed_tokens";
  const TensorId ids = c.tape.input({"input_ids", c.tokens(), base::Dtype::int64});
  const TensorId table =
      c.tape.parameter({name + ".weight", d.vocab * d.hidden, c.types.weight, d.hidden}, c.base_trained());
  TensorId hidden = embedding(c, name, ids, table);
  if (learned) {
    const TensorId positions = c.tape.input({"position_ids", c.settings.sequence, base::Dtype::int64});
    const TensorId rows = c.tape.parameter(
        {"wpe.weight", d.max_positions * d.hidden, c.types.weight, d.hidden}, c.base_trained());
    hidden = decoder::add(c, "embedding_add", hidden, embedding(c, "wpe", positions, rows));
  } else {
    const std::int64_t n = c.settings.sequence * d.head_dim;
    c.cosines = c.tape.buffer({"rotary.cos", n, c.types.stream});
    c.sines = c.tape.buffer({"rotary.sin", n, c.types.stream});
  }
  return {decoder::dropout(c, "embedding_dropout", hidden, d.dropout.embedding), table};
}

base::Status check_layers(const Decoder& d) {
  if (d.layers <= kMostLayers) return {};
  return base::fail(base::ErrorCode::input, std::to_string(d.layers) + " layers are too many for a graph",
                    "layers", "at most " + std::to_string(kMostLayers));
}

}  // namespace

base::Result<Graph> build(const Decoder& original, const Settings& settings) {
  WORKTOP_CHECK(model::check(original, settings));
  WORKTOP_CHECK(check_layers(original));
  const Decoder d = model::with_overrides(original, settings);
  GraphBuilder builder(d.name, Origin::analytic);
  builder.set_eager_triggers();
  builder.set_micro_steps(static_cast<std::int32_t>(settings.accumulation));
  builder.set_tokens_per_step(settings.tokens() * settings.accumulation);

  Tape tape(builder, settings.accumulation > 1 ? Accumulate::yes : Accumulate::no);
  Context c{.decoder = d, .settings = settings, .types = decoder::types_of(settings.precision), .tape = tape};
  tape.set_scope("embedding", BlockId::none());
  const TensorId labels = tape.input({"labels", settings.tokens(), base::Dtype::int64});
  Embedded x = embed(c);
  const std::vector<model::LinearModule> linears = model::layer_linears(d, settings);
  for (std::int64_t i = 0; i < d.layers; ++i) {
    const std::string path = "layers." + std::to_string(i);
    tape.set_scope(path, builder.add_block(path, "decoder_layer"));
    x.hidden = decoder::layer(c, path, linears, x.hidden);
  }
  tape.set_scope("head", BlockId::none());
  const TensorId loss = decoder::head_and_loss(c, x.hidden, d.tied ? x.table : TensorId::none(), labels);
  tape.backward(loss);
  decoder::add_optimizer(builder, tape.parameters(), settings.optimizer);
  return std::move(builder).build();
}

}  // namespace worktop::graph
