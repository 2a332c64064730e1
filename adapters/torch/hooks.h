// The hooks of torch.autograd.graph.saved_tensors_hooks, as Python functions: `pack` takes a tensor and
// answers a handle, `unpack` takes the handle and answers the tensor.
//
// They run for every tensor that autograd saves, so they and the handle's Python object are written against
// Python's C interface: pybind11 would take more time than what they do.
#pragma once

#include <Python.h>

namespace worktop::adapter {

// Adds the functions pack and unpack, and the type Handle, to the module. False: a Python error is set.
[[nodiscard]] bool add_hooks(PyObject* module);

}  // namespace worktop::adapter
