"""python3 -m worktop COMMAND: the commands that run in PyTorch. Each is the function main of the module of its name."""
import argparse
import importlib
import importlib.util
import sys

from . import __version__
from ._console import Parser, fail

COMMANDS = {
    "run": "train a script inside a budget, without a change to it",
    "profile": "write the step graph of a script, or measure this machine",
    "check": "compare planned steps with plain ones, bit by bit",
}

_HELP = """\
commands:
{commands}

'worktop COMMAND --help' says more. Planning without PyTorch (plan, frontier,
explain and others) is in the program worktop.

Exit codes: 0 ok, 2 wrong usage or input, 3 nothing fits, 4 a failed check,
5 a file or tool that is missing; those of a script come through."""


def main(arguments: list[str]) -> int:
    commands = "\n".join(f"  {name:8} {what}" for name, what in COMMANDS.items())
    parser = Parser(prog="worktop", usage="python3 -m worktop COMMAND [options]", epilog=_HELP.format(commands=commands))
    parser.add_argument("--version", action="version", version=f"worktop {__version__}")
    parser.add_argument("command", metavar="COMMAND", help=argparse.SUPPRESS)
    command = parser.parse_args(arguments[:1]).command
    if command not in COMMANDS:
        return fail("usage", f"there is no command '{command}' in the Python package", where="python3 -m worktop",
                    hint=f"commands: {', '.join(COMMANDS)}; the others are in the program worktop")
    if importlib.util.find_spec(f"{__package__}.{command}") is None:
        return fail("environment", f"worktop {command} is not part of this build", where=f"worktop {command}")
    return importlib.import_module(f"{__package__}.{command}").main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
