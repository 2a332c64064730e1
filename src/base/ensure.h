// Our own mistakes stop the program at once, with the condition and the place. Bad input never comes this
// far: it is a Result (error.h). `ensure` is always on; `debug_ensure` only in builds with
// WORKTOP_DEBUG_ENSURE (dev, asan).
#pragma once

namespace worktop::base {
[[noreturn]] void ensure_failed(const char* condition, const char* file, int line);
}

#define ensure(condition) \
  ((condition) ? static_cast<void>(0) : ::worktop::base::ensure_failed(#condition, __FILE__, __LINE__))
#ifdef WORKTOP_DEBUG_ENSURE
#define debug_ensure(condition) ensure(condition)
#else
#define debug_ensure(condition) static_cast<void>(sizeof(!(condition)))
#endif
