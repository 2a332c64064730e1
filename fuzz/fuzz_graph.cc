// Any text: a step graph of one of the three kinds that can be written and read again, or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ensure.h"
#include "format/graph_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const auto file = format::read_graph_file({reinterpret_cast<const char*>(data), size});
  if (!file) return 0;
  const std::string text =
      format::write_graph_json(file->graph, file->durations ? &*file->durations : nullptr);
  const auto again = format::read_graph_file(text);
  ensure(again.has_value() && again->graph.hash() == file->graph.hash());
  ensure(again->durations.has_value() == file->durations.has_value());
  return 0;
}
