"""Is a plan faster than PyTorch's own settings at the same memory?

For each model and each stock setting (checkpoint per block, per second block, a selective list) a plan is made whose
budget is that setting's measured peak. All run in turn from the same state, with identical plain runs beside them;
what counts is the time over the plain step of the same round. Wanted: at most 0.9 of the stock setting's in every case,
and at most half in six of nine.

    PYTHONPATH=build/release/python python3 bench/torch/stock.py [--rounds 15] [--models resnet] [--disk DIRECTORY]
"""
import argparse
import contextlib
import gc
import random
import statistics
import time

import torch

import worktop
from models import MODELS
from worktop import _torch
from worktop._modules import storages_bytes
from worktop._rounds import Kind, Rounds, extra_ns
from worktop._stock import settings_for
from worktop.attach import Attached, BudgetError
from worktop.check import Planned, _step, forward_of

CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}


class Case:
    """One model, its stock settings, and a plan at the budget of each."""

    def __init__(self, name, asked, disk):
        self.name, self.asked = name, asked
        self.model, batch = MODELS[name]()
        self.forward = forward_of(batch)
        self.settings = [s for s in settings_for(self.model) if s.name != "save_on_cpu"]
        self.attached = []
        self.disk = disk
        self.plain = Kind("plain", self._plain, self._none)
        self.again = Kind("plain, once more", self._plain, self._none)
        self.stock = [Kind(s.name, self._plain, lambda s=s: self._stock(s)) for s in self.settings]
        self.ours = []

    def _plain(self):
        return _step(self.model, self.forward, contextlib.nullcontext)

    @contextlib.contextmanager
    def _none(self, but=None):
        with contextlib.ExitStack() as paused:
            for attached in self.attached:
                if attached is not but:
                    paused.enter_context(attached.paused())
            yield

    @contextlib.contextmanager
    def _stock(self, setting):
        with self._none(), setting.applied(self.model):
            yield

    def plan(self):
        """Measures the settings' peaks, and makes the plans."""
        foreign = storages_bytes([*self.model.parameters(), *self.model.buffers()])[1]
        with Rounds(self.model, [self.plain]) as rounds:
            budgets = [rounds.run(kind) + foreign for kind in self.stock]
            for kind, budget in zip(self.stock, budgets):
                attached = Attached(self.model, budget, disk=self.disk, machine=None, policy=None,
                                    effort=self.asked.effort, seed=0, strict=False)
                self.attached.append(attached)
                ours = Planned(self.model, attached, self.forward)
                ours.kind.name = f"plan at that of {kind.name}"
                ours.kind.around = lambda a=attached: self._none(but=a)
                ours.budget = budget
                try:
                    ours.until_promised(rounds)
                except BudgetError as error:
                    print(f"{self.name}, {kind.name}: {str(error).splitlines()[0]}")
                    ours = None
                    attached.detach()
                    _torch.install_meter()
                    self.attached.remove(attached)
                self.ours.append(ours)

    def run(self):
        kinds = [self.plain, *self.stock, *(o.kind for o in self.ours if o), self.again]
        with Rounds(self.model, kinds, CLOCKS[self.asked.clock]) as rounds:
            rounds.warm_up()
            for number in range(self.asked.rounds):
                rounds.round(number)
        return rounds.measured

    def close(self):
        for attached in self.attached:
            attached.detach()
        _torch.install_meter()


def interval(stock, ours):
    """5th and 95th of a hundred of the ratio of medians, over resampled rounds."""
    draw = random.Random(0)
    ratios = []
    for _ in range(1000):
        rounds = [draw.randrange(len(stock)) for _ in stock]
        below = statistics.median(stock[i] for i in rounds)
        ratios.append(statistics.median(ours[i] for i in rounds) / below if below > 0 else float("inf"))
    ratios.sort()
    return ratios[50], ratios[949]


def report(case, seen):
    plain = seen["plain"]
    again = statistics.median(extra_ns(seen["plain, once more"], plain))
    print(f"\n{case.name}: plain {plain.median_ns / 1e6:.0f} ms, {plain.peak_bytes / 1e6:.1f} MB; identical runs "
          f"{again / 1e6:+.1f} ms")
    print(f"{'':24}{'peak MB':>9}{'stock':>8}{'promised':>9}{'measured':>9}{'ratio':>7}  5-95 %      moved")
    ratios = []
    for kind, ours in zip(case.stock, case.ours):
        stock = extra_ns(seen[kind.name], plain)
        text = f"{kind.name:24}{seen[kind.name].peak_bytes / 1e6:9.1f}{statistics.median(stock) / 1e6:8.0f}"
        if ours is None:
            print(text + "  no plan fits")
            ratios.append(float("inf"))
            continue
        mine = seen[ours.kind.name]
        extra = extra_ns(mine, plain)
        low, high = interval(stock, extra)
        ratio = statistics.median(extra) / statistics.median(stock)
        ratios.append(ratio)
        keep_all = ours._course.answer.keep_all_step_ns
        promised = ours.promise.step_ns - keep_all
        print(f"{text}{promised / 1e6:9.0f}{statistics.median(extra) / 1e6:9.0f}{ratio:7.2f}  {low:4.2f}-{high:4.2f}"
              f"{ours.moved_bytes / 1e6:9.0f} MB")
        off = mine.peak_bytes - ours.promise.peak_bytes + ours._attached._foreign
        for line in ([f"measured {off:+} bytes off the promise"] if off else []) + \
                ([f"DIFFERS: {mine.differs[:3]}"] if mine.differs else []):
            print(f"    {line}")
    return ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--disk", help="a second table, with this directory as a lower tier")
    parser.add_argument("--effort", default="deep", help="of the search: seconds a plan [deep]")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", 
                        help="cpu: on a machine that others use, without a disk")
    parser.add_argument("--no-reuse-too", action="store_true", help="once more without re-using freed pages")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    _torch.install_meter()
    print(f"Plans of effort {asked.effort}; {asked.rounds} rounds, one thread, {asked.clock} time. Medians of ms over the "
          "plain step of the same round; ratio: measured / stock.")
    for disk in [None, asked.disk] if asked.disk else [None]:
        all_ratios = {True: [], False: []}
        for name in asked.models:
            case = Case(name, asked, disk)
            case.plan()
            for reuse in [True, False] if asked.no_reuse_too else [True]:
                _torch.set_page_reuse(reuse)
                print(f"\n--- {'disk allowed' if disk else 'no lower tier'}, freed pages "
                      f"{'re-used' if reuse else 'given back to the system'}", end="")
                all_ratios[reuse] += report(case, case.run())
                print(flush=True, end="")
            _torch.set_page_reuse(True)
            case.close()
            del case  # its memory would stand in the next one's
            gc.collect()
        for reuse, ratios in all_ratios.items():
            if ratios:
                print(f"\n{'disk' if disk else 'no lower tier'}, pages {'re-used' if reuse else 'given back'}: "
                      f"{sum(r <= 0.9 for r in ratios)} of {len(ratios)} at most 0.9, "
                      f"{sum(r <= 0.5 for r in ratios)} at most 0.5")


if __name__ == "__main__":
    main()
