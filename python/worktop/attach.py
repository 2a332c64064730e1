"""Runs a model's training steps inside a byte budget.

    wt = worktop.attach(model, budget="6GiB")
    ...the training loop as it was...
    print(wt.report())
"""
from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import tempfile
import warnings
import weakref
from typing import Any

import torch
from torch import nn
from torch.optim import optimizer as optimizers
from torch.utils import _pytree

from . import _core, _torch
from ._console import write_whole
from ._course import BudgetError, Course, Surroundings, Wish
from ._machine import this_machine
from ._modules import Following, blocks_of, names_of, storages_bytes
from ._sizes import parse_budget, parse_tier
from .report import headline, report

__all__ = ["attach", "Attached", "BudgetError"]

log = logging.getLogger("worktop")
_attached: weakref.WeakSet = weakref.WeakSet()  # models
FORWARDS_WITHOUT_BACKWARD = 3  # then the user is told


def attach(model: nn.Module, budget: str | int | None = None, *, disk: str | None = None, machine: Any = None,
           policy: str | None = None, effort: str = "deep", seed: int = 0, strict: bool = False) -> "Attached":
    """Lets Worktop decide which activations of `model` are kept, recomputed or offloaded.

    budget: all bytes that may be allocated on the device, weights, gradients and optimizer included: "6GiB",
        "80%" of what the device can use, a number of bytes, or None (as fast as fits).
    disk: a directory and how much of it may be used, "/scratch:100GiB".
    machine: a worktop.Machine, or the name or file of one, instead of measuring this one (the environment variable
        WORKTOP_MACHINE says the same).
    policy: a strategy's name ("checkpoint_every(1)") or the path of a policy file, instead of a plan.
    effort: of the search for the plan that is promised: "quick", "normal" or "deep" (a second or a few).
    strict: a step that leaves its plan raises instead of going on with what is right but not planned.

    The first training step captures, the next few measure, then the promise is made. Raises ValueError for
    arguments that make no sense, NotImplementedError for models that this executor does not run."""
    if os.environ.get("WORKTOP_OFF", "") not in ("", "0"):
        return Attached._off(model)
    _refuse(model)
    if model in _attached:
        raise ValueError("the model is attached already: call detach() of what attach gave, then attach it anew")
    return Attached(model, budget, disk=disk, machine=machine, policy=policy, effort=effort, seed=seed,
                    strict=strict)


def _refuse(model: nn.Module) -> None:
    if not isinstance(model, nn.Module):
        raise ValueError(f"attach takes a torch.nn.Module, not {type(model).__name__}")
    for name, module in model.named_modules():
        kind = type(module).__name__
        if kind == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None:
            raise NotImplementedError(f"{name or 'the model'} is compiled with torch.compile, which fuses ops where "
                                      "this executor cannot see them; attach the model before compiling, or not at all")
        if "FSDP" in kind or "FullyShardedDataParallel" in kind:
            raise NotImplementedError(f"{name or 'the model'} is sharded by FSDP, which this executor does not run yet")
    for name, parameter in model.named_parameters():
        if type(parameter.data) not in (torch.Tensor, nn.Parameter) and type(parameter) is not nn.Parameter:
            raise NotImplementedError(f"parameter {name} is a {type(parameter).__name__}; tensor subclasses are not "
                                      "run by this executor yet")
        if parameter.device.type != "cpu":
            raise NotImplementedError(f"parameter {name} lies on {parameter.device}; this executor runs models on "
                                      "the CPU so far")
    for name, buffer in model.named_buffers():
        if buffer.device.type != "cpu":
            raise NotImplementedError(f"buffer {name} lies on {buffer.device}; this executor runs models on the CPU "
                                      "so far")


class Attached:
    """What `attach` gives: the report, and the numbers for programs. Bytes are all bytes allocated on the device."""

    def __init__(self, model, budget, *, disk, machine, policy, effort, seed, strict):
        self._asked = dict(budget=budget, disk=disk, machine=machine, policy=policy, effort=effort, seed=seed)
        self._paused = False
        self._model = model
        self._strict = strict
        self._step: _OpenStep | None = None
        self._courses: dict[Any, Course] = {}
        self._course: Course | None = None
        self._micro_steps: list = []  # of the running step
        self._pending: list = []  # course and record, not yet planned with
        self._last_step: list = []  # of the last one that ended
        self._optimizers: dict[int, Any] = {}
        self._stepped = False
        self._held_open = False  # by step()
        self._depth = 0
        self._foreign = 0
        self._micro_steps_a_step = 1  # of the last step
        self.unplanned = 0  # values brought back beside the plan, since attach
        directory, disk_bytes = parse_tier(disk) if disk else (None, None)
        self._machine, self._lower_tiers = this_machine(directory, disk_bytes, machine)
        self._wish = Wish(parse_budget(budget, self._machine), _policy_text(policy), effort, seed)
        self._executor = _torch.Executor(disk_directory=directory or tempfile.gettempdir(), disk_bytes=disk_bytes)
        self._names, self._blocks = names_of(model), blocks_of(model)
        _torch.install_meter()  # from here on nothing can fail
        _attached.add(model)
        self._handles = [
            model.register_forward_pre_hook(self._forward_begins, prepend=True, with_kwargs=True),
            model.register_forward_hook(self._forward_ends, always_call=True),
            optimizers.register_optimizer_step_post_hook(self._optimizer_stepped)]

    @classmethod
    def _off(cls, model) -> "Attached":
        off = cls.__new__(cls)
        off.__dict__.update(_model=model, _asked=None, _handles=[], _executor=None, _course=None, _last_step=[],
                            _micro_steps=[], unplanned=0, _wish=Wish())
        return off

    # --- what users call

    @contextlib.contextmanager
    def step(self):
        """Covers what is computed outside the model, such as the loss: inside it counts as the model's."""
        if self._executor is None or self._held_open:
            yield self
            return
        self._held_open = True
        try:
            yield self
        finally:
            self._held_open = False
            self._close_forward()

    def save_profile(self, path: str) -> None:
        """Writes `profile` as a file that `worktop plan`, `frontier` and `explain` read; of several micro-steps the
        one with the highest peak. RuntimeError: no step has been captured yet."""
        subject = self.profile
        if subject is None:
            raise RuntimeError("no training step that ended with a backward has been seen yet")
        write_whole(path, _core.write_graph(subject.graph, subject.durations_ns))

    @contextlib.contextmanager
    def paused(self):
        """Steps inside it are not Worktop's: they run as if nothing were attached."""
        self._end_step()
        before, self._paused = self._paused, True
        try:
            yield self
        finally:
            self._paused = before

    def check(self, batch, *, pairs: int = 7, stock: bool = True):
        """Compares planned steps with plain ones bit by bit, and both with PyTorch's own settings; prints as a table.
        See `worktop.check.check`."""
        from . import check
        return check.check(self, batch, pairs=pairs, stock=stock)

    def detach(self) -> None:
        """Gives the model back as it was."""
        if self._executor is None:
            return
        self._close_forward()
        self._finish()
        for handle in self._handles:
            handle.remove()
        self._handles = []
        _attached.discard(self._model)
        _torch.stop_following()
        _torch.uninstall_meter()
        self._executor = None

    # --- hooks

    def _forward_begins(self, module, args, kwargs):
        self._depth += 1
        if (self._depth > 1 or self._paused or not module.training or not torch.is_grad_enabled()
                or self._step is not None):
            return
        self._finish()
        inputs = [t for t in _pytree.tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        self._course = self._course_for(args, kwargs)
        self._plan_if_due()
        lasting = [*self._model.parameters(), *self._model.buffers(), *inputs]
        self._step = _OpenStep(self._executor, self._model, self._course, lasting)

    def _forward_ends(self, _module, _args, _output):
        self._depth = max(0, self._depth - 1)
        if self._depth == 0 and not self._held_open:
            self._close_forward()

    def _close_forward(self):
        if self._step is not None:
            self._step.close()
            self._step = None

    def _optimizer_stepped(self, optimizer, _args, _kwargs):
        if self._executor is None or not self._executor.running:
            return
        mine = {id(p) for p in self._model.parameters()}
        if any(id(p) in mine for group in optimizer.param_groups for p in group["params"]):
            self._optimizers[id(optimizer)] = optimizer
            self._executor.end_step()
            self._stepped = True

    # --- between micro-steps

    def _end_step(self) -> None:
        """Whatever ran last was a whole step, also if no optimizer stepped."""
        self._close_forward()
        self._stepped = True
        self._finish()
        self._plan_if_due()

    def _course_for(self, args, kwargs) -> Course:
        shapes = tuple((tuple(t.shape), t.dtype, t.requires_grad) if isinstance(t, torch.Tensor) else type(t)
                       for t in _pytree.tree_leaves((args, kwargs)))
        gradients = any(p.grad is not None for p in self._model.parameters())
        # Of the micro-steps of a step the first finds no gradients, and the optimizer comes after the last.
        number = len(self._micro_steps)
        last = number + 1 == self._micro_steps_a_step
        return self._courses.setdefault((shapes, gradients, number > 0, last), Course(self._wish))

    def _finish(self) -> None:
        """The micro-step that ran last is over, with everything up to now."""
        if not self._executor.running:
            return
        record = self._executor.finish()
        course = self._course
        self._micro_steps.append(_MicroStep(course, record, course.promised))
        self.unplanned += record.unplanned
        if self._stepped or not self._optimizers:
            self._last_step, self._micro_steps, self._stepped = self._micro_steps, [], False
            self._micro_steps_a_step = len(self._last_step)
        self._pending.append((course, record))
        if record.left_plan and record.mode != "capture" and course.stage != "capture":
            message = f"worktop: a step left its plan ({record.left_plan}); it is planned again"
            if self._strict:
                raise RuntimeError(message)
            warnings.warn(message, RuntimeWarning, stacklevel=4)

    def _plan_if_due(self) -> None:
        pending, self._pending = self._pending, []
        for course, record in pending:
            if course.stage == "promised" and not record.left_plan:
                continue
            stage = course.stage
            course.seen(record, self._surroundings())
            if course.stage == "promised" and stage != "promised":
                log.info("%s: %s", type(self._model).__name__, headline(course))
            if course.without_backward == FORWARDS_WITHOUT_BACKWARD:
                warnings.warn(f"worktop: {FORWARDS_WITHOUT_BACKWARD} training forwards came without a backward; "
                              "call model.eval() or torch.no_grad() where no training is meant", RuntimeWarning,
                              stacklevel=4)

    def _settle(self) -> None:
        """Between two steps, so that what has ended can be asked about."""
        if self._executor is None or self._step is not None or not (self._stepped or not self._optimizers):
            return
        self._finish()
        self._plan_if_due()

    def _surroundings(self) -> Surroundings:
        parameters = list(self._model.parameters())
        weights, foreign_weights = storages_bytes([*parameters, *self._model.buffers()])
        gradients, foreign_gradients = storages_bytes(p.grad for p in parameters)
        states, foreign_states = storages_bytes(
            t for o in self._optimizers.values() for state in o.state.values()
            for t in state.values() if isinstance(t, torch.Tensor))
        self._foreign = foreign_weights + foreign_gradients + foreign_states
        return Surroundings(self._machine, self._lower_tiers, self._names, self._blocks, type(self._model).__name__,
                            0, self._foreign, weights, gradients, states)

    # --- numbers

    def report(self) -> str:
        """Promised and measured peak and time, what was kept, recomputed and offloaded, and why."""
        if not self._handles and self._course is None:
            return "worktop is off"
        return report(self)

    @property
    def measured_peak_bytes(self) -> int | None:
        """Of the last step that ended."""
        self._settle()
        if not self._last_step:
            return None
        return max(micro.record.peak_bytes for micro in self._last_step) + self._foreign

    @property
    def measured_step_ns(self) -> int | None:
        """Of the last step that ended, from its first forward to the end of its optimizer's step."""
        self._settle()
        return sum(micro.record.step_ns for micro in self._last_step) if self._last_step else None

    @property
    def promised_peak_bytes(self) -> int | None:
        """Of the plan that the last step ran; None until the promise is made."""
        return max((promise.peak_bytes for promise in self._promised()), default=None)

    @property
    def promised_step_ns(self) -> int | None:
        return sum(promise.step_ns for promise in self._promised()) or None

    @property
    def keep_all_peak_bytes(self) -> int | None:
        """Predicted: what the step would need if every activation were kept."""
        return self._of_answer("keep_all_peak_bytes")

    @property
    def least_feasible_bytes(self) -> int | None:
        """The least peak of any plan that was found."""
        return self._of_answer("least_feasible_bytes")

    @property
    def bound_ns(self) -> int | None:
        """No plan's step is faster."""
        return self._of_answer("bound_ns")

    @property
    def plan(self):
        course = self._binding_course()
        return course.plan if course else None

    @property
    def profile(self):
        """The step graph with its durations, as a subject that can be planned with."""
        course = self._binding_course()
        return course.subject if course else None

    def _promised(self) -> list:
        """What was promised of each micro-step of the last step; nothing if one ran without a promise."""
        self._settle()
        promises = [micro.promise for micro in self._last_step]
        return [] if None in promises else promises

    def _binding_course(self) -> Course | None:
        """Of the micro-steps of the last step, the one with the highest peak."""
        self._settle()
        courses = [micro.course for micro in self._last_step if micro.course.simulated is not None]
        return max(courses, key=lambda course: course.simulated.peak_bytes, default=None)

    def _of_answer(self, name: str):
        course = self._binding_course()
        return getattr(course.answer, name) if course else None


@dataclasses.dataclass
class _MicroStep:
    course: Course
    record: Any
    promise: Any  # the simulation of the plan that it ran; None: nothing was promised


def _policy_text(policy: str | None) -> str | None:
    if policy is None:
        return None
    if os.path.exists(policy):
        with open(policy, encoding="utf-8") as file:
            return file.read()
    return policy


class _OpenStep:
    """A forward that is being recorded."""

    def __init__(self, executor, model, course, lasting):
        self._executor = executor
        self._following = Following(model) if course.stage == "capture" else contextlib.nullcontext()
        self._hooks = torch.autograd.graph.saved_tensors_hooks(_torch.pack, _torch.unpack)
        executor.begin(course.mode, course.program, lasting, course.logged)
        self._following.__enter__()
        self._hooks.__enter__()

    def close(self):
        self._hooks.__exit__(None, None, None)
        self._following.__exit__(None, None, None)
        self._executor.end_forward()
