// How long planning takes, on one thread. Aims: a plan at normal effort below 2 s, a frontier of 30 points
// below 10 s. `extra_percent` is what the plan costs over keeping everything.
#include <benchmark/benchmark.h>

#include "llama.h"
#include "solver/portfolio.h"

namespace worktop::bench {
namespace {

using base::Bytes;
using base::kGiB;
using solver::Effort;

const Job& job() {
  static const Job job = llama_lora();
  return job;
}

void plan(benchmark::State& state, Effort effort, Bytes budget, base::Limit<Bytes> host) {
  Job with_host = job();
  with_host.machine.host_bytes = host;
  const solver::Problem problem{with_host.graph,
                                with_host.machine,
                                with_host.durations,
                                {.device = budget, .host = host.value_or(Bytes{0}), .disk = Bytes{0}}};
  for (auto _ : state) {
    const solver::Answer answer = solver::fastest(problem, {.effort = effort});
    if (!answer.best) return state.SkipWithError("nothing fits");
    state.counters["extra_percent"] = 100 * *answer.gap();
    state.counters["units"] = static_cast<double>(answer.units_spent);
  }
  state.counters["ops"] = with_host.graph.op_count();
}

void frontier(benchmark::State& state) {
  const solver::Problem problem{
      job().graph, job().machine, job().durations, {.device = {}, .host = Bytes{0}, .disk = Bytes{0}}};
  for (auto _ : state) {
    const solver::FrontierAnswer answer = solver::frontier(problem, 30, {.effort = Effort::normal});
    state.counters["points"] = static_cast<double>(answer.points.size());
    state.counters["units"] = static_cast<double>(answer.units_spent);
  }
}

void keep_all_simulated(benchmark::State& state) {
  const solver::Problem problem{job().graph, job().machine, job().durations, {}};
  const solver::Planned all = solver::fastest(problem, {.effort = Effort::quick}).keep_all;
  for (auto _ : state) benchmark::DoNotOptimize(solver::predict(problem, all.plan));
}

BENCHMARK_CAPTURE(plan, quick_20GiB, Effort::quick, 20 * kGiB, std::nullopt)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(plan, normal_20GiB, Effort::normal, 20 * kGiB, std::nullopt)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(3)
    ->ReportAggregatesOnly(true);
BENCHMARK_CAPTURE(plan, normal_18GiB, Effort::normal, 18 * kGiB, std::nullopt)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(3)
    ->ReportAggregatesOnly(true);
BENCHMARK_CAPTURE(plan, normal_18GiB_host_64GiB, Effort::normal, 18 * kGiB, 64 * kGiB)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(3)
    ->ReportAggregatesOnly(true);
BENCHMARK(frontier)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(keep_all_simulated)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace worktop::bench

BENCHMARK_MAIN();
