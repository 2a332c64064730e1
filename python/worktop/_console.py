"""What the commands say: errors as the program `worktop` prints them, and notes, on stderr; and files."""
from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import textwrap

# By what went wrong; docs/command-line.md has the table.
EXIT_CODES = {"usage": 2, "input": 2, "infeasible": 3, "illegal": 4, "environment": 5}

_WIDTH = 100


def note(text: str) -> None:
    print(f"worktop: {text}", file=sys.stderr, flush=True)


def log_to_stderr() -> None:
    """What the executor logs, such as its plan in one line. The script's own logging is none of ours."""
    log = logging.getLogger("worktop")
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("worktop: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False


def fail(code: str, what: str, *, where: str = "", hint: str = "") -> int:
    """Prints an error and gives its exit code."""
    for label, text in (("error: ", what), ("  where: ", where), ("  hint:  ", hint)):
        if text:
            lines = textwrap.wrap(text, _WIDTH - len(label), break_long_words=False, break_on_hyphens=False)
            print(label + ("\n" + " " * len(label)).join(lines), file=sys.stderr)
    return EXIT_CODES[code]


def fail_with(error: ValueError, *, where: str, hint: str) -> int:
    """The same of an argument that makes no sense. `hint`: if the error has none."""
    return fail("usage", getattr(error, "what", str(error)), where=where, hint=getattr(error, "hint", "") or hint)


class Parser(argparse.ArgumentParser):
    """One whose errors look like all others."""

    def __init__(self, **options):
        super().__init__(formatter_class=_Help, allow_abbrev=False, **options)

    def error(self, message: str):
        message = message.replace("the following arguments are required: SCRIPT, ARGS", "there is no script")
        sys.exit(fail("usage", message, where=self.prog, hint=f"'{self.prog} --help' lists the options"))


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog):
        super().__init__(prog, max_help_position=26, width=80)


def add_script(parser: argparse.ArgumentParser) -> None:
    """The script and what follows it; options of the command stand before."""
    parser.add_argument("-m", "--module", action="store_true", help="SCRIPT is the name of a module, as in python -m")
    parser.add_argument("script", metavar="SCRIPT", help="a Python file, run as python would")
    parser.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="its own arguments")


def add_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", metavar="SIZE", help="all bytes that may be allocated on the device, such as 6GiB "
                        "or 80%% of it; without it: as fast as fits the device")
    parser.add_argument("--disk", metavar="DIR:SIZE", help="where activations may go, and how much of them")
    parser.add_argument("--machine", metavar="NAME|FILE", help="a machine file, instead of measuring the disk")


def write_whole(path: str, text: str) -> None:
    """The file appears whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, name = tempfile.mkstemp(dir=folder, prefix=".worktop-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
