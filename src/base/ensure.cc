#include "base/ensure.h"

#include <cstdio>

namespace worktop::base {

void ensure_failed(const char* condition, const char* file, int line) {
  // The one place of the library that writes anything: the process is about to end.
  std::fprintf(stderr, "worktop: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  __builtin_trap();
}

}  // namespace worktop::base
