"""Sizes as people write them: "6GiB", "6GB", "4096B", "80%", a number of bytes."""
from __future__ import annotations

import re

_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
          "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def parse_size(text: str) -> int:
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([a-zA-Z]+)\s*", text)
    if not found or found[2] not in _UNITS:
        raise ValueError(f"'{text}' is not a size: write one such as 6GiB, 6GB or 4096B")
    return int(float(found[1]) * _UNITS[found[2]])


def parse_budget(budget: str | int | None, machine) -> int | None:
    if budget is None:
        return None
    if isinstance(budget, str) and budget.strip().endswith("%"):
        share = float(budget.strip()[:-1])
        if not 0 < share <= 100:
            raise ValueError(f"'{budget}' is not a share of the device: write one such as 80%")
        return int(machine.usable_bytes * share / 100)
    bytes_ = parse_size(budget) if isinstance(budget, str) else int(budget)
    if bytes_ <= 0:
        raise ValueError("budget must be more than nothing")
    return bytes_


def parse_tier(text: str) -> tuple[str, int | None]:
    """A directory, and a size behind the last colon: "/scratch:100GiB"."""
    directory, colon, size = text.rpartition(":")
    if not colon:
        return text, None
    return directory, parse_size(size)
