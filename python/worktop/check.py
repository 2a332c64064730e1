"""Are planned steps the same as plain ones, bit for bit, and is the promise kept? With stock settings beside it.

    wt.check(batch)                                # what `attach` gave
    worktop check --budget 2GiB train.py ARGS...   # the step of a script

Planned, plain and stock steps run in turn from one state: parameters, buffers, gradients, random states; all are as they
were afterwards, and no optimizer steps. The plain step needs its keep-all memory, of course.
"""
from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import statistics
import sys
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import torch

from . import _script, _torch
from ._console import EXIT_CODES, Parser, add_memory, add_script, fail
from ._core import Graph
from ._modules import storages_bytes
from ._rounds import Kind, Measured, Rounds, extra_ns
from ._seen_step import Enough, SeeingStep, SeenStep
from ._stock import settings_for
from .attach import Attached, BudgetError, attach
from .run import refusal

PEAK_TOLERANCE = 0.001
MOST_STEPS_TO_PROMISE = 12
# What runs forward and loss of one step, and answers what backward begins with and the gradients it begins with.
Forward = Callable[[torch.nn.Module], tuple[list[torch.Tensor], list[torch.Tensor | None]]]


@dataclasses.dataclass
class Row:
    name: str
    peak_bytes: int
    step_ns: int | None
    extra_ns: int | None  # over the plain step of the same round, the median
    extra_low_ns: int | None = None  # the 5th and 95th of a hundred
    extra_high_ns: int | None = None
    moved_bytes: int | None = None  # to lower tiers and back
    differs: list[str] | None = None  # from the plain step; None: not compared
    remark: str = ""


@dataclasses.dataclass
class Checked:
    """What a check has found."""
    model: str
    budget_bytes: int | None
    pairs: int
    threads: int
    rows: list[Row]
    trouble: list[str]  # why it failed; empty: it did not

    @property
    def ok(self) -> bool:
        return not self.trouble

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)

    def json(self) -> str:
        return json.dumps({"ok": self.ok, **dataclasses.asdict(self)}, indent=1)

    def text(self) -> str:
        """A table of at most 80 columns."""
        budget = "no budget" if self.budget_bytes is None else f"budget {_bytes(self.budget_bytes)}"
        lines = [f"{self.model}: {'the same' if self.ok else 'NOT as promised'}; {budget}, "
                 f"{self.pairs} rounds, {self.threads} {'thread' if self.threads == 1 else 'threads'}",
                 f"{'':24}{'peak':>11}{'step':>10}{'over plain':>19}{'moved':>8}  bits"]
        lines += [_line(row, self.row("plain")) for row in self.rows]
        lines += _wrapped("! ", self.trouble)
        lines += _wrapped("- ", [f"{row.name}: {row.remark}" for row in self.rows if row.remark])
        return "\n".join(lines)

    __str__ = text


def _wrapped(mark: str, texts: list[str]) -> list[str]:
    return [line for text in texts
            for line in textwrap.wrap(text, 80, initial_indent=mark, subsequent_indent="  ")]


def _bytes(count: int) -> str:
    unit, name = (2**30, "GiB") if count >= 10 * 2**30 else (2**20, "MiB")
    return f"{count / unit:.1f} {name}"


def _ms(ns: int, sign: str = "") -> str:
    return f"{ns / 1e6:{sign}.{1 if abs(ns) < 1e9 else 0}f} ms"


def _line(row: Row, plain: Row) -> str:
    step = "-" if row.step_ns is None else _ms(row.step_ns)
    extra = ""
    if row.extra_ns is not None:
        extra = f"{_ms(row.extra_ns, '+')} {100 * row.extra_ns / plain.step_ns:+6.1f} %"
    moved = "" if row.moved_bytes is None else f"{row.moved_bytes / 2**20:.0f} MiB"
    bits = "" if row.differs is None else "DIFFER" if row.differs else "same"
    return f"{row.name:24}{_bytes(row.peak_bytes):>11}{step:>10}{extra:>19}{moved:>8}  {bits}".rstrip()


# --- one check

def check(attached: Attached, batch: Any, *, pairs: int = 7, stock: bool = True) -> Checked:
    """Compares planned steps with plain ones. The plan is made for the step that is checked, with what `attach`
    was asked for.

    batch: the model's arguments (a mapping: by name; a tuple or list: in order; a tensor), whose answer has a loss;
        or a function that is given the model and answers the loss.
    pairs: rounds of timed steps; each kind of step runs once a round.
    stock: PyTorch's own settings are measured too.
    Raises ValueError for a batch that gives no loss, RuntimeError where no promise can be made."""
    return check_forward(attached, forward_of(batch), pairs=pairs, stock=stock)


def forward_of(batch: Any) -> Forward:
    if callable(batch):
        return lambda model: ([_loss_in(batch(model))], [None])
    if isinstance(batch, Mapping):
        return lambda model: ([_loss_in(model(**batch))], [None])
    given = tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)
    return lambda model: ([_loss_in(model(*given))], [None])


def _loss_in(answer: Any) -> torch.Tensor:
    found = answer
    if isinstance(answer, Mapping):
        found = answer.get("loss", answer)
    elif not isinstance(answer, torch.Tensor) and getattr(answer, "loss", None) is not None:
        found = answer.loss
    elif isinstance(answer, (tuple, list)) and answer:
        found = answer[0]
    if isinstance(found, torch.Tensor) and found.numel() == 1 and found.requires_grad:
        return found
    raise ValueError("the model's answer has no loss (a tensor with one element, or .loss, or the first item); "
                     "give a function instead: wt.check(lambda model: loss_of(model(x), y))")


def check_forward(attached: Attached, forward: Forward, *, pairs: int, stock: bool = True) -> Checked:
    model = attached._model
    if attached._asked is None:
        raise RuntimeError("WORKTOP_OFF is set: no step is planned, so there is nothing to check")
    if not model.training:
        raise ValueError("the model is in eval mode, where no step is planned; call model.train() first")
    with attached.paused():
        planned = Attached(model, **attached._asked, strict=False)
        planned._optimizers = dict(attached._optimizers)
        try:
            return _check(model, planned, forward, pairs, stock)
        finally:
            planned.detach()


def _check(model, planned: Attached, forward: Forward, pairs: int, stock: bool) -> Checked:
    budget = planned._wish.budget_bytes
    plain = Kind("plain", lambda: _step(model, forward, contextlib.nullcontext), planned.paused)
    again = dataclasses.replace(plain, name="plain, once more")
    ours = Planned(model, planned, forward)
    others = [Kind(s.name, plain.run, _both(planned.paused, s, model)) for s in settings_for(model)] if stock else []
    with Rounds(model, [plain, ours.kind, again, *others]) as rounds:
        ours.until_promised(rounds)
        rounds.warm_up()
        for number in range(pairs):
            rounds.round(number)
    seen, foreign = rounds.measured, planned._foreign
    rows = [_promised(ours, seen["plain"]),
            _row(seen["measured"], seen["plain"], "measured", foreign, moved=ours.moved_bytes)]
    rows += [_row(seen[kind.name], seen["plain"], kind.name, foreign) for kind in [plain, again, *others]]
    for row, setting in zip(rows[4:], settings_for(model)):
        row.remark = setting.remark
    return Checked(type(model).__name__, budget, pairs, torch.get_num_threads(), rows,
                   _trouble(rows, budget, ours))


def _both(paused, setting, model):
    @contextlib.contextmanager
    def around():
        with paused(), setting.applied(model):
            yield
    return around


def _step(model, forward: Forward, covering) -> torch.Tensor | None:
    with covering():
        roots, gradients = forward(model)
    torch.autograd.backward(roots, gradients)
    return torch.cat([root.detach().reshape(-1) for root in roots]) if len(roots) > 1 else roots[0].detach()


class Planned:
    """The planned step, as a kind of step."""

    def __init__(self, model, attached: Attached, forward: Forward):
        self._attached = attached
        self.promised = False
        self.kind = Kind("measured", lambda: self._run(model, forward), after=self._after)
        self._moved = [0]  # to lower tiers and back, until the end of each step
        self.strayed = ""  # why a step since the promise was not the planned one

    def _run(self, model, forward):
        loss = _step(model, forward, self._attached.step)
        self._attached._end_step()
        return loss

    def _after(self):
        record = self._attached._last_step[-1].record
        if self.promised and record.unplanned:
            self.strayed = f"{record.unplanned} values were brought back beside the plan"
        if self.promised and record.left_plan:
            self.strayed = record.left_plan
        links = [link for link in self._attached._executor.store_stats.values() if isinstance(link, dict)]
        self._moved.append(sum(link["bytes"] for link in links))

    def until_promised(self, rounds: Rounds) -> None:
        """Captures and measures until the plan is made; its promise is then what is checked."""
        for _ in range(MOST_STEPS_TO_PROMISE):
            rounds.run(self.kind)
            if self._course.stage == "promised":
                self.promised = True
                return
        raise RuntimeError(f"no promise came of {MOST_STEPS_TO_PROMISE} steps: their programs differ from step to "
                           "step, so there is nothing to check")

    @property
    def _course(self):
        return self._attached._course

    @property
    def promise(self):
        return self._course.simulated

    @property
    def moved_bytes(self) -> int:
        """By the last step."""
        return self._moved[-1] - self._moved[-2]

    @property
    def promised_moved_bytes(self) -> int:
        graph = Graph.from_capsule(self._course.profiled.graph)
        return sum(graph.value_bytes(copy[0]) for copy in self.promise.copies)


def _promised(ours: Planned, plain: Measured) -> Row:
    promise = ours.promise
    return Row("promised", promise.peak_bytes, promise.step_ns, promise.step_ns - plain.median_ns,
               moved_bytes=ours.promised_moved_bytes)


def _row(seen: Measured, plain: Measured, name: str, foreign: int, moved: int | None = None) -> Row:
    row = Row(name, seen.peak_bytes + foreign, seen.median_ns, None, moved_bytes=moved)
    if seen is plain:
        return row
    extra = sorted(extra_ns(seen, plain))
    row.extra_ns = int(statistics.median(extra))
    row.extra_low_ns, row.extra_high_ns = extra[len(extra) // 20], extra[-1 - len(extra) // 20]
    row.differs = seen.differs
    return row


def _trouble(rows: list[Row], budget: int | None, ours: Planned) -> list[str]:
    by_name = {row.name: row for row in rows}
    promised, measured, again = by_name["promised"], by_name["measured"], by_name["plain, once more"]
    trouble = []
    if again.differs:
        trouble.append(f"two plain steps differ already ({_few(again.differs)}): the program itself does not do the "
                       "same twice from the same state")
    if measured.differs:
        trouble.append(f"planned and plain step differ: {_few(measured.differs)}")
    off = measured.peak_bytes - promised.peak_bytes
    if abs(off) > PEAK_TOLERANCE * promised.peak_bytes:
        trouble.append(f"the peak was promised as {promised.peak_bytes} bytes and is {measured.peak_bytes} ({off:+})")
    if budget is not None and measured.peak_bytes > budget:
        trouble.append(f"the peak of {measured.peak_bytes} bytes is above the budget of {budget}")
    if ours.strayed:
        trouble.append(f"a step left its plan: {ours.strayed}")
    return trouble


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


# --- of a script

_EXAMPLES = """\
examples:
  worktop check --budget 6GiB train.py --epochs 3
  worktop check --budget 2GB --pairs 15 --json -m mypackage.train

The script runs until its second step is known, and ends there. Then that step
runs again, planned, plain, and with PyTorch's own settings: the same forward,
and backward from its outputs. What the script computes between these and the
loss is not part of it. Exit code 4: something differs, or the promise is missed."""


def main(arguments: list[str]) -> int:
    parser = Parser(prog="worktop check", usage="worktop check [options] SCRIPT [ARGS...]", epilog=_EXAMPLES,
                    description="Compares planned steps of a script with plain ones, bit by bit, and measures "
                    "PyTorch's own settings beside them.")
    add_memory(parser)
    parser.add_argument("--policy", metavar="P", help="a strategy such as checkpoint_every(1), or a policy file, "
                        "instead of a plan")
    parser.add_argument("--effort", choices=["quick", "normal", "deep"], default="deep",
                        help="of the search for the plan that is promised [deep]")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the search [0]")
    parser.add_argument("--pairs", type=int, default=7, metavar="N", help="rounds of timed steps [7]")
    parser.add_argument("--after", type=int, default=1, metavar="N", help="optimizer steps before [1]")
    parser.add_argument("--no-stock", action="store_true", help="leave PyTorch's own settings out")
    parser.add_argument("--json", action="store_true", help="the answer as JSON")
    add_script(parser)
    options = parser.parse_args(arguments)
    if refused := refusal(options, "worktop check"):
        return refused
    if options.pairs < 1:
        return fail("usage", f"--pairs {options.pairs}: at least one is needed", where="worktop check")
    seeing = SeeingStep(options.after)
    try:
        code = _run_script(options, seeing)
    except _script.NotFound as error:
        return fail("environment", str(error), where="worktop check", hint="name a Python file, or a module with -m")
    if code:
        return code
    if seeing.step is None:
        return fail("input", "the script has ended without a training step: no module in training mode ran forward "
                    "and backward", where="worktop check")
    return _answer(options, seeing.step)


def _run_script(options, seeing: SeeingStep) -> int:
    os.environ["WORKTOP_OFF"] = "1"  # what the script attaches by itself would be in the way
    seeing.start()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # only the answer goes to stdout
            return _script.run(options.script, options.arguments, module=options.module,
                               passes=lambda error: isinstance(error, Enough))
    except Enough:
        return 0
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        return 0
    finally:
        seeing.stop()
        del os.environ["WORKTOP_OFF"]


def _answer(options, step: SeenStep) -> int:
    try:
        attached = attach(step.model, options.budget, disk=options.disk, machine=options.machine, policy=options.policy,
                          effort=options.effort, seed=options.seed)
    except (NotImplementedError, ValueError) as error:
        return fail("input", f"{type(step.model).__name__}, which the script trains, can't be attached: {error}",
                    where="worktop check")
    try:
        checked = check_forward(attached, step.forward, pairs=options.pairs, stock=not options.no_stock)
    except BudgetError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_CODES["infeasible"]
    except RuntimeError as error:
        return fail("input", str(error), where="worktop check")
    finally:
        attached.detach()
    print(checked.json() if options.json else checked.text())
    return 0 if checked.ok else EXIT_CODES["illegal"]
