"""Trains a byte-level GPT on this repository's own text: plain, then inside three budgets, with a disk to
offload to. Prints promised beside measured, and leaves plans, traces and the table in demo/.

    make demo
"""
from __future__ import annotations

import argparse
import gc
import pathlib
import statistics
import sys
import time

import torch
from train_gpt import GPT, batches, train

import worktop
from worktop import _torch
from worktop._core import write_plan
from worktop._stock import settings_for
from worktop.report import percent, size

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = ("*.md", "docs/*.md", "src/*/*.h", "src/*/*.cc")
STOCK_STEPS = 4


def main() -> None:
    options = arguments()
    out = pathlib.Path(options.out)
    out.mkdir(exist_ok=True)
    text = b"".join(path.read_bytes() for pattern in TEXT for path in sorted(ROOT.glob(pattern)))
    _torch.install_meter()
    table = Table()
    print(f"A GPT of {options.layers} layers x {options.width} on {len(text)} bytes of this repository, "
          f"{options.steps} steps of {options.batch} x {options.context} bytes.\n", flush=True)
    plain = Run(options, text)
    plain.go(options.steps)
    table.add("plain", None, None, plain.peak, plain.step_ns, plain)
    plain.free()
    least = None
    for share in (0.70, 0.45, None):
        budget = int(plain.peak * share) if share else int(least * 1.10)
        name = f"{share:.0%} of plain" if share else "least + 10 %"
        run = Run(options, text)
        wt = worktop.attach(run.model, budget=budget, disk=f"{out}:4GiB")
        run.go(options.steps, wt)
        least = least or wt.least_feasible_bytes
        table.add(name, wt.promised_peak_bytes, wt.promised_step_ns, run.peak, run.step_ns, plain)
        same = "identical to the plain run's" if run.losses == plain.losses else "NOT those of the plain run"
        print(f"\n{name}: budget {size(budget)}; all {options.steps} losses are {same}\n{wt.report()}\n", flush=True)
        write(out, name, wt)
        wt.detach()
        run.free()
        if run.losses != plain.losses or run.peak > budget:
            sys.exit("demo: the run inside the budget was not the plain run, or left its budget")
    for setting in settings_for(Run(options, text).model):
        run = Run(options, text)
        with setting.applied(run.model):
            run.go(STOCK_STEPS)
        table.add(setting.name, None, None, run.peak, run.step_ns, plain)
        run.free()
    print(table.text())
    (out / "table.txt").write_text(table.text() + "\n")
    print(f"\nWritten to {out}/: table.txt, and for each budget a plan (worktop explain) and a trace for\n"
          "https://ui.perfetto.dev")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--out", default="demo")
    return parser.parse_args()


class Run:
    """One training from the same start: losses, the highest peak from the fifth step on, the median step."""

    WARM_UP = 5  # capture and measuring; the plain run skips as many

    def __init__(self, options, text: bytes):
        torch.manual_seed(0)
        self.model = GPT(options.layers, options.width, context=options.context, dropout=options.dropout)
        self.pairs = batches(text, options.batch, options.context)
        self.weights = sum(p.untyped_storage().nbytes() for p in self.model.parameters() if not _torch.is_metered(p))
        self.losses: list[float] = []
        self.peak = 0
        self.step_ns = 0.0

    def go(self, steps: int, attached=None) -> None:
        warm_up = min(self.WARM_UP, steps - 1) if attached or steps > self.WARM_UP else 1
        before = _torch.live_bytes() - sum(p.untyped_storage().nbytes() for p in self.model.parameters()
                                           if _torch.is_metered(p))
        times: list[int] = []
        began = time.perf_counter_ns()

        def after(step: int, loss: float) -> None:
            nonlocal began
            if step >= warm_up:
                times.append(time.perf_counter_ns() - began)
                self.peak = max(self.peak, attached.measured_peak_bytes if attached else
                                _torch.peak_bytes() + self.weights - before)
            progress(f"step {step + 1} of {steps}, loss {loss:.3f}")
            _torch.reset_peak() if attached is None else None
            began = time.perf_counter_ns()

        self.losses = train(self.model, self.pairs, steps, after)
        self.step_ns = statistics.median(times)
        progress("")

    def free(self) -> None:
        """Only the numbers stay: the next run's peak is to be its own."""
        self.model = self.pairs = None
        gc.collect()


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:60}", end="" if text else "\r", file=sys.stderr, flush=True)


def write(out: pathlib.Path, name: str, wt) -> None:
    stem = "".join(c if c.isalnum() else "-" for c in name).strip("-")
    subject = wt.profile
    (out / f"{stem}.plan.json").write_text(
        write_plan(wt.plan, subject.graph, subject.machine, subject.durations_ns))
    (out / f"{stem}.trace.json").write_text(subject.simulate(wt.plan).trace_json())


class Table:
    """Promised, measured, plain and stock, at 80 columns."""

    def __init__(self):
        self._rows = [f"{'':26}{'peak':>22}{'step':>22}{'':>10}",
                      f"{'':26}{'promised':>11}{'measured':>11}{'promised':>11}{'measured':>11}{'plain':>10}"]

    def add(self, name, promised_peak, promised_ns, peak, step_ns, plain) -> None:
        ms = lambda ns: "-" if ns is None else f"{ns / 1e6:.0f} ms"  # noqa: E731
        self._rows.append(f"{name[:26]:26}{size(promised_peak):>11}{size(peak):>11}{ms(promised_ns):>11}"
                          f"{ms(step_ns):>11}{percent(step_ns, plain.step_ns):>10}")

    def text(self) -> str:
        return "\n".join(self._rows)


if __name__ == "__main__":
    main()
