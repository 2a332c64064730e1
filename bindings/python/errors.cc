#include "errors.h"

#include <nanobind/stl/string.h>

namespace worktop::python {
namespace {

namespace nb = nanobind;

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Trouble& trouble) {
    const base::Error& error = trouble.error();
    const bool input = error.code == base::ErrorCode::usage || error.code == base::ErrorCode::input;
    const nb::object type = nb::module_::import_("worktop._errors").attr(input ? "InputError" : "Error");
    PyErr_SetObject(type.ptr(), type(name_of(error.code), error.what, error.where, error.hint).ptr());
  }
}

}  // namespace

void translate_errors() {
  nb::register_exception_translator(translate);
}

}  // namespace worktop::python
