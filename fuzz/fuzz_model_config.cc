// Any text: a decoder whose numbers can be judged, or an error.
#include <cstddef>
#include <cstdint>

#include "base/ensure.h"
#include "format/model_config.h"
#include "model/parameters.h"
#include "model/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const auto decoder = format::read_model_config({reinterpret_cast<const char*>(data), size}, "fuzzed");
  if (decoder && model::check(*decoder, {.sequence = 16}))
    ensure(model::count_parameters(*decoder, {}).base() > 0);
  return 0;
}
