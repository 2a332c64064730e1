// The door for Python: the extension module worktop._core.
#include <nanobind/nanobind.h>

NB_MODULE(_core, m) {
  m.doc() = "The planner of Worktop.";
}
