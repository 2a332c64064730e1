"""What arguments say of memory: "6GiB", "80%", "/scratch:100GiB". InputError where they make no sense."""
from __future__ import annotations

from ._core import parse_bytes
from ._errors import InputError


def parse_budget(budget: str | int | None, machine) -> int | None:
    if budget is None:
        return None
    bytes_ = parse_bytes(budget, machine.usable_bytes) if isinstance(budget, str) else int(budget)
    if bytes_ <= 0:
        raise InputError("usage", "a budget must be more than nothing", "budget", "give one such as 6GiB or 80%")
    return bytes_


def parse_tier(text: str) -> tuple[str, int | None]:
    """A directory, and a size behind the last colon: "/scratch:100GiB"."""
    directory, colon, size = text.rpartition(":")
    if not colon:
        return text, None
    return directory, parse_bytes(size)
