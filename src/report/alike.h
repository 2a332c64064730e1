// What is alike over blocks: names without the block they belong to, by which values are grouped for people.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace worktop::report {

// "layers.3.mlp/up_proj" of block "layers.3" becomes "mlp/up_proj". Outside blocks, numbers that stand for
// themselves in a name become "*": "encoder.3.norm" is "encoder.*.norm".
[[nodiscard]] std::string alike_name(std::string_view name, std::string_view block);

// Of a value: its producer's name, with "#k" for its outputs from the second on. Where it has no producer,
// its own name, in the block of its first reader ("layers.3.mlp.up_proj.weight" becomes
// "mlp.up_proj.weight").
[[nodiscard]] std::string alike_name(const graph::Graph& graph, graph::ValueId value);

// "1.25 MiB", "0.412 ms": at most three significant digits, rounded half up, with what `text` fields of
// answers are written. Exact integer arithmetic.
[[nodiscard]] std::string in_words(base::Bytes bytes);
[[nodiscard]] std::string in_words(base::Nanoseconds ns);

}  // namespace worktop::report
