// Which plan does a question mean?
#pragma once

#include <string>

#include "memory.h"

namespace worktop::page {

struct Chosen {
  std::string name;
  solver::Planned planned;
};

// Where nothing fits, the best is the leanest plan there is.
[[nodiscard]] base::Result<Chosen> choose(Memory& memory, const Memory::Subject& subject,
                                          const format::PlanRequest& request);

}  // namespace worktop::page
