// The door of the executor: the extension module worktop._torch.
#include <pybind11/pybind11.h>

PYBIND11_MODULE(_torch, m) {
  m.doc() = "The PyTorch executor of Worktop.";
  m.attr("built_for") = WORKTOP_TORCH_VERSION;
}
