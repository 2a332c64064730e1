// `check` of model/settings.h: whether a graph can be built from a decoder and settings.
#include <algorithm>
#include <span>
#include <string>

#include "base/names.h"
#include "base/units.h"
#include "model/parameters.h"
#include "model/settings.h"

namespace worktop::model {
namespace {

using base::ErrorCode;
using base::Status;

struct Count {
  const char* where;
  std::int64_t value;
};

Status check_counts(std::span<const Count> counts, ErrorCode code) {
  for (const Count& count : counts) {
    if (count.value >= 1 && count.value <= kLargestCount) continue;
    return base::fail(code, std::string(count.where) + " is " + std::to_string(count.value), count.where,
                      "it must be at least 1 and below 2^31");
  }
  return {};
}

Status check_probability(std::optional<double> p, const char* where, ErrorCode code) {
  if (!p || (*p >= 0.0 && *p < 1.0)) return {};
  return base::fail(code, std::string(where) + " is not a probability below 1", where,
                    "use a number from 0 up to, but not including, 1");
}

// A product of counts below 2^31, kept finite.
std::int64_t product(std::initializer_list<std::int64_t> factors) {
  base::Bytes result{1};
  for (std::int64_t factor : factors) result = base::saturating_mul(result, factor);
  return result.count();
}

Status check_decoder(const Decoder& d) {
  const Count counts[] = {{"layers", d.layers},
                          {"hidden", d.hidden},
                          {"heads", d.heads},
                          {"kv_heads", d.kv_heads},
                          {"head_dim", d.head_dim},
                          {"intermediate", d.intermediate},
                          {"vocab", d.vocab},
                          {"max_positions", d.max_positions},
                          {"sliding_window", d.sliding_window.value_or(1)}};
  WORKTOP_CHECK(check_counts(counts, ErrorCode::input));
  if (d.heads % d.kv_heads != 0)
    return base::fail(ErrorCode::input,
                      std::to_string(d.heads) + " heads cannot share " + std::to_string(d.kv_heads) +
                          " heads of keys and values",
                      "kv_heads", "kv_heads must divide heads");
  if (d.position == Position::rotary && d.head_dim % 2 != 0)
    return base::fail(ErrorCode::input, "head_dim is odd, rotary positions turn pairs", "head_dim",
                      "use an even head_dim");
  WORKTOP_CHECK(check_probability(d.dropout.embedding, "dropout.embedding", ErrorCode::input));
  WORKTOP_CHECK(check_probability(d.dropout.attention, "dropout.attention", ErrorCode::input));
  return check_probability(d.dropout.residual, "dropout.residual", ErrorCode::input);
}

Status check_lora(const Decoder& decoder, const Lora& lora) {
  const Count rank[] = {{"lora.rank", lora.rank}};
  WORKTOP_CHECK(check_counts(rank, ErrorCode::usage));
  std::vector<std::string> known = linear_module_names(decoder);
  std::string all = "all-linear";
  for (const std::string& name : known) all += ", " + name;
  known.emplace_back("all-linear");
  for (const std::string& module : lora.modules) {
    if (std::ranges::find(known, module) != known.end()) continue;
    const auto near = base::nearest(module, known);
    return base::fail(ErrorCode::usage, "LoRA module '" + module + "' is not in " + decoder.name,
                      "lora.modules", near ? "did you mean '" + *near + "'?" : "known: " + all);
  }
  return {};
}

// The largest tensors, in elements of at most eight bytes; and all parameters with at most 16 bytes each.
Status check_sizes(const Decoder& d, const Settings& s) {
  const std::int64_t limit = base::Bytes::largest().count() / 16;
  const std::int64_t qkv = product({d.heads + 2 * d.kv_heads, d.head_dim});
  const std::int64_t widest = std::max({d.hidden, 2 * d.intermediate, d.vocab, qkv});
  const Count tensors[] = {
      {"the widest activation", product({s.batch, s.sequence, widest})},
      {"the attention scores", s.attention == Attention::materialised
                                   ? product({s.batch, d.heads, s.sequence, s.sequence})
                                   : std::int64_t{1}},
      {"the embedding", product({d.vocab, d.hidden})},
      {"the table of positions", product({d.max_positions, d.hidden})},
      {"the parameters of the layers",
       product({d.layers, std::max({qkv, 3 * d.intermediate, d.hidden}), d.hidden, 2})},
      {"the tokens of a step", product({s.batch, s.sequence, s.accumulation})},
      {"the adapters", s.lora ? product({s.lora->rank, widest, d.layers, 8}) : std::int64_t{1}},
  };
  for (const Count& tensor : tensors)
    if (tensor.value > limit)
      return base::fail(ErrorCode::usage, std::string(tensor.where) + " would be larger than 2^53 bytes",
                        tensor.where, "use a smaller batch, sequence or model");
  return {};
}

// The largest op of a backward must stay in range too: 5 * b * heads * s^2 * d for causal attention.
Status check_flops(const Decoder& d, const Settings& s) {
  const std::int64_t attention = product({5, s.batch, d.heads, s.sequence, s.sequence, d.head_dim});
  const std::int64_t widest = std::max({2 * d.intermediate, d.vocab, d.query_width() + 2 * d.kv_width()});
  const std::int64_t matmul = product({4, s.batch, s.sequence, std::max(d.hidden, d.query_width()), widest});
  if (std::max(attention, matmul) <= base::Flops::largest().count()) return {};
  return base::fail(ErrorCode::usage, "one op would take more than 2^53 flops", "sequence",
                    "use a smaller batch or sequence");
}

}  // namespace

Status check(const Decoder& decoder, const Settings& settings) {
  WORKTOP_CHECK(check_decoder(decoder));
  const Count counts[] = {
      {"batch", settings.batch}, {"sequence", settings.sequence}, {"accumulation", settings.accumulation}};
  WORKTOP_CHECK(check_counts(counts, ErrorCode::usage));
  WORKTOP_CHECK(check_probability(settings.dropout, "dropout", ErrorCode::usage));
  if (decoder.position == Position::learned && settings.sequence > decoder.max_positions)
    return base::fail(ErrorCode::usage,
                      "sequence " + std::to_string(settings.sequence) + " is longer than the " +
                          std::to_string(decoder.max_positions) + " positions of " + decoder.name,
                      "sequence", "use at most " + std::to_string(decoder.max_positions));
  if (settings.lora) WORKTOP_CHECK(check_lora(decoder, *settings.lora));
  WORKTOP_CHECK(check_sizes(decoder, settings));
  return check_flops(decoder, settings);
}

}  // namespace worktop::model
