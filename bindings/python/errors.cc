#include "errors.h"

#include <nanobind/stl/string.h>

#include <string>

namespace worktop::python {
namespace {

namespace nb = nanobind;

// What is raised, with its text: what happened, and where and what to do on lines of their own.
void raise(const base::Error& error, nb::handle type) {
  std::string text = error.what;
  if (!error.where.empty()) text += "\n  where: " + error.where;
  if (!error.hint.empty()) text += "\n  hint:  " + error.hint;
  const nb::object exception = type(text);
  exception.attr("code") = name_of(error.code);
  exception.attr("what") = error.what;
  exception.attr("where") = error.where;
  exception.attr("hint") = error.hint;
  PyErr_SetObject(type.ptr(), exception.ptr());
}

PyObject* error_type = nullptr;  // both live as long as the interpreter
PyObject* input_error_type = nullptr;

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Trouble& trouble) {
    const bool input =
        trouble.error().code == base::ErrorCode::usage || trouble.error().code == base::ErrorCode::input;
    raise(trouble.error(), input ? input_error_type : error_type);
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  error_type = PyErr_NewExceptionWithDoc(
      "worktop.Error",
      "What went wrong. code is usage, input, infeasible, illegal or environment; what is one sentence;\n"
      "where names a place, an argument or an op; hint says what to do.",
      PyExc_RuntimeError, nullptr);
  if (error_type == nullptr) nb::raise_python_error();
  m.attr("Error") = nb::handle(error_type);
  const nb::tuple bases = nb::make_tuple(nb::handle(error_type), nb::handle(PyExc_ValueError));
  input_error_type = PyErr_NewExceptionWithDoc(
      "worktop.InputError", "An argument or a file is not what it should be.", bases.ptr(), nullptr);
  if (input_error_type == nullptr) nb::raise_python_error();
  m.attr("InputError") = nb::handle(input_error_type);
  nb::register_exception_translator(translate);
}

}  // namespace worktop::python
