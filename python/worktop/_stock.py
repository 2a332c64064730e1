"""The settings that PyTorch has of its own for saving memory, to be measured beside a plan.

Each is a context manager over a model: inside it the forward of its blocks (`_modules.blocks_of`) is another
one, afterwards all is as it was.

    with setting.applied(model):
        loss = model(x); loss.backward()
"""
from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.utils import checkpoint

from ._modules import blocks_of

_OPS = torch.ops.aten
# What the selective list saves: products, convolutions and fused attention, which take most of the time.
SAVED = [op.default for op in (
    _OPS.mm, _OPS.addmm, _OPS.bmm, _OPS.baddbmm, _OPS.convolution, _OPS._scaled_dot_product_flash_attention_for_cpu,
    _OPS._scaled_dot_product_flash_attention, _OPS._scaled_dot_product_efficient_attention,
    _OPS._scaled_dot_product_cudnn_attention)]


@dataclasses.dataclass(frozen=True)
class Setting:
    name: str
    remark: str  # what must be known to read its numbers; "" if nothing
    _enter: Callable[[nn.Module], contextlib.AbstractContextManager]

    def applied(self, model: nn.Module) -> contextlib.AbstractContextManager:
        return self._enter(model)


def block_modules(model: nn.Module) -> list[nn.Module]:
    """The blocks of the model, in its order; none where it has no list of them."""
    modules = dict(model.named_modules())
    return [modules[name] for name in dict.fromkeys(blocks_of(model)) if name]


def settings_for(model: nn.Module) -> list[Setting]:
    """What can run here. Without blocks, only what needs none."""
    settings = []
    if block_modules(model):
        settings = [
            Setting("checkpoint, every block", "", functools.partial(_checkpointed, every=1)),
            Setting("checkpoint, every second", "", functools.partial(_checkpointed, every=2)),
            Setting("selective list", "saves products, convolutions and fused attention, replays the rest",
                    functools.partial(_checkpointed, every=1, context_fn=_selective))]
    remark = ""
    if all(p.device.type == "cpu" for p in model.parameters()):
        remark = "of a model on the CPU it moves nothing: everything is kept"
    settings.append(Setting("save_on_cpu", remark, lambda _: torch.autograd.graph.save_on_cpu()))
    return settings


def _selective():
    return checkpoint.create_selective_checkpoint_contexts(SAVED)


@contextlib.contextmanager
def _checkpointed(model: nn.Module, every: int, context_fn: Callable[[], Any] | None = None) -> Iterator[None]:
    more = {} if context_fn is None else {"context_fn": context_fn}
    with contextlib.ExitStack() as patches:
        for block in block_modules(model)[::every]:
            patches.enter_context(_forward_of(block, functools.partial(
                checkpoint.checkpoint, block.forward, use_reentrant=False, **more)))
        yield


@contextlib.contextmanager
def _forward_of(module: nn.Module, forward: Callable) -> Iterator[None]:
    """Inside it the module has this forward; an own one that somebody else gave it comes back."""
    own = module.__dict__.get("forward")
    module.forward = forward
    try:
        yield
    finally:
        if own is None:
            del module.forward
        else:
            module.forward = own
