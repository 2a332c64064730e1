"""Attaches to the module that a script trains, without a change to the script.

The outermost module with parameters whose forward first runs in training mode with gradients enabled is attached
before that forward runs. At the first step of an optimizer it is clear what is trained: if the optimizer steps
no parameter of the attached module, another of the modules seen so far is attached in its place. With several
models (a GAN) it is thus the one that is stepped first; the others run as ever. A module that contains the
attached one takes its place as soon as its forward begins.
"""
from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
import threading
import weakref
from typing import Any, Callable


class CannotAttach(Exception):
    """The executor does not run this model; the text says why."""


class Watch:
    """From `start` until it is clear what is trained. `attach` takes a module; `attached` is what it gave."""

    def __init__(self, attach: Callable[[Any], Any], say: Callable[[str], None]):
        self._attach, self._say = attach, say
        self._seen: list[weakref.ref] = []  # modules of outermost training forwards, in order
        self._module: weakref.ref | None = None
        self._forward = threading.local()
        self.attached: Any = None
        self.evaluated = 0  # forwards that were not for training
        self.certain = False

    # Module.__call__ is replaced for as long as the watch lasts: a global forward pre-hook is given no keyword
    # arguments, and hooks that it adds to the module come too late for the forward that has begun. Other modules
    # (torch.fx) may keep what they find in that place, so afterwards it must do nothing but pass on.
    def start(self) -> None:
        from torch import nn
        from torch.optim import optimizer as optimizers
        self._call = nn.Module.__call__
        call, watch = self._call, self

        def __call__(module, *args, **kwargs):
            now = watch
            return call(module, *args, **kwargs) if now is None else now._called(module, args, kwargs)

        def end():
            nonlocal watch
            watch = None
            if nn.Module.__call__ is __call__:
                nn.Module.__call__ = call
        nn.Module.__call__ = __call__
        self._end = end
        self._hook = optimizers.register_optimizer_step_pre_hook(self._steps)

    def stop(self) -> None:
        self._end()
        self._hook.remove()

    def _called(self, module, args, kwargs):
        if getattr(self._forward, "running", False) or not self._trains(module):
            return self._call(module, *args, **kwargs)
        self._forward.running = True
        try:
            self._begins(module)
            return self._call(module, *args, **kwargs)
        finally:
            self._forward.running = False

    def _trains(self, module) -> bool:
        import torch
        if not module.training or not torch.is_grad_enabled():
            self.evaluated += 1
            return False
        return any(p.requires_grad for p in module.parameters())

    def _begins(self, module) -> None:
        if self.certain or any(other() is module for other in self._seen):
            return
        self._seen.append(weakref.ref(module))
        held = self._module() if self._module else None
        if held is None:
            self._take(module)
        elif any(part is held for part in module.modules()):
            self._take(module, "contains what was attached")

    def _steps(self, optimizer, _args, _kwargs) -> None:
        stepped = {id(p) for group in optimizer.param_groups for p in group["params"] if p.grad is not None}
        seen = [module for module in (ref() for ref in self._seen) if module is not None]
        trained = [module for module in seen if any(id(p) in stepped for p in module.parameters())]
        if not trained:
            return
        held = self._module() if self._module else None
        if not any(module is held for module in trained):
            first = trained[0]
            outer = [m for m in trained if m is not first and any(part is first for part in m.modules())]
            self._take(outer[-1] if outer else first, "is what the optimizer steps")
        self.certain = True
        self.stop()

    def _take(self, module, why: str = "") -> None:
        if self.attached is not None:
            self.attached.detach()
        try:
            self.attached = self._attach(module)
        except (NotImplementedError, ValueError, RuntimeError) as error:
            raise CannotAttach(f"{type(module).__name__}, which the script trains, can't be attached: {error}") from error
        self._module = weakref.ref(module)
        count = sum(p.numel() for p in module.parameters())
        self._say(f"attached to {type(module).__name__} ({count / 1e6:.3g} M parameters), called at {_caller()}"
                  + (f"; it {why}" if why else ""))


def _caller() -> str:
    """The line of the script, or of the library, that called the module."""
    here, frame = os.path.dirname(__file__), sys._getframe()
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.dirname(name) != here and f"{os.sep}torch{os.sep}" not in name:
            return f"{os.path.relpath(name) if os.path.exists(name) else name}:{frame.f_lineno}"
        frame = frame.f_back
    return "an unknown place"


def when_imported(name: str, then: Callable[[], None]) -> None:
    """Calls `then` when the program's first import of that module is done, or at once if it is."""
    if name in sys.modules:
        then()
    else:
        sys.meta_path.insert(0, _AfterImport(name, then))


class _AfterImport(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, then: Callable[[], None]):
        self._name, self._then = name, then

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        loader, execute = spec.loader, spec.loader.exec_module

        def exec_module(module):
            del loader.exec_module
            execute(module)
            self._then()
        loader.exec_module = exec_module
        return spec
