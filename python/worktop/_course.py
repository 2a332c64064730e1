"""How one kind of micro-step comes to its plan.

A kind is what decides the program: shapes and types of the inputs, and whether gradients are there at the
start. Its first micro-step is captured: a training step whose activations are copied away as they are packed.
The next ones run a first plan and are logged, until two in a row saw the same program and bytes; from those
comes the graph, and the promise. A micro-step that leaves its plan is captured anew.
"""
from __future__ import annotations

import dataclasses
import statistics
from typing import Any

from . import _core, _torch
from ._errors import Error
from .report import size

WARM_STEPS = 2  # the same program and bytes so often in a row: durations are the medians of those
MOST_WARM_STEPS = 8  # then the promise is made from what there is


@dataclasses.dataclass
class Wish:
    """What the user asked for."""
    budget_bytes: int | None = None  # None: as fast as fits
    policy: str | None = None
    effort: str = "deep"  # of the plan that is promised
    seed: int = 0


@dataclasses.dataclass
class Surroundings:
    """What stands in memory besides activations, and on what machine."""
    machine: Any
    lower_tiers: list[int]  # by link of the machine
    modules: list[str]
    blocks: list[str]
    name: str
    tokens: int = 0
    foreign: int = 0
    weights: int = 0
    gradients: int = 0
    optimizer_states: int = 0


class Course:
    """The stages of one kind of micro-step: capture, warm, promised."""

    def __init__(self, wish: Wish):
        self._wish = wish
        self.stage = "capture"
        self._capture: Any = None
        self._warm = 0  # micro-steps since the capture
        self._alike: list = []  # the profiles of the last warm ones that saw the same program and bytes
        self.profiled: Any = None
        self.subject: Any = None
        self.answer: Any = None
        self.plan: Any = None
        self.program: Any = None
        self.simulated: Any = None
        self.unseen_bytes = 0  # packed, though nobody saw who wrote it: kept
        self.without_backward = 0  # forwards in a row that no backward followed

    @property
    def logged(self) -> bool:
        return self.stage != "promised"

    @property
    def promised(self):
        """What is promised of the micro-step that begins now, or None."""
        return self.simulated if self.stage == "promised" else None

    @property
    def mode(self) -> str:
        return "capture" if self.stage == "capture" else "planned"

    def seen(self, record, surroundings: Surroundings) -> None:
        """A micro-step of this kind is over."""
        self.unseen_bytes = record.unseen_bytes
        self.without_backward = 0 if record.unpacks else self.without_backward + 1
        if self.stage == "capture":
            if not record.nodes:
                return  # no backward came: nothing is known yet
            self._capture = record
            self._warm = 0
            self._alike = []
            self._use(self._profile(record, surroundings), surroundings)
            self.stage = "warm"
        elif record.left_plan:
            self.stage = "capture"
        elif self.stage == "warm" and record.nodes:  # else another forward began before the backward
            try:
                profiled = self._profile(record, surroundings)
            except _torch.ProgramChanged:  # another backward: one of the two was cut short, or went elsewhere
                self.stage = "capture"
            else:
                self._warmed(profiled, surroundings)

    def _profile(self, record, around: Surroundings):
        return _torch.profile(self._capture, record, foreign=around.foreign, weights=around.weights,
                              gradients=around.gradients, optimizer_states=around.optimizer_states,
                              modules=around.modules, blocks=around.blocks, name=around.name, tokens=around.tokens)

    def _warmed(self, profiled, around: Surroundings) -> None:
        self._warm += 1
        graph_hash = _core.Graph.from_capsule(profiled.graph).hash
        if self._alike and _core.Graph.from_capsule(self._alike[-1].graph).hash != graph_hash:
            self._alike = []  # the optimizer's states, say, are there only from now on
        self._alike.append(profiled)
        if len(self._alike) < WARM_STEPS and self._warm < MOST_WARM_STEPS:
            if len(self._alike) == 1:
                self._use(profiled, around)
            return
        durations = [int(statistics.median(of_op)) for of_op in zip(*(p.durations_ns for p in self._alike))]
        self._use(profiled, around, durations)
        self.stage = "promised"

    def _use(self, profiled, around: Surroundings, durations=None) -> None:
        final = durations is not None
        self.profiled = profiled
        graph = _core.Graph.from_capsule(profiled.graph)
        self.subject = _core.Subject(graph, list(durations or profiled.durations_ns), around.machine)
        effort = self._wish.effort if final or self._wish.effort == "quick" else "normal"
        self.answer = self.subject.plan(self._wish.budget_bytes, effort=effort, seed=self._wish.seed)
        self.plan = self._chosen(final)
        self.simulated = self.subject.simulate(self.plan)
        self.program = _torch.Program(profiled, self.plan.capsule(), around.lower_tiers)

    def _chosen(self, final: bool):
        if self._wish.policy is not None:
            return self.subject.lower(self._wish.policy)
        if self.answer.plan is not None:
            return self.answer.plan
        if final:
            raise BudgetError(self.answer)
        return self.answer.leanest_plan  # the first plan is an estimate: the final one decides


class BudgetError(Error):
    """The budget is below what any plan that was found needs. `answer` has the numbers."""

    __module__ = "worktop"

    def __init__(self, answer):
        super().__init__("infeasible", f"no plan fits the budget of {size(answer.budget_bytes)}: the least found needs "
                         f"{size(answer.least_feasible_bytes)} ({answer.least_feasible_bytes} bytes)")
        self.args = (f"{self.what}\n{answer.text()}",)
        self.answer = answer
