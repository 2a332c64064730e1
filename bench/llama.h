// The job that the benchmarks share: fine-tuning Llama-3-8B with LoRA on a 24 GB card, chunked loss, batch 2,
// 4096 tokens, bf16. Everything comes from the data that is built into the program.
#pragma once

#include <string>
#include <string_view>

#include "base/ensure.h"
#include "cost/roofline.h"
#include "format/builtin.h"
#include "format/machine_json.h"
#include "format/model_config.h"
#include "graph/build_decoder.h"

namespace worktop::bench {

inline std::string_view builtin(std::string_view folder, std::string_view name) {
  for (const format::BuiltinFile& file : format::builtin_files())
    if (file.folder == folder && file.name == name) return file.text;
  ensure(false);
  return {};
}

struct Job {
  machine::Machine machine;
  graph::Graph graph;
  cost::Durations durations;
};

// `layers` instead of the model's own, if positive.
inline Job llama_lora(std::int64_t layers = 0) {
  auto machine = format::read_machine_file(builtin("machines", "rtx-4090-24gb.json"));
  auto decoder = format::read_model_config(builtin("models/llama-3-8b", "config.json"), "Llama-3-8B");
  ensure(machine.has_value() && decoder.has_value());
  if (layers > 0) decoder->layers = layers;
  auto graph = graph::build(*decoder, {.batch = 2,
                                       .sequence = 4096,
                                       .cross_entropy = model::CrossEntropy::chunked,
                                       .lora = model::Lora{.rank = 16}});
  ensure(graph.has_value());
  cost::Durations durations = cost::estimate(*graph, *machine);
  return {*std::move(machine), *std::move(graph), std::move(durations)};
}

}  // namespace worktop::bench
