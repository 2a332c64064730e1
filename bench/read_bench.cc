// How long reading a step graph takes: our own JSON, about 8,000 ops (the 8B model with as many layers as
// that needs). Aim: below 0.2 s.
#include <benchmark/benchmark.h>

#include "format/graph_file.h"
#include "format/graph_json.h"
#include "llama.h"

namespace worktop::bench {
namespace {

constexpr std::int64_t kOps = 8000;

const std::string& text() {
  static const std::string text = [] {
    const std::int64_t a_layer = llama_lora(2).graph.op_count() - llama_lora(1).graph.op_count();
    const Job job = llama_lora(kOps / a_layer);
    return format::write_graph_json(job.graph, &job.durations);
  }();
  return text;
}

void read_graph(benchmark::State& state) {
  std::int32_t ops = 0;
  for (auto _ : state) {
    const auto file = format::read_graph_file(text());
    if (!file) return state.SkipWithError(file.error().what.c_str());
    ops = file->graph.op_count();
  }
  state.counters["ops"] = ops;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text().size()));
}

void write_graph(benchmark::State& state) {
  const auto file = format::read_graph_file(text());
  if (!file) return state.SkipWithError(file.error().what.c_str());
  for (auto _ : state) benchmark::DoNotOptimize(format::write_graph_json(file->graph, &*file->durations));
}

BENCHMARK(read_graph)->Unit(benchmark::kMillisecond);
BENCHMARK(write_graph)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace worktop::bench

BENCHMARK_MAIN();
