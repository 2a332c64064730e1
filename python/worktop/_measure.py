"""How fast is this machine? Rates of compute by type, memory, and the disk's links, as a machine file.

A rate is what the best repeats reached (peak), and how far below it the median stood (efficiency); the noise is how
far the middle half of the repeats lay apart. Copies go through the executor's own store.
"""
from __future__ import annotations

import dataclasses
import os
import re
import threading
import time
from typing import Any, Callable

import torch

from . import _torch
from ._machine import as_links, usable_bytes

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
_MIB = 1 << 20
_SECONDS = 0.5  # for each rate
_LINK_BYTES, _LINK_VALUE = 128 * _MIB, 8 * _MIB
_LINK_SECONDS = 4.0
_BESIDE_SECONDS = 0.4
_LARGEST_SIDE = 4096


@dataclasses.dataclass
class Rate:
    """Units of work a second."""
    best: float
    median: float
    noise: float  # as a share of the median
    repeats: int

    @classmethod
    def of(cls, rates: list[float]) -> "Rate":
        rates = sorted(rates)
        n = len(rates)
        median = (rates[(n - 1) // 2] + rates[n // 2]) / 2
        return cls(rates[-1], median, (rates[(3 * n) // 4 if n > 1 else 0] - rates[n // 4]) / median, n)

    @property
    def efficiency(self) -> float:
        return self.median / self.best


@dataclasses.dataclass
class Measured:
    machine: dict  # as the file has it
    rows: list[tuple[str, str, str]]  # what, how much, noise
    notes: list[str]


def measure(directory: str | None, tell: Callable[[str], None]) -> Measured:
    measuring = _Measuring(tell)
    measuring.look_around()
    with torch.no_grad():
        measuring.compute()
        if directory is not None:
            measuring.disk(directory)
    measuring.machine["notes"] = "; ".join(measuring.notes)
    return Measured(measuring.machine, measuring.rows, measuring.notes)


def _timed(work: Callable[[], Any], units: float, seconds: float = _SECONDS) -> Rate:
    """At least five repeats, and as many as fit the seconds; the first one is not counted."""
    work()
    rates: list[float] = []
    end = time.perf_counter() + seconds
    while len(rates) < 5 or time.perf_counter() < end:
        began = time.perf_counter_ns()
        work()
        rates.append(units * 1e9 / (time.perf_counter_ns() - began))
    return Rate.of(rates)


def _matmul(dtype: torch.dtype) -> tuple[Rate, int]:
    """Of a square as large as takes some 20 ms, and its side."""
    n = 256
    while True:
        a, b = (torch.full((n, n), 0.5, dtype=dtype) for _ in range(2))
        out = torch.empty(n, n, dtype=dtype)

        def work():
            torch.mm(a, b, out=out)
        if n >= _LARGEST_SIDE or min(_seconds(work) for _ in range(4)) > 0.02:  # the least: others may be at work too
            return _timed(work, 2.0 * n**3), n
        n *= 2


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _elementwise(dtype: torch.dtype) -> Rate:
    """Flops of a multiply and add on what stays in the caches."""
    n = 1 << 17
    x, a, b = (torch.full((n,), value, dtype=dtype) for value in (0.5, 1e-3, 1e-3))
    return _timed(lambda: x.addcmul_(a, b), 2.0 * n, _SECONDS / 2)


def _memory() -> Rate:
    """Bytes read and written by a sum of two large tensors."""
    a, b, c = (torch.full((16 * _MIB,), 0.5) for _ in range(3))
    return _timed(lambda: torch.add(a, b, out=c), 3.0 * a.nbytes)


def _small_ops() -> Rate:
    x, times = torch.zeros(1), 100

    def work():
        for _ in range(times):
            x.add_(1.0)
    return _timed(work, times, _SECONDS / 2)


def _attention() -> Rate:
    batch, heads, length, width = 1, 8, 1024, 64
    q, k, v = (torch.full((batch, heads, length, width), 0.5) for _ in range(3))
    flops = 4.0 * batch * heads * length * length * width
    return _timed(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v), flops, _SECONDS / 2)


class _Measuring:
    def __init__(self, tell: Callable[[str], None]):
        self._tell = tell
        title = _processor()
        threads = torch.get_num_threads()
        usable, source = usable_bytes()
        self.notes: list[str] = []
        self.rows: list[tuple[str, str, str]] = []
        self.machine: dict = {
            "format": "worktop-machine", "version": 1, "name": _slug(title), "title": title, "kind": "cpu",
            "usable_bytes": usable, "usable_source": source, "matmul": [], "links": [],
            "source": f"measured with torch {torch.__version__} on {threads} thread{'s' if threads > 1 else ''}"}

    def look_around(self) -> None:
        load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
        if load > cores / 4:
            self.notes.append(f"the machine was busy (load {load:.1f} on {cores} cores): measure again when it is idle")

    def _row(self, what: str, rate: Rate, unit: str, scale: float) -> None:
        self.rows.append((what, f"{rate.median / scale:.4g} {unit}", f"±{50 * rate.noise:.0f} %"))

    def compute(self) -> None:
        for name, dtype in DTYPES.items():
            self._tell(f"matrix products in {name}")
            try:
                rate, side = _matmul(dtype)
            except RuntimeError as error:
                self.notes.append(f"no {name}: {str(error).splitlines()[0]}")
                continue
            self._row(f"matmul {name}", rate, "GFLOP/s", 1e9)
            self.machine["matmul"].append({"dtype": name, "peak_flops_per_s": rate.best, "efficiency": rate.efficiency,
                                           "measured": True, "source": f"{side} x {side}, {rate.repeats} repeats"})
        self._tell("elementwise ops")
        for name, dtype in DTYPES.items():
            rate = _elementwise(dtype)
            self._row(f"elementwise {name}", rate, "GFLOP/s", 1e9)
            if name == "fp32":
                self.machine["vector_flops_per_s"] = rate.median
        self._tell("attention, memory, small ops")
        rate = _attention()
        self._row("attention fp32", rate, "GFLOP/s", 1e9)
        matmul = self.machine["matmul"][0]
        self.machine["attention_efficiency"] = min(1.0, rate.median / (matmul["peak_flops_per_s"] * matmul["efficiency"]))
        rate = _memory()
        self._row("memory", rate, "GB/s", 1e9)
        self.machine["memory_bandwidth_bytes_per_s"] = rate.best
        self.machine["memory_efficiency"] = rate.efficiency
        rate = _small_ops()
        self.machine["launch_ns"] = int(1e9 / rate.median)
        self.rows.append(("smallest op", f"{1e6 / rate.median:.3g} us", f"±{50 * rate.noise:.0f} %"))

    def disk(self, directory: str) -> None:
        self._tell(f"disk of {directory}")
        speeds = self._speeds(directory)
        middle = sorted(speeds, key=lambda s: s["out"]["bandwidth_bytes_per_s"] + s["in"]["bandwidth_bytes_per_s"])
        self.machine["links"] = as_links(middle[len(middle) // 2], f"measured in {directory}")
        for way, arrow in (("out", "to disk"), ("in", "from disk")):
            for key, when in (("bandwidth_bytes_per_s", ""), ("both_ways_bytes_per_s", ", both ways")):
                self._row(arrow + when, Rate.of([s[way][key] for s in speeds]), "GB/s", 1e9)
            latencies = [s[way]["latency_ns"] for s in speeds]
            median = sorted(latencies)[len(latencies) // 2]
            self.rows.append((f"{arrow}, latency", f"{median / 1e3:.0f} us",
                              f"±{50 * (max(latencies) - min(latencies)) / max(median, 1):.0f} %"))
        if not speeds[0]["direct_io"] or speeds[0]["note"]:
            self.notes.append(f"disk: {speeds[0]['note']}")
        self._tell("compute beside copies")
        self._beside(directory)

    def _speeds(self, directory: str) -> list[dict]:
        _torch.measure_disk(directory, bytes=_LINK_BYTES // 4, value=_LINK_VALUE)
        speeds: list[dict] = []
        end = time.perf_counter() + _LINK_SECONDS
        while len(speeds) < 3 or (len(speeds) < 9 and time.perf_counter() < end):
            speeds.append(_torch.measure_disk(directory, bytes=_LINK_BYTES, value=_LINK_VALUE))
            if time.perf_counter() > end + _LINK_SECONDS:
                break
        return speeds

    def _beside(self, directory: str) -> None:
        """Matrix products alone and while the disk is busy, in turns."""
        a, b, out = (torch.full((512, 512), 0.5) for _ in range(3))
        alone, beside, links = [], [], []
        for _ in range(3):
            alone.append(_products_per_s(a, b, out, lambda began: time.perf_counter() - began < _BESIDE_SECONDS))
            copying = threading.Thread(
                target=lambda: links.append(_torch.measure_disk(directory, bytes=_LINK_BYTES, value=_LINK_VALUE)))
            copying.start()
            beside.append(_products_per_s(a, b, out, lambda _: copying.is_alive()))
            copying.join()
        before, during = Rate.of(alone), Rate.of(beside)
        slowdown = min(0.95, max(0.0, 1 - during.median / before.median))
        self.machine["compute_slowdown"] = round(slowdown, 3)
        spread = (max(alone) - min(alone)) / before.median
        self.rows.append(("compute beside copies", f"{100 * slowdown:.1f} % slower", f"±{50 * spread:.0f} %"))
        for way, arrow in (("out", "to disk"), ("in", "from disk")):
            self._row(f"{arrow}, beside compute", Rate.of([s[way]["bandwidth_bytes_per_s"] for s in links]), "GB/s", 1e9)


def _products_per_s(a, b, out, go_on: Callable[[float], bool]) -> float:
    began, count = time.perf_counter(), 0
    while count == 0 or go_on(began):
        torch.mm(a, b, out=out)
        count += 1
    return count / (time.perf_counter() - began)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else "this machine"


def _slug(title: str) -> str:
    return "cpu-" + (re.sub(r"[^a-z0-9.]+", "-", title.lower()).strip("-") or "machine")
