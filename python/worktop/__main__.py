"""python3 -m worktop COMMAND: the commands that run in PyTorch. Each is the function main of the module of its name."""
import argparse
import importlib.util
import sys

COMMANDS = {
    "run": "train a script inside a budget, without a change to it",
    "profile": "write the step graph of a script, or measure this machine",
    "check": "compare planned steps with plain ones, bit by bit",
}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="worktop", epilog="\n".join(f"  {name:8} {what}" for name, what in COMMANDS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=COMMANDS)
    command = parser.parse_args(arguments[:1]).command
    if importlib.util.find_spec(f"worktop.{command}") is None:
        print(f"error: worktop {command} is not there yet", file=sys.stderr)
        return 5
    return importlib.import_module(f"worktop.{command}").main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
