"""The machine that a model on the CPU runs on: this process's memory, and a disk below it if one is given.

A machine file that is given, by argument or by the environment variable WORKTOP_MACHINE, goes before what is
measured here. Without one the links of the disk are measured when they are first wanted, in less than a second;
rates of compute are not needed, since the executor times the ops themselves.
"""
from __future__ import annotations

import json
import os
import time
from typing import Any

from . import _core

_MIB = 1 << 20
# Share by which compute slows down beside copies, as seen where all cores compute, and where one is free.
_SLOWDOWN_ALL_CORES, _SLOWDOWN_FREE_CORE = 0.08, 0.02
_SHARE_OF_FREE_DISK = 0.9  # where no size is given

_links: dict[str, list[dict]] = {}  # by directory, as long as the process lives


def this_machine(directory: str | None, disk_bytes: int | None, given: Any = None):
    """The machine, and for each of its links the number of its lower tier (1: host, 2: disk). ValueError: what was
    given is no machine."""
    machine = given_machine(given)
    about = json.loads(_core.machine_json(machine))
    if given is None and not os.environ.get("WORKTOP_MACHINE"):
        about["compute_slowdown"] = _slowdown()
    about["host_bytes"] = about["disk_bytes"] = None
    if directory is not None:
        about["disk_bytes"] = disk_bytes if disk_bytes is not None else _free_bytes(directory)
        if {("device", "disk"), ("disk", "device")} - {(link["from"], link["to"]) for link in about["links"]}:
            others = [link for link in about["links"] if "disk" not in (link["from"], link["to"])]
            about["links"] = others + measured_links(directory)
    tiers = {"host": 1, "disk": 2}
    lower = [max(tiers.get(link["from"], 0), tiers.get(link["to"], 0)) for link in about["links"]]
    return _core.read_machine(json.dumps(about)), lower


def given_machine(given: Any = None):
    """A worktop.Machine, or one by its name or file; without any, this machine without its disk."""
    given = given or os.environ.get("WORKTOP_MACHINE") or None
    if given is None:
        return _bare()
    if not isinstance(given, str):
        return given
    if os.path.sep not in given and not given.endswith(".json"):
        return _core.machine(given)
    with open(given, encoding="utf-8") as file:
        return _core.read_machine(file.read())


def usable_bytes() -> tuple[int, str]:
    """What this process can allocate, and who says so."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            limit = file.read().strip()
    except OSError:
        limit = "max"
    if limit.isdigit() and int(limit) < physical:
        return int(limit), "limit of the control group"
    return physical, "physical memory"


def _bare():
    usable, source = usable_bytes()
    # The rates are stand-ins, for graphs without durations.
    return _core.read_machine(json.dumps({
        "format": "worktop-machine", "version": 1, "name": "cpu", "title": "this machine", "kind": "cpu",
        "usable_bytes": usable, "usable_source": source, "memory_bandwidth_bytes_per_s": 1e10,
        "vector_flops_per_s": 5e9, "matmul": [{"dtype": "fp32", "peak_flops_per_s": 5e10, "source": "not measured"}],
        "source": "rates of compute are not measured"}))


def _slowdown() -> float:
    import torch
    all_cores = torch.get_num_threads() >= len(os.sched_getaffinity(0))
    return _SLOWDOWN_ALL_CORES if all_cores else _SLOWDOWN_FREE_CORE


def _free_bytes(directory: str) -> int:
    disk = os.statvfs(directory)
    return int(disk.f_bavail * disk.f_frsize * _SHARE_OF_FREE_DISK)


def measured_links(directory: str) -> list[dict]:
    """The links of the disk, as a machine file has them. RuntimeError: it cannot be written."""
    known = os.path.realpath(directory)
    if known not in _links:
        from . import _torch
        began = time.perf_counter()
        speed = _torch.measure_disk(directory, bytes=8 * _MIB, value=_MIB)
        if time.perf_counter() - began < 0.1:
            speed = _torch.measure_disk(directory, bytes=64 * _MIB, value=4 * _MIB)
        _links[known] = as_links(speed, "measured when attached")
    return _links[known]


def as_links(speed: dict, source: str) -> list[dict]:
    return [{"from": "device", "to": "disk", "source": source, **speed["out"]},
            {"from": "disk", "to": "device", "source": source, **speed["in"]}]
