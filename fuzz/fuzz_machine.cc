// Any text: a machine that can be written and read again, or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ensure.h"
#include "format/machine_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const auto machine = format::read_machine_file({reinterpret_cast<const char*>(data), size});
  if (!machine) return 0;
  const std::string text = format::write_machine_file(*machine);
  const auto again = format::read_machine_file(text);
  ensure(again.has_value() && format::write_machine_file(*again) == text);
  return 0;
}
