"""import worktop: with this torch, with another one, and without."""
import os
import pathlib
import subprocess
import sys

import pytest
import worktop
from worktop import _built, _executor

needs_executor = pytest.mark.skipif(_built.TORCH is None, reason="this build has no executor")
# The kitchen: offload wins.
PLANNING = ("; print(worktop.ledger(layers=100, activation='3GB', base='12GB', forward='120s', bandwidth='50GB/s', "
            "segments=10, lambda_=0.3).best)")


def run(code, *first_in_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, first_in_path), os.environ["PYTHONPATH"]])}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)


@needs_executor
def test_the_executor_knows_its_torch():
    import torch
    assert _executor.load().built_for == torch.__version__ == _executor.installed_torch()


def test_import_does_not_import_torch():
    done = run("import sys, worktop; print('torch' in sys.modules)")
    assert (done.stdout, done.stderr) == ("False\n", "")


@needs_executor
def test_another_torch_is_named_and_planning_works(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").write_text("from .version import __version__\n")
    (tmp_path / "torch/version.py").write_text("__version__ = '2.99.1+fake'\n")
    done = run("import worktop" + PLANNING, tmp_path)
    assert done.stdout == "offload_all\n"
    for part in (_built.TORCH, "2.99.1+fake", "cmake --build", "Planning works"):
        assert part in done.stderr
    done = run("import worktop\ntry: worktop.attach\nexcept ImportError as e: print(e)", tmp_path)
    for part in (_built.TORCH, "2.99.1+fake", "cmake --build"):
        assert part in done.stdout


def test_without_torch_planning_works():
    hide = "import sys; sys.modules['torch'] = None; "
    done = run(hide + "import worktop" + PLANNING)
    assert (done.stdout, done.stderr) == ("offload_all\n", "")
    done = run(hide + "import worktop\ntry: worktop.attach\nexcept ImportError as e: print(e)")
    assert "not installed" in done.stdout


@needs_executor
def test_attach_is_the_function_whoever_was_imported_first():
    for first in ("import worktop.attach", "from worktop.attach import Attached", "import worktop; worktop.attach"):
        done = run(first + "; import worktop; print(type(worktop.attach).__name__, worktop.attach.__name__)")
        assert done.stdout == "function attach\n", done.stderr


def test_unknown_names_are_unknown():
    with pytest.raises(AttributeError, match="no attribute 'attatch'"):
        worktop.attatch


def test_types_come_along():
    folder = pathlib.Path(worktop.__file__).parent
    assert (folder / "py.typed").exists()
    assert "def plan(self, budget_bytes: int | None = None" in (folder / "_core.pyi").read_text()


def test_the_program_hands_its_commands_over():
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([os.environ["WORKTOP"], "check", "--help"], env=environment, capture_output=True, text=True,
                          timeout=120)
    assert "no package 'worktop'" not in done.stderr and "python3" not in done.stderr
