#include "plan/replay.h"

#include <algorithm>

namespace worktop::plan {

std::span<const OpId> StageReplay::ops() {
  std::sort(ops_.begin(), ops_.end());
  return ops_;
}

}  // namespace worktop::plan
