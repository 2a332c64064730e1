// For the tests of this room: a decoder of two layers that is planned in no time, and a machine to match.
#pragma once

#include "advisor/advisor.h"
#include "model/testing.h"

namespace worktop::advisor::testing {

inline model::Decoder tiny_decoder() {
  return model::testing::llama("tiny", {.layers = 2,
                                        .hidden = 64,
                                        .heads = 4,
                                        .kv_heads = 2,
                                        .head_dim = 16,
                                        .intermediate = 128,
                                        .vocab = 256,
                                        .max_positions = 4096});
}

inline model::Settings tiny_settings() {
  return {.batch = 4, .sequence = 128};
}

// 16 MiB, of which 1 is the context's and 1/16 the margin: 14 MiB by default. 10 Tflop/s, 100 GB/s, and a
// link of 10 GB/s.
inline machine::Machine tiny_machine() {
  machine::Machine machine;
  machine.name = "tiny";
  machine.usable_bytes = base::kMiB * 16;
  machine.context_bytes = base::kMiB;
  machine.margin = 1.0 / 16;
  machine.memory_bandwidth = base::BytesPerSecond{1e11};
  machine.vector_rate = base::FlopsPerSecond{1e12};
  machine.launch = Nanoseconds{1000};
  machine.matmul.push_back({.dtype = base::Dtype::bf16, .peak = base::FlopsPerSecond{1e13}});
  for (const bool out : {true, false}) {
    machine::Link link;
    link.from = out ? machine::Tier::device : machine::Tier::host;
    link.to = out ? machine::Tier::host : machine::Tier::device;
    link.bandwidth = link.both_ways = base::BytesPerSecond{1e10};
    machine.links.push_back(link);
  }
  return machine;
}

inline Subject tiny_subject() {
  return *subject(tiny_decoder(), tiny_settings(), tiny_machine());
}

inline Question quick_question() {
  return {.options = {.effort = solver::Effort::quick}};
}

}  // namespace worktop::advisor::testing
