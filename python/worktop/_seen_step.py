"""Finds the step that a script trains with: which model, with what arguments, and with what gradients
backward comes back to the model's outputs.

With these the step can be run again without the script: the same forward, then backward from the outputs with the same
gradients. What the script computes between the model's outputs and the loss is not part of it.
"""
from __future__ import annotations

import dataclasses
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks
from torch.optim import optimizer as optimizers
from torch.utils import _pytree


@dataclasses.dataclass
class SeenStep:
    model: nn.Module
    args: tuple
    kwargs: dict[str, Any]
    gradients: list[torch.Tensor | None]  # by tensor of the output

    def forward(self, model: nn.Module) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        outputs = _tensors(model(*self.args, **self.kwargs))
        wanted = [(o, g) for o, g in zip(outputs, self.gradients) if g is not None]
        return [o for o, _ in wanted], [g for _, g in wanted]


class Enough(BaseException):
    """The step is known: leaves the script. No `except Exception` of its own stops it."""


class SeeingStep:
    """Between `start` and `stop` it looks for the step. Once `after` optimizer steps are over and one more backward
    was seen, it leaves the script by raising Enough. `step` is what was seen, or None."""

    def __init__(self, after: int):
        self._after = after
        self._depth = 0
        self._step: SeenStep | None = None
        self._steps = 0
        self._handles: list = []

    @property
    def step(self) -> SeenStep | None:
        return self._step if self._complete() else None

    def start(self) -> None:
        self._handles = [hooks.register_module_forward_pre_hook(self._begins),
                         hooks.register_module_forward_hook(self._ends, with_kwargs=True, always_call=True),
                         optimizers.register_optimizer_step_pre_hook(self._optimizer_steps)]

    def stop(self) -> None:
        for handle in self._handles:
            handle.remove()

    def _complete(self) -> bool:
        return self._step is not None and any(g is not None for g in self._step.gradients)

    def _begins(self, _module, _args):
        self._depth += 1

    def _ends(self, module, args, kwargs, output):
        self._depth -= 1
        if self._depth > 0 or not module.training or not torch.is_grad_enabled():
            return
        outputs = _tensors(output)
        if not any(t.requires_grad for t in outputs) or not any(p.requires_grad for p in module.parameters()):
            return
        if self._step is not None and self._is_smaller(module):
            return  # a head or loss with weights of its own, run after the model
        args, kwargs = _pytree.tree_map_only(torch.Tensor, _without_history, (args, kwargs))
        step = self._step = SeenStep(module, args, kwargs, [None] * len(outputs))
        for i, tensor in enumerate(outputs):
            if tensor.requires_grad:
                tensor.register_hook(lambda gradient, i=i: step.gradients.__setitem__(i, gradient.detach().clone()))

    def _is_smaller(self, module: nn.Module) -> bool:
        sizes = [sum(p.numel() for p in m.parameters()) for m in (module, self._step.model)]
        return sizes[0] < sizes[1]

    def _optimizer_steps(self, _optimizer, _args, _kwargs):
        self._steps += 1
        if self._steps > self._after and self._complete():
            raise Enough


def _tensors(output: Any) -> list[torch.Tensor]:
    return [t for t in _pytree.tree_leaves(output) if isinstance(t, torch.Tensor)]


def _without_history(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().requires_grad_() if tensor.grad_fn is not None else tensor
