"""What does recording cost when nothing is dropped?

A GPT-2 of tiny tensors and many layers, so that a step is nothing but calls: its time with the recorder over its time
without, by recorded op; with autograd's hooks besides, by pack (and its unpack); and what an empty TorchDispatchMode
costs in the same run. Times are the thread's CPU time, the runs alternate, medians of differences. Then the share of a
real step, from these numbers.

    PYTHONPATH=build/release/python python3 bench/torch/recording.py [--rounds 41] [--share]
"""
import argparse
import contextlib
import statistics
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from worktop import _executor
from models import Gpt2, MODELS

_torch = _executor.load()


class Empty(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls = getattr(self, "calls", 0) + 1
        return func(*args, **(kwargs or {}))


class Way:
    """One way to run a step; what it adds is counted from `plain`."""

    def __init__(self, name, around):
        self.name, self.around = name, around
        self.forward_ns, self.step_ns = [], []

    def run(self, model, batch):
        model.zero_grad()
        began = time.thread_time_ns()
        with self.around():
            loss = model(*batch)
        between = time.thread_time_ns()
        loss.backward()
        ended = time.thread_time_ns()
        self.forward_ns.append(between - began)
        self.step_ns.append(ended - began)

    def over(self, plain, which):
        return statistics.median(a - b for a, b in zip(getattr(self, which), getattr(plain, which)))


def measure(model, batch, rounds):
    executor = _torch.Executor()
    lasting = [*model.parameters(), *model.buffers(), *batch]
    records, mode = [], Empty()

    @contextlib.contextmanager
    def recorder(hooks):
        executor.begin("keep", None, lasting, False)
        try:
            with torch.autograd.graph.saved_tensors_hooks(_torch.pack, _torch.unpack) if hooks \
                    else contextlib.nullcontext():
                yield
        finally:
            executor.end_forward()

    ways = [Way("plain", contextlib.nullcontext), Way("recorder", lambda: recorder(False)),
            Way("recorder and hooks", lambda: recorder(True)), Way("empty dispatch mode", lambda: mode),
            Way("plain, once more", contextlib.nullcontext)]
    executor.begin("keep", None, lasting, True)  # logged once, for the counts
    with torch.autograd.graph.saved_tensors_hooks(_torch.pack, _torch.unpack):
        loss = model(*batch)
    executor.end_forward()
    loss.backward()
    record = executor.finish()
    for number in range(rounds + 3):
        if number == 3:
            for way in ways:
                way.forward_ns.clear(), way.step_ns.clear()
            mode.calls = 0
        for way in ways[number % len(ways):] + ways[:number % len(ways)]:
            way.run(model, batch)
            if executor.running:
                records.append(executor.finish())
    return ways, len(record.ops), record.packs, mode.calls / rounds


def report(name, model, batch, rounds):
    ways, ops, packs, calls = measure(model, batch, rounds)
    plain, recorder, hooks, mode, again = ways
    recording, packing = recorder.over(plain, "forward_ns"), hooks.over(recorder, "step_ns")
    print(f"{name}: {ops} recorded ops, {packs} packs; a plain step takes "
          f"{statistics.median(plain.step_ns) / 1e6:.2f} ms ({again.over(plain, 'step_ns') / 1e3:+.0f} us when run "
          f"once more)")
    print(f"  recorder              {recording / ops / 1e3:6.2f} us per recorded op")
    print(f"  hooks                 {packing / packs / 1e3:6.2f} us per pack, with its unpack")
    print(f"  both, whole step      {hooks.over(plain, 'step_ns') / ops / 1e3:6.2f} us per recorded op")
    print(f"  empty dispatch mode   {mode.over(plain, 'forward_ns') / calls / 1e3:6.2f} us per call, {calls:.0f} calls, "
          f"{mode.over(plain, 'forward_ns') / ops / 1e3:.2f} us per recorded op")
    return hooks.over(plain, "step_ns") / ops


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--share", action="store_true", help="measure the share of real steps, too (minutes)")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    _torch.install_meter()
    torch.manual_seed(0)
    for dropout in (0.0, 0.1):
        tiny = Gpt2(layers=32, width=16, heads=2, vocabulary=32, length=8, dropout=dropout)
        batch = torch.randint(0, 32, (1, 8)), torch.randint(0, 32, (1, 8))
        ns_per_op = report(f"tiny GPT-2 of 32 layers, dropout {dropout}", tiny, batch, asked.rounds)
    for name in MODELS if asked.share else []:
        model, batch = MODELS[name]()
        ways, ops, _, _ = measure(model, batch, 3)
        step = statistics.median(ways[0].step_ns)
        print(f"{name}: {ops} recorded ops in a step of {step / 1e6:.0f} ms of CPU time: "
              f"{100 * ops * ns_per_op / step:.3f} % at {ns_per_op / 1e3:.2f} us per op; measured "
              f"{100 * ways[2].over(ways[0], 'step_ns') / step:+.2f} % (plain once more "
              f"{100 * ways[4].over(ways[0], 'step_ns') / step:+.2f} %)")


if __name__ == "__main__":
    main()
