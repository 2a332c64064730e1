// Runs an op of the tape again, by a boxed call below autograd, with grad mode as it was: kernels look at it.
//
// In-place ops run on a copy of what they overwrite, unless that was made in the same replay. Seeded ops draw
// from a copy of the generator as it was; the global one is untouched. Arguments that would be updated a
// second time (running statistics) are left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tape.h"

namespace worktop::adapter {

struct MadeAgain {
  ValueIndex value;
  c10::Storage storage;
};

// Appends what the op writes to `made`; older versions that it wrote over in there are removed (kNone).
// `find` gives a value's bytes, or an empty storage. Answers which value is missing, or nothing.
[[nodiscard]] std::string replay(const Tape& tape, OpIndex op, std::vector<MadeAgain>& made,
                                 const std::function<c10::Storage(ValueIndex)>& find);

[[nodiscard]] bool left_out(const TapeOp& op, const TapeArgument& argument);

}  // namespace worktop::adapter
