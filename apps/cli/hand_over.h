// run, profile and check need PyTorch: they are commands of the Python package, started from here.
#pragma once

namespace worktop::cli {

[[nodiscard]] bool is_handed_over(int argc, char** argv);
// Becomes `python3 -m worktop ARGUMENTS...`: the python3 of the PATH where it has the package; else with the
// package beside this program, by that python3 if it can load its executor, or by the one it was built for.
// Returns an exit code only where that is not possible.
[[nodiscard]] int hand_over(int argc, char** argv);

}  // namespace worktop::cli
