"""Runs a script, or a module, as python itself would: sys.argv, sys.path, __main__, exit code and traceback."""
from __future__ import annotations

import atexit
import importlib.machinery
import importlib.util
import io
import os
import signal
import sys
import types
from typing import Callable


class NotFound(Exception):
    """There is no such script or module."""


def run(target: str, arguments: list[str], *, module: bool, passes: Callable[[BaseException], bool]) -> int:
    """Runs it to its end and gives its exit code. SystemExit, and exceptions that pass, come through; others are
    shown as python shows them, without the frames of this file. NotFound: it did not begin."""
    main, code = _module(target) if module else _script(target)
    sys.argv = [main.__file__ if module else target, *arguments]
    sys.modules["__main__"] = main
    try:
        exec(code() if callable(code) else code, main.__dict__)
        return 0
    except SystemExit:
        raise
    except BaseException as error:
        if passes(error):
            raise
        return _shown(error)


def _script(path: str) -> tuple[types.ModuleType, object]:
    whole = os.path.abspath(path)
    try:
        with io.open_code(whole) as file:
            text = file.read()
    except OSError as error:
        raise NotFound(f"'{path}' can't be read: {error.strerror}") from None
    if not getattr(sys.flags, "safe_path", False):  # in the place of the folder that `python -m worktop` put there
        sys.path[0] = os.path.dirname(os.path.realpath(whole))
    main = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", whole)
    main.__dict__.update(__file__=whole, __loader__=loader, __spec__=None, __cached__=None, __annotations__={},
                         __builtins__=sys.modules["builtins"])
    return main, lambda: compile(text, whole, "exec", dont_inherit=True)


def _module(name: str) -> tuple[types.ModuleType, object]:
    sys.argv[0] = "-m"  # what python has there while it looks for the module
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        raise NotFound(f"module '{name}' can't be found: {error}") from None
    code = spec.loader.get_code(name) if spec and hasattr(spec.loader, "get_code") else None
    if code is None:
        raise NotFound(f"there is no module '{name}' that python can run")
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=spec.origin, __loader__=spec.loader, __spec__=spec, __package__=spec.parent,
                         __cached__=spec.cached, __annotations__={}, __builtins__=sys.modules["builtins"])
    return main, code


def _shown(error: BaseException) -> int:
    own = error.__traceback__  # the frame of `run`, and that of `compile` where the script has no valid syntax
    while own is not None and own.tb_frame.f_code.co_filename == __file__:
        own = own.tb_next
    sys.excepthook(type(error), error.with_traceback(own), own)
    if isinstance(error, KeyboardInterrupt):
        _interrupted.append(error)
    return 1


_interrupted: list[BaseException] = []


@atexit.register  # on import, so that it is the last but for what python itself does
def _die_of_interrupt() -> None:
    if not _interrupted:
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # so that a shell sees why, as with python
    os.kill(os.getpid(), signal.SIGINT)
