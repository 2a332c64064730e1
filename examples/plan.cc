// The C++ API: plans a small decoder in three quarters of the memory that keeping everything would take, then
// in less than is possible, and prints what comes back.
#include <cstdio>
#include <set>
#include <string>

#include "advisor/advisor.h"
#include "format/sizes.h"

namespace {

using namespace worktop;

model::Decoder small_decoder() {
  return {.name = "small",
          .architecture = "LlamaForCausalLM",
          .layers = 4,
          .hidden = 256,
          .heads = 4,
          .kv_heads = 4,
          .head_dim = 64,
          .intermediate = 512,
          .vocab = 1024,
          .max_positions = 2048};
}

machine::Machine small_machine() {
  machine::Machine machine{.name = "small-gpu", .usable_bytes = base::kGiB};
  machine.memory_bandwidth = base::BytesPerSecond{500e9};
  machine.vector_rate = base::FlopsPerSecond{10e12};
  machine.matmul = {{.dtype = base::Dtype::bf16, .peak = base::FlopsPerSecond{100e12}}};
  machine.launch = base::Nanoseconds{2000};
  return machine;
}

}  // namespace

int main() {
  const auto subject = advisor::subject(small_decoder(), {.batch = 4, .sequence = 512}, small_machine());
  if (!subject) return 1;
  advisor::Question question{.options = {.effort = solver::Effort::quick}};
  const auto roomy = advisor::plan(*subject, question);
  if (!roomy) return 1;
  question.budget = roomy->keep_all.planned.device_peak() * 3 / 4;
  const auto tight = advisor::plan(*subject, question);
  if (!tight || !tight->best) return 1;
  std::printf("Keeping everything takes %s and %s a step.\n",
              format::print_bytes(tight->keep_all.planned.device_peak()).c_str(),
              format::print_duration(tight->keep_all.planned.step_ns).c_str());
  std::printf("There is a plan within %s, slower by %s.\n", format::print_bytes(*question.budget).c_str(),
              tight->gap < 0.1 ? "less than a tenth" : "a tenth or more");

  question.budget = tight->least_possible - base::Bytes{1};
  const auto impossible = advisor::plan(*subject, question);
  if (!impossible || impossible->best) return 1;
  std::printf("Within one byte less than %s there is none. What would fit:\n",
              format::print_bytes(impossible->least_possible).c_str());
  std::set<std::string> fitting;  // by name: the answer has them by speed
  for (const advisor::PricedChange& change : impossible->changes)
    if (change.fits) fitting.insert(change.how);
  for (const std::string& how : fitting) std::printf("  %s\n", how.c_str());
}
