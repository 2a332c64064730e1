// The door for Python: the extension module worktop._core. One file a room; errors.h turns errors into
// exceptions, capsules.h hands graphs and plans to the executor and back.
#include <nanobind/nanobind.h>

#include "errors.h"
#include "handles.h"

NB_MODULE(_core, m) {
  using namespace worktop::python;
  // A plan that lives until the process ends, as an attached model keeps it, is no bug to be told users of.
  nanobind::set_leak_warnings(false);
  m.doc() = "The planner of Worktop. Bytes and nanoseconds are ints; nothing is changed after it was made.";
  translate_errors();
  bind_machine(m);
  bind_graph(m);
  bind_cost(m);
  bind_plan(m);
  bind_report(m);
  bind_simulator(m);
  bind_advisor(m);
  bind_format(m);
}
