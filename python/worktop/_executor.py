"""Loads the extension module worktop._torch, or says why that cannot be."""
import importlib
import importlib.util
import pathlib
import runpy
import sys
from types import ModuleType

from . import _built

_PLANNING = "Planning works all the same."
_REBUILD = (
    "To rebuild it, in the source tree and with the python that has that torch:\n"
    "  cmake --preset release -DPython_EXECUTABLE=$(command -v python3) -DWORKTOP_TORCH=ON\n"
    "  cmake --build --preset release --target python_package\n"
    "and put build/release/python into PYTHONPATH.")


def installed_torch() -> str | None:
    """The version of the torch that would be imported, found without importing it, which takes seconds."""
    if imported := sys.modules.get("torch"):
        return imported.__version__
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        return None
    return runpy.run_path(str(pathlib.Path(found.origin).parent / "version.py"))["__version__"]


def why_not() -> str | None:
    """Why the executor cannot be loaded, and what to do; None if it can."""
    installed = installed_torch()
    if installed is None:
        wanted = f"pip install torch=={_built.TORCH.partition('+')[0]}" if _built.TORCH else "pip install torch"
        return (f"The executor of Worktop runs in PyTorch, which is not installed: {wanted}. {_PLANNING}"
                + ("" if _built.TORCH else f"\nThis build was made without it. {_REBUILD}"))
    if _built.TORCH is None:
        return f"This build of Worktop has no executor; torch {installed} is installed. {_PLANNING}\n{_REBUILD}"
    if _built.TORCH != installed:
        return (f"The executor of Worktop was built for torch {_built.TORCH}, and torch {installed} is installed. "
                f"{_PLANNING}\n{_REBUILD}")
    return None


def load() -> ModuleType:
    """worktop._torch. Raises ImportError with what to do."""
    if why := why_not():
        raise ImportError(why, name="worktop._torch")
    importlib.import_module("torch")  # brings the libraries that the module is linked to
    return importlib.import_module("worktop._torch")
