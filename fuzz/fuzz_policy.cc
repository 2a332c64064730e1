// Any text: a policy that can be written and read again, or an error.
#include <cstddef>
#include <cstdint>

#include "base/ensure.h"
#include "format/policy_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace worktop;
  const auto policy = format::read_policy_file({reinterpret_cast<const char*>(data), size});
  if (!policy) return 0;
  const auto again = format::read_policy_file(format::write_policy_file(*policy));
  ensure(again.has_value() && *again == *policy);
  return 0;
}
