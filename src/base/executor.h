// Where threads come from: the library starts none of its own. It is handed an Executor and splits work over
// it.
//
// `for_each(count, body)` calls body(i) once for every i in [0, count), in any order and possibly at the same
// time, and returns when all have ended. The caller combines results by index, so that answers do not depend
// on threads.
#pragma once

#include <cstdint>
#include <functional>

namespace worktop::base {

class Executor {
 public:
  virtual ~Executor() = default;
  virtual void for_each(std::int32_t count, const std::function<void(std::int32_t)>& body) = 0;
};

// Everything on the calling thread, in order. What the page and the tests use.
class SerialExecutor final : public Executor {
 public:
  void for_each(std::int32_t count, const std::function<void(std::int32_t)>& body) override {
    for (std::int32_t i = 0; i < count; ++i) body(i);
  }
};

}  // namespace worktop::base
