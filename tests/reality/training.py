"""The training loops that people write, run plain or attached, and what can be seen of each step.

What a step leaves behind is taken as digests of the very bytes: nothing is allocated where a budget is measured."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import hashlib
import json
import random
import warnings

import torch

import worktop
from models import KINDS, loss_of

STEPS = 7  # with batches that change; at least the last three of them must run under a promise
PROMISED = 3


@dataclasses.dataclass(frozen=True)
class Loop:
    """How the program is written."""
    optimizer: str = "adamw"  # or sgd
    loss: str = "inside"  # the model computes it; "outside" after it; "step": outside, within wt.step();
    # "step_all": backward too is within wt.step()
    micro_steps: int = 1
    zero: str = "after_step"  # or before_forward, after_forward
    set_to_none: bool = True
    keep_logits: bool = False  # the last step's outputs stay in a variable


@dataclasses.dataclass
class StepSeen:
    """What must be the same, bit by bit, with and without the executor."""
    losses: list[str] = dataclasses.field(default_factory=list)
    gradients: dict[str, str] = dataclasses.field(default_factory=dict)
    buffers: dict[str, str] = dataclasses.field(default_factory=dict)
    weights: dict[str, str] = dataclasses.field(default_factory=dict)
    random_state: str = ""


@dataclasses.dataclass
class Promise:
    """What the executor says of a step that is over."""
    promised: int | None
    measured: int | None
    unplanned: int  # since attach
    left_plan: str = ""


@dataclasses.dataclass
class Trace:
    steps: list[StepSeen] = dataclasses.field(default_factory=list)
    promises: list[Promise] = dataclasses.field(default_factory=list)
    warnings: list[str] = dataclasses.field(default_factory=list)

def digest(tensor: torch.Tensor | None) -> str:
    if tensor is None:
        return "none"
    tensor = tensor.detach()
    data = tensor if tensor.is_contiguous() else tensor.contiguous()
    about = f"{tensor.dtype}{tuple(tensor.shape)}"
    return about + hashlib.sha256(data.view(-1).view(torch.uint8).numpy()).hexdigest()[:24]


def digests(named) -> dict[str, str]:
    return {name: digest(tensor) for name, tensor in named}


def optimizer_of(name: str, model):
    if name == "sgd":
        return torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return torch.optim.AdamW(model.parameters(), lr=1e-3)


def _promise_of(wt) -> Promise:
    measured = wt.measured_peak_bytes
    left = "; ".join(step.record.left_plan for step in wt._last_step if step.record.left_plan)
    return Promise(wt.promised_peak_bytes, measured, wt.unplanned, left)


class Run:
    """One training run. `wt` None: plain."""

    def __init__(self, model, loop: Loop, wt=None):
        self.model, self.loop, self.wt = model, loop, wt
        self.optimizer = optimizer_of(loop.optimizer, model)
        self.kept = None
        self.trace = Trace()

    def step(self, batches) -> StepSeen:
        """One step of `loop.micro_steps` batches."""
        seen = StepSeen()
        if self.loop.zero == "before_forward":
            self.optimizer.zero_grad(set_to_none=self.loop.set_to_none)
        for number, batch in enumerate(batches):
            self._micro_step(batch, number, seen)
        seen.gradients = digests((name, p.grad) for name, p in self.model.named_parameters())
        self.optimizer.step()
        if self.loop.zero == "after_step":
            self.optimizer.zero_grad(set_to_none=self.loop.set_to_none)
        seen.buffers = digests(self.model.named_buffers())
        seen.weights = digests(self.model.named_parameters())
        seen.random_state = digest(torch.get_rng_state())
        self.trace.steps.append(seen)
        return seen

    def _micro_step(self, batch, number, seen):
        loop = self.loop
        covered = self.wt.step() if self.wt is not None and loop.loss.startswith("step") else contextlib.nullcontext()
        with covered:
            if loop.loss == "inside":
                loss, logits = self.model(**batch.inputs, labels=batch.labels)
            else:
                logits = self.model(**batch.inputs)
                self._last_step_is_over(number)
                loss = loss_of(logits, batch.labels)
            if loop.loss == "step_all":
                self._backward(loss, number)
        if loop.loss != "step_all":
            self._backward(loss, number)
        self._last_step_is_over(number)
        seen.losses.append(digest(loss))
        if loop.keep_logits:
            self.kept = logits

    def _backward(self, loss, number):
        if self.loop.zero == "after_forward" and number == 0:
            self.optimizer.zero_grad(set_to_none=self.loop.set_to_none)
        (loss / self.loop.micro_steps if self.loop.micro_steps > 1 else loss).backward()

    def _last_step_is_over(self, number):
        """The forward of a step ends the step before it."""
        if self.wt is not None and number == 0 and len(self.trace.promises) < len(self.trace.steps):
            self.trace.promises.append(_promise_of(self.wt))

    def end(self) -> Trace:
        if self.wt is not None:
            self.wt.detach()
            self.trace.promises.append(_promise_of(self.wt))
        return self.trace


def train(kind: str, loop: Loop = Loop(), *, steps: int = STEPS, plain: bool = False, ask=None, **attach) -> Trace:
    """`ask(wt)` is called at the end."""
    gc.collect()  # what other tests left behind would count as this program's
    model = KINDS[kind].model()
    batches = KINDS[kind].batches(steps * loop.micro_steps)
    attach.setdefault("effort", "normal")  # whatever plan it is, what it promises has to hold
    wt = None if plain else worktop.attach(model, **attach)
    run = Run(model, loop, wt)
    torch.manual_seed(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for i in range(steps):
                run.step(batches[i * loop.micro_steps:(i + 1) * loop.micro_steps])
            if ask:
                ask(wt)
        finally:
            trace = run.end()
    trace.warnings = [str(w.message) for w in caught if "worktop" in str(w.message)]
    return trace


@functools.lru_cache(maxsize=None)
def plain(kind: str, loop: Loop = Loop(), steps: int = STEPS) -> Trace:
    return train(kind, loop, steps=steps, plain=True)


@functools.lru_cache(maxsize=None)
def scale(kind: str, loop: Loop = Loop(), disk: str | None = None) -> tuple[int, int, tuple[str, ...]]:
    """Least feasible and keep-all peak in bytes, and the names of the activations that a plan decides about."""
    found = []

    def ask(wt):
        names = json.loads(wt.profile.policy_json(wt.profile.lower("recompute_all")))["rules"]
        found.extend([wt.least_feasible_bytes, wt.keep_all_peak_bytes, tuple(rule["value"] for rule in names)])

    train(kind, loop, steps=5, policy="keep_all", disk=disk, ask=ask)
    return tuple(found)


def budgets(kind: str, count: int, loop: Loop = Loop(), disk: str | None = None) -> list[int]:
    """From the least feasible peak to that of keep-all."""
    least, most, _ = scale(kind, loop, disk)
    return [least + (most - least) * i // (count - 1) for i in range(count)]


def random_policy(kind: str, seed: int, loop: Loop = Loop(), disk: bool = True) -> str:
    """A policy file's text: a fate for each activation, drawn."""
    _, _, names = scale(kind, loop)
    draw = random.Random(f"{kind} {seed}")
    fates = ["keep", "recompute", "offload_disk"] if disk else ["keep", "recompute"]
    rules = [{"value": name, "fate": draw.choice(fates)} for name in names]
    return json.dumps({"format": "worktop-policy", "version": 1, "name": f"random {seed}", "rules": rules,
                       "replay": draw.choice(["hold", "redo"])})


# --- judgements


def differences(expected: Trace, got: Trace) -> list[str]:
    found = []
    for number, (a, b) in enumerate(zip(expected.steps, got.steps, strict=True)):
        if a.losses != b.losses:
            found.append(f"step {number}: loss")
        if a.random_state != b.random_state:
            found.append(f"step {number}: random state")
        for what in ("gradients", "buffers", "weights"):
            left, right = getattr(a, what), getattr(b, what)
            wrong = [name for name in left.keys() | right.keys() if left.get(name) != right.get(name)]
            if wrong:
                found.append(f"step {number}: {len(wrong)} {what}, such as {sorted(wrong)[0]}")
    return found


def broken_promises(trace: Trace, budget: int | None = None) -> list[str]:
    """Every deviation from: the last three steps are promised, promised is measured to the byte, nothing is beside the
    plan, and the budget holds in every step that has a promise."""
    found = [f"warning: {text}" for text in trace.warnings]
    for number, promise in enumerate(trace.promises):
        due = number >= len(trace.promises) - PROMISED
        where = f"step {number}"
        if promise.left_plan:
            found.append(f"{where}: left its plan: {promise.left_plan}")
        if promise.promised is None:
            if due:
                found.append(f"{where}: no promise yet")
            continue
        if promise.promised != promise.measured:
            found.append(f"{where}: promised {promise.promised}, measured {promise.measured} "
                         f"({promise.measured - promise.promised:+d})")
        if budget is not None and promise.measured > budget:
            found.append(f"{where}: measured {promise.measured} is over the budget of {budget}")
        before = trace.promises[number - 1].unplanned if number else 0
        if promise.unplanned != before:
            found.append(f"{where}: {promise.unplanned - before} values were brought back beside the plan")
    return found


def check(kind: str, loop: Loop = Loop(), *, budget: int | None = None, steps: int = STEPS, **attach) -> Trace:
    """Attached and plain from the same state: identical in every step, and the promise kept in the last three."""
    expected = plain(kind, loop, steps)
    got = train(kind, loop, steps=steps, budget=budget, **attach)
    troubles = differences(expected, got) + broken_promises(got, budget)
    assert not troubles, "\n".join([f"{kind}, {loop}, budget {budget}, {attach}"] + troubles)
    return got
