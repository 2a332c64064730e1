"""worktop profile: the step graph of a script with its durations, or this machine's rates, as a file."""
from __future__ import annotations

import json
import os
from typing import Any

from . import _core, _executor
from ._console import Parser, add_memory, add_script, fail, fail_with, note, write_whole
from ._sizes import parse_tier
from .run import Run, refusal

_SCRIPT = "worktop profile"
_MACHINE = "worktop profile machine"

_HELP = """\
The script runs until its steps have been captured, timed and promised (a few
steps); then the file is written and the script is stopped, unless --go-on. What
the file is for:
  worktop plan profile.json --machine FILE --budget 6GiB
  worktop frontier profile.json --machine FILE
'worktop profile machine' measures this machine; its --help says more."""


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["machine"]:
        return _machine(arguments[1:])
    parser = Parser(prog=_SCRIPT, usage=f"{_SCRIPT} [options] SCRIPT [ARGS...]\n       {_MACHINE} [options]",
                    epilog=_HELP, description="Writes the step graph of a script with its durations.")
    parser.add_argument("--out", metavar="FILE", default="profile.json", help="[profile.json]")
    parser.add_argument("--go-on", action="store_true", help="let the script run to its end")
    add_memory(parser)
    add_script(parser)
    options = parser.parse_args(arguments)
    if refused := refusal(options, _SCRIPT):
        return refused
    if unwritable := _unwritable(options.out, _SCRIPT):
        return unwritable
    options.policy, options.effort, options.seed, options.strict, options.report = None, "quick", 0, False, None
    return Profiling(options, _SCRIPT).go()


def _unwritable(path: str, where: str) -> int | None:
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(folder) and os.access(folder, os.W_OK):
        return None
    return fail("environment", f"'{path}' can't be written: its folder is not there, or not for you", where=f"{where} --out")


class Enough(SystemExit):
    """Ends the script: what was wanted of it is there. Not an error, and not to be caught as one."""


class Profiling(Run):
    """A run that ends with the profile."""
    _hook: Any = None
    _written = False

    def go(self) -> int:
        try:
            code = super().go()
        except SystemExit as end:
            if not self._wants_more():
                raise
            code = end.code
        if code or not self._wants_more():
            return code
        try:
            self._write()  # the script ended before the promise was made
        except RuntimeError as error:
            return fail("input", f"there is nothing to write: {error}", where=self._where,
                        hint="profile a script that trains a model for five steps or more")
        note("the script ended before its steps had been timed twice alike: the durations are first estimates")
        return 0

    def _wants_more(self) -> bool:
        return not self._written and not self._told

    def _attach(self, module):
        attached = super()._attach(module)
        if self._hook is not None:
            self._hook.remove()
        self._hook = module.register_forward_pre_hook(self._forward_begins)  # behind those of the executor
        return attached

    def _forward_begins(self, _module, _args):
        if self._written or self.attached is None or self.attached.promised_step_ns is None:
            return
        self._write()
        if not self._options.go_on:
            raise Enough(0)

    def _write(self) -> None:
        if self.attached is None:
            raise RuntimeError(self._why_nothing())
        self.attached.save_profile(self._options.out)
        self._written = True
        note(f"the step graph is in {self._options.out}")

    def _at_exit(self) -> None:
        pass


# --- the machine

_MACHINE_HELP = """\
The file is for --machine of all commands and for attach(machine=...). Let the
machine do nothing else meanwhile; it takes some 20 seconds."""


def _machine(arguments: list[str]) -> int:
    parser = Parser(prog=_MACHINE, usage=f"{_MACHINE} [options]", epilog=_MACHINE_HELP,
                    description="Measures this machine: matrix products, elementwise ops and memory, and a disk.")
    parser.add_argument("--out", metavar="FILE", default="machine.json", help="[machine.json]")
    parser.add_argument("--disk", metavar="DIR[:SIZE]", help="measure the way to the disk under this folder too; SIZE "
                        "becomes its budget")
    options = parser.parse_args(arguments)
    if why := _executor.why_not():
        what, _, hint = why.partition("\n")
        return fail("environment", what, where=_MACHINE, hint=hint)
    if unwritable := _unwritable(options.out, _MACHINE):
        return unwritable
    try:
        directory, disk_bytes = parse_tier(options.disk) if options.disk else (None, None)
    except ValueError as error:
        return fail_with(error, where=f"{_MACHINE} --disk", hint="write a folder, or one with a size: /scratch:100GiB")
    _executor.load()
    from ._measure import measure
    try:
        found = measure(directory, lambda what: note(f"measuring: {what}"))
    except RuntimeError as error:
        return fail("environment", str(error), where=f"{_MACHINE} --disk")
    found.machine["disk_bytes"] = disk_bytes
    text = _core.machine_json(_core.read_machine(json.dumps(found.machine)))
    try:
        write_whole(options.out, text)
    except OSError as error:
        return fail("environment", f"'{options.out}' can't be written: {error.strerror}", where=_MACHINE)
    print(_table(found))
    note(f"the machine is in {options.out}")
    return 0


def _table(found) -> str:
    widths = [max(len(row[column]) for row in found.rows) for column in range(2)]
    lines = [f"{found.machine['title']}: {found.machine['usable_bytes'] / 2**30:.1f} GiB, {found.machine['source']}", ""]
    lines += [f"  {what:{widths[0]}}  {value:>{widths[1]}}  {noise:>6}" for what, value, noise in found.rows]
    lines += ["", "The noise is half of what the middle half of the repeats lay apart."]
    lines += [f"note: {text}" for text in found.notes]
    return "\n".join(lines)
