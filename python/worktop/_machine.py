"""The machine that a model on the CPU runs on: this process's memory, and a disk below it if one is given."""
from __future__ import annotations

import os

from . import _core


def this_machine(directory: str | None, disk_bytes: int | None):
    """The machine, and for each of its links the number of its lower tier (2: the disk)."""
    usable = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    machine = _core.cpu_machine(
        "cpu", usable_bytes=usable, disk_bytes=disk_bytes if directory else None, out_bytes_per_s=1.5e9,
        in_bytes_per_s=1.0e9, both_out_bytes_per_s=0.9e9, both_in_bytes_per_s=0.6e9, latency_ns=200_000,
        compute_slowdown=0.05, matmul_flops_per_s=5e10, vector_flops_per_s=5e9, memory_bandwidth_bytes_per_s=1e10)
    return machine, [2, 2]
