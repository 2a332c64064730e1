"""Runs training steps of several kinds in turn, each from the same state, and says what differed.

A step is forward, loss and backward, without an optimizer. What it may change (parameters, buffers,
gradients, random states) is kept outside torch's allocator, so that no copy stands in the measured memory, and put
back before every step. Peaks are the meter's, for all kinds alike; times are wall-clock times of whole steps.
"""
from __future__ import annotations

import contextlib
import dataclasses
import gc
import random
import statistics
import time
from collections.abc import Callable

import numpy
import torch
from torch import nn

from . import _torch


def bits_of(tensor: torch.Tensor) -> numpy.ndarray:
    """The tensor's bytes in the order of its elements, in memory of their own."""
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    bits = numpy.empty(flat.numel(), numpy.uint8)
    torch.from_numpy(bits).copy_(flat)  # not flat.numpy(), after which a storage can no longer be resized
    return bits


class _SetAside:
    """A tensor whose bytes are elsewhere until it is wanted back: the same object, but it takes no memory."""

    def __init__(self, tensor: torch.Tensor):
        self._tensor, self._storage = tensor, tensor.untyped_storage()
        self._bytes = self._storage.nbytes()
        self._away = self._storage.resizable()
        if self._away:
            self._kept = bits_of(self._whole())
            self._storage.resize_(0)

    def _whole(self) -> torch.Tensor:
        return torch.empty(0, dtype=torch.uint8).set_(self._storage)

    def back(self) -> torch.Tensor:
        if self._away:
            self._storage.resize_(self._bytes)
            self._whole().copy_(torch.from_numpy(self._kept))
            self._away = False
        return self._tensor


class State:
    """What a step may change, as it was."""

    def __init__(self, model: nn.Module):
        self._model = model
        self._kept = {name: bits_of(t) for name, t in self._tensors()}
        self._random = self._random_states()
        self._gradients = {name: _SetAside(p.grad) for name, p in model.named_parameters() if p.grad is not None}
        for parameter in model.parameters():
            parameter.grad = None

    def _tensors(self):
        yield from self._model.named_parameters()
        yield from self._model.named_buffers()

    @staticmethod
    def _random_states():
        return bits_of(torch.get_rng_state()), random.getstate(), numpy.random.get_state()

    def put_back(self) -> None:
        """Everything as it was, but for the gradients: there are none."""
        with torch.no_grad():
            for name, tensor in self._tensors():
                kept = self._kept[name]
                if not numpy.array_equal(bits_of(tensor), kept):
                    as_was = torch.from_numpy(kept.copy()).view(tensor.dtype).reshape(tensor.shape)
                    tensor.copy_(as_was)
        for parameter in self._model.parameters():
            parameter.grad = None
        torch.set_rng_state(torch.from_numpy(self._random[0].copy()))
        random.setstate(self._random[1])
        numpy.random.set_state(self._random[2])

    def close(self) -> None:
        """As it was, gradients included."""
        self.put_back()
        for name, parameter in self._model.named_parameters():
            if name in self._gradients:
                parameter.grad = self._gradients[name].back()

    def result(self, loss: torch.Tensor | None) -> dict[str, numpy.ndarray | None]:
        """What a step has led to, bit by bit."""
        found = {f"gradient of {name}": None if p.grad is None else bits_of(p.grad)
                 for name, p in self._model.named_parameters()}
        found |= {f"buffer {name}": bits_of(b) for name, b in self._model.named_buffers()}
        found |= {f"parameter {name}": bits_of(p) for name, p in self._model.named_parameters()}
        found["random state of torch"] = bits_of(torch.get_rng_state())
        if loss is not None:
            found["loss"] = bits_of(loss)
        return found


def differences(ours: dict, theirs: dict) -> list[str]:
    """The names of what is not the same in both."""
    def same(name: str) -> bool:
        a, b = ours.get(name), theirs.get(name)
        return (a is None) == (b is None) and (a is None or numpy.array_equal(a, b))
    return [name for name in {**ours, **theirs} if not same(name)]


@dataclasses.dataclass
class Kind:
    """A way to run the step. `around` holds what is to be so during the step; `run` runs it and answers the loss;
    `after` is called when the step was measured."""
    name: str
    run: Callable[[], torch.Tensor | None]
    around: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
    after: Callable[[], None] = lambda: None


@dataclasses.dataclass
class Measured:
    peak_bytes: int = 0  # of the meter, the most of all rounds
    times_ns: list[int] = dataclasses.field(default_factory=list)
    differs: list[str] = dataclasses.field(default_factory=list)  # from the first kind

    @property
    def median_ns(self) -> int:
        return int(statistics.median(self.times_ns))


class Rounds:
    """Runs each kind once a round; the order turns from round to round. The first kind is what the others are
    compared with; call `close` in the end."""

    def __init__(self, model: nn.Module, kinds: list[Kind], clock: Callable[[], int] = time.perf_counter_ns):
        self._state = State(model)
        self._kinds = kinds
        self._clock = clock
        self._reference: dict | None = None
        self.measured = {kind.name: Measured() for kind in kinds}

    def __enter__(self) -> "Rounds":
        return self

    def __exit__(self, *_) -> None:
        self._state.close()

    def warm_up(self) -> None:
        """Every kind once, unmeasured in time, compared in every bit."""
        for kind in self._kinds:
            self._run(kind, compare=True)
            self.measured[kind.name].times_ns.clear()

    def round(self, number: int) -> None:
        turn = number % len(self._kinds)
        gc.collect()
        for kind in self._kinds[turn:] + self._kinds[:turn]:
            self._run(kind, compare=False)

    def run(self, kind: Kind, compare: bool = False) -> int:
        """One step that counts for nothing but what it measures itself; answers its peak."""
        return self._run(kind, compare, into=Measured()).peak_bytes

    def _run(self, kind: Kind, compare: bool, into: Measured | None = None) -> Measured:
        seen = self.measured[kind.name] if into is None else into
        self._state.put_back()
        with kind.around():
            _torch.reset_peak()
            began = self._clock()
            loss = kind.run()
            took = self._clock() - began
            peak = _torch.peak_bytes()
        kind.after()
        seen.times_ns.append(took)
        seen.peak_bytes = max(seen.peak_bytes, peak)
        if compare:
            result = self._state.result(loss)
            if self._reference is None:
                self._reference = result
            seen.differs = differences(self._reference, result)
        return seen


def extra_ns(measured: Measured, plain: Measured) -> list[int]:
    """How much longer than the plain step of the same round."""
    return [a - b for a, b in zip(measured.times_ns, plain.times_ns)]
