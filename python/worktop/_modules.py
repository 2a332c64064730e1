"""Which module is running, and what do the parts of the model weigh?"""
from __future__ import annotations

import torch
from torch import nn
from torch.nn.modules import module as hooks

from . import _torch


def names_of(model: nn.Module) -> list[str]:
    """The qualified name of every module, in the order of `model.modules()`; "" for the model itself."""
    return [name for name, _ in model.named_modules()]


def blocks_of(model: nn.Module) -> list[str]:
    """For every module the name of the block it lies in, or "": the outermost child of a list or sequence of
    modules that are themselves made of modules ("h.3", "layer1.0")."""
    blocks: list[str] = []
    containers: dict[str, bool] = {
        name: isinstance(module, (nn.ModuleList, nn.Sequential)) and len(module) > 1
        and all(any(True for _ in child.children()) for child in module)
        for name, module in model.named_modules()}
    for name, _ in model.named_modules():
        parts = name.split(".") if name else []
        block = ""
        for depth in range(1, len(parts)):
            if containers.get(".".join(parts[:depth]), False):
                block = ".".join(parts[:depth + 1])
                break
        blocks.append(block)
    return blocks


class Following:
    """While it is entered, the recorder is told which module's forward is running."""

    def __init__(self, model: nn.Module):
        self._index = {id(module): i for i, module in enumerate(model.modules())}
        self._stack: list[int] = []
        self._handles: list = []

    def __enter__(self):
        self._stack = [0]
        self._handles = [hooks.register_module_forward_pre_hook(self._begins),
                         hooks.register_module_forward_hook(self._ends, always_call=True)]
        _torch.enter_module(0)
        return self

    def __exit__(self, *_):
        for handle in self._handles:
            handle.remove()
        _torch.enter_module(-1)

    def _begins(self, module, _args):
        self._stack.append(self._index.get(id(module), self._stack[-1]))
        _torch.enter_module(self._stack[-1])

    def _ends(self, _module, _args, _output):
        if len(self._stack) > 1:
            self._stack.pop()
        _torch.enter_module(self._stack[-1])


def storages_bytes(tensors) -> tuple[int, int]:
    """All bytes of the tensors' storages, each counted once; and those that the meter does not count."""
    seen: set[int] = set()
    total = foreign = 0
    for tensor in tensors:
        if tensor is None or tensor.layout != torch.strided or not tensor.device.type == "cpu":
            continue
        storage = tensor.untyped_storage()
        if storage.data_ptr() in seen:
            continue
        seen.add(storage.data_ptr())
        total += storage.nbytes()
        if storage.nbytes() and not _torch.is_metered(tensor):
            foreign += storage.nbytes()
    return total, foreign
