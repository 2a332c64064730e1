// Any text: a legal plan whose memory can be measured and that can be written and read again, or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ensure.h"
#include "format/plan_json.h"
#include "plan/memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const auto file = format::read_plan_file({reinterpret_cast<const char*>(data), size});
  if (!file) return 0;
  ensure(plan::measure_memory(file->graph, file->machine, file->plan).peak[0] >= base::Bytes{0});
  const format::PlanLuggage luggage{.durations = file->durations ? &*file->durations : nullptr};
  const std::string text = format::write_plan_file(file->plan, file->graph, file->machine, luggage);
  const auto again = format::read_plan_file(text);
  ensure(again.has_value() && again->plan == file->plan);
  return 0;
}
