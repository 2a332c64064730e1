"""worktop run: trains a script inside a budget, without a change to it.

The executor is attached to the module that the script trains (_watch.py says to which). A loss that the script
computes outside of that module is not planned: its values are kept, and counted.
"""
from __future__ import annotations

import atexit
import os
import sys
from typing import Any

from . import _executor, _script
from ._console import EXIT_CODES, Parser, add_memory, add_script, fail, fail_with, log_to_stderr, note
from ._machine import given_machine
from ._sizes import parse_budget, parse_tier
from ._watch import CannotAttach, Watch, when_imported

_EXAMPLES = """\
examples:
  worktop run --budget 6GiB train.py --epochs 3
  worktop run --budget 80% --disk /scratch:100GiB -m mypackage.train

At the end the report goes to stderr. The exit code is the script's; 3: no plan
fits the budget."""


def main(arguments: list[str]) -> int:
    parser = Parser(prog="worktop run", usage="worktop run [options] SCRIPT [ARGS...]", epilog=_EXAMPLES,
                    description="Trains a script inside a budget, without a change to it.")
    add_memory(parser)
    parser.add_argument("--policy", metavar="P", help="a strategy such as checkpoint_every(1), or a policy file, "
                        "instead of a plan")
    parser.add_argument("--effort", choices=["quick", "normal", "deep"], default="deep",
                        help="of the search for the plan that is promised [deep]")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the search [0]")
    parser.add_argument("--strict", action="store_true", help="a step that leaves its plan is an error")
    parser.add_argument("--report", metavar="FILE", help="write the report there too")
    add_script(parser)
    options = parser.parse_args(arguments)
    if refused := refusal(options, "worktop run"):
        return refused
    return Run(options).go()


def refusal(options, where: str) -> int | None:
    """The exit code, if it is known before the script begins that it cannot be run."""
    if why := _executor.why_not():
        what, _, hint = why.partition("\n")
        return fail("environment", what, where=where, hint=hint)
    try:
        machine = given_machine(options.machine)
        parse_budget(options.budget, machine)
        directory = parse_tier(options.disk)[0] if options.disk else None
    except ValueError as error:
        return fail_with(error, where=where, hint=f"'{where} --help' lists the options")
    except OSError as error:
        return fail("environment", f"the machine can't be read: {error}", where=where)
    if directory is not None and not os.path.isdir(directory):
        return fail("environment", f"there is no folder '{directory}'", where=f"{where} --disk", hint="make it, or name another")
    return None


class Run:
    """One run of a script with the executor attached; also what `worktop profile` runs it with."""

    def __init__(self, options: Any, where: str = "worktop run"):
        self._options, self._where = options, where
        self._process = os.getpid()
        self._watch: Watch | None = None
        self._told = False  # why there is nothing to report

    @property
    def attached(self):
        return self._watch.attached if self._watch else None

    def go(self) -> int:
        atexit.register(self._at_exit)
        when_imported("torch", self._torch_is_there)
        try:
            return _script.run(self._options.script, self._options.arguments, module=self._options.module,
                               passes=self._is_ours)
        except _script.NotFound as error:
            self._told = True
            return fail("environment", str(error), where=self._where, hint="name a Python file, or a module with -m")
        except CannotAttach as error:
            self._told = True
            return fail("input", str(error), where=self._where)
        except RuntimeError as error:  # no plan fits
            self._told = True
            print(f"error: {error}", file=sys.stderr)
            return EXIT_CODES["infeasible"]

    def _is_ours(self, error: BaseException) -> bool:
        courses = sys.modules.get(f"{__package__}._course")
        return isinstance(error, CannotAttach) or courses is not None and isinstance(error, courses.BudgetError)

    def _torch_is_there(self) -> None:
        _executor.load().install_meter()
        log_to_stderr()
        self._watch = Watch(self._attach, note)
        self._watch.start()

    def _attach(self, module):
        from .attach import attach
        given = self._options
        return attach(module, given.budget, disk=given.disk, machine=given.machine, policy=given.policy,
                      effort=given.effort, seed=given.seed, strict=given.strict)

    # --- the end

    def _at_exit(self) -> None:
        if self._told or os.getpid() != self._process:  # a fork of the script ends here too
            return
        try:
            text = self._report()
            if self._watch is not None:
                self._watch.stop()
        except Exception as error:  # the script's exit code stands
            note(f"the report can't be made: {type(error).__name__}: {error}")
            return
        print(text, file=sys.stderr, flush=True)
        if path := self._options.report:
            try:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text + "\n")
            except OSError as error:
                note(f"the report can't be written to {path}: {error.strerror}")

    def _report(self) -> str:
        attached = self.attached
        if attached is None:
            return f"worktop: {self._why_nothing()}; the script ran as ever"
        text = None if attached.plan is None else attached.report()
        attached.detach()
        return text or ("worktop: no backward came through the attached module: nothing was planned, and the script "
                        "ran as ever")

    def _why_nothing(self) -> str:
        if self._watch is None:
            return "the script did not import torch"
        if self._watch.evaluated:
            return ("no module was trained: forwards ran in evaluation mode or without gradients only, so nothing was "
                    "planned")
        return "no module was trained: none with parameters was called, so nothing was planned"

