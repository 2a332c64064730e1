// HiGHS (Huangfu and Hall, 2018; MIT licence) as a LinearSolver, where the build has it: CMake's option
// WORKTOP_MILP looks for the Python package `highsbox`, which carries its library and headers. Called through
// its C interface, since the library is built for an older C++ ABI than ours.
//
// One thread and its own fixed seed. The limit in seconds is kept by its own clock, so that an answer that
// the limit cut short is not the same on every machine. It prints nothing.
#pragma once

#include <memory>

#include "solver/linear_programme.h"

namespace worktop::highs {

// none: this build has no HiGHS.
[[nodiscard]] std::unique_ptr<solver::LinearSolver> make_solver();

}  // namespace worktop::highs
