#include <torch/csrc/autograd/python_variable.h>  // first: it includes Python.h

#include "hooks.h"

#include <torch/csrc/Exceptions.h>

#include <array>
#include <new>

#include "recorder.h"

namespace worktop::adapter {
namespace {

struct HandleObject {
  PyObject_HEAD Handle handle;
};

PyTypeObject* handle_type = nullptr;

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<HandleObject*>(self)->handle.~Handle();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* pack(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  if (!THPVariable_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "pack takes a torch.Tensor");
    return nullptr;
  }
  const at::Tensor& tensor = THPVariable_Unpack(object);
  PyObject* made = handle_type->tp_alloc(handle_type, 0);
  if (!made) return nullptr;
  Handle& handle = *new (&reinterpret_cast<HandleObject*>(made)->handle) Handle;
  if (const std::shared_ptr<Step>& step = recorded_step()) {
    step->pack(tensor, inside_op(), handle);
  } else {
    handle.kept = tensor;
    handle.version = version_of(tensor);
    handle.counter = tensor.unsafeGetTensorImpl()->version_counter();
  }
  return made;
  END_HANDLE_TH_ERRORS
}

PyObject* unpack(PyObject*, PyObject* object) {
  HANDLE_TH_ERRORS
  if (Py_TYPE(object) != handle_type) {
    PyErr_SetString(PyExc_TypeError, "unpack takes what pack gave");
    return nullptr;
  }
  const Handle& handle = reinterpret_cast<HandleObject*>(object)->handle;
  at::Tensor tensor;
  if (handle.value == kNone) {
    if (!handle.step) handle.check_unwritten();
    tensor = handle.step ? handle.step->unpack(handle) : without_history(handle.kept);
  } else {
    const pybind11::gil_scoped_release free;  // it may replay, or wait for a copy
    tensor = handle.step->unpack(handle);
  }
  return THPVariable_Wrap(tensor);
  END_HANDLE_TH_ERRORS
}

std::array<PyMethodDef, 3> functions{{{"pack", &pack, METH_O, "A handle for the tensor."},
                                      {"unpack", &unpack, METH_O, "The tensor of the handle."},
                                      {nullptr, nullptr, 0, nullptr}}};

std::array<PyType_Slot, 2> slots{{{Py_tp_dealloc, reinterpret_cast<void*>(&destroy)}, {0, nullptr}}};

PyType_Spec spec{"worktop._torch.Handle", sizeof(HandleObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};

}  // namespace

bool add_hooks(PyObject* module) {
  if (!handle_type) handle_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return handle_type && PyModule_AddType(module, handle_type) == 0 &&
         PyModule_AddFunctions(module, functions.data()) == 0;
}

}  // namespace worktop::adapter
