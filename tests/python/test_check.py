"""A check finds what is the same, what differs and what misses its promise, and leaves everything as it was."""
import json
import os
import random
import subprocess
import sys
import textwrap

import numpy
import pytest
import torch
from torch import nn

import worktop
from worktop import _executor

if _executor.why_not():
    pytest.skip("no executor", allow_module_level=True)

from worktop import _torch
from worktop._rounds import Kind, Rounds, State, differences

torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.norm, self.into, self.out = nn.BatchNorm1d(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.out(torch.tanh(self.into(self.norm(x)))))


class Net(nn.Module):
    def __init__(self, blocks=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x, scale=1.0):
        for block in self.blocks:
            x = block(x)
        return x.square().mean() * scale


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net(), torch.randn(256, 64)


def everything(model):
    tensors = [*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters() if p.grad is not None)]
    return [t.detach().clone() for t in tensors] + [torch.get_rng_state()]


def budget_between(model, x, share):
    """So far between the floor and keep-all of this net, with its weights (small here)."""
    _torch.install_meter()
    before = _torch.live_bytes()
    _torch.reset_peak()
    model(x).backward()
    peak = _torch.peak_bytes()
    model.zero_grad()
    _torch.uninstall_meter()
    return int(before + share * (peak - before)) + sum(p.nbytes for p in model.parameters())


@pytest.mark.parametrize("batch", ["tensor", "tuple", "mapping", "function"])
def test_planned_and_plain_steps_are_the_same(net, batch):
    model, x = net
    wt = worktop.attach(model, budget_between(model, x, 0.8))
    given = {"tensor": x, "tuple": (x, 2.0), "mapping": {"x": x}, "function": lambda m: m(x) * 3}[batch]
    checked = wt.check(given, pairs=2)
    wt.detach()
    assert checked.ok, checked.text()
    assert checked.row("measured").differs == []
    assert abs(checked.row("measured").peak_bytes - checked.row("promised").peak_bytes) <= \
        checked.row("promised").peak_bytes // 1000
    assert checked.row("measured").peak_bytes < checked.row("plain").peak_bytes
    assert checked.row("checkpoint, every block").peak_bytes < checked.row("plain").peak_bytes
    assert checked.row("save_on_cpu").remark
    assert max(map(len, checked.text().split("\n"))) <= 80
    assert json.loads(checked.json())["rows"][0]["name"] == "promised"


def test_batch_norm_under_checkpointing_shows(net):
    model, x = net
    wt = worktop.attach(model)
    checked = wt.check(x, pairs=1)
    wt.detach()
    # A replayed forward updates the running statistics a second time: stock settings differ, ours does not.
    assert any("running_mean" in name for name in checked.row("checkpoint, every block").differs)
    assert checked.ok


def test_everything_is_as_it_was(net):
    model, x = net
    model(x).backward()  # gradients are there
    grads = [p.grad for p in model.parameters()]
    random.seed(5), numpy.random.seed(6)
    python_state, numpy_state = random.getstate(), numpy.random.get_state()[1].copy()
    before = everything(model)
    wt = worktop.attach(model)
    wt.check(x, pairs=1)
    wt.detach()
    assert all(torch.equal(a, b) for a, b in zip(before, everything(model), strict=True))
    assert all(a is b.grad for a, b in zip(grads, model.parameters()))
    assert random.getstate() == python_state and (numpy.random.get_state()[1] == numpy_state).all()
    assert not _torch.meter_installed()


def test_training_goes_on_after_a_check(net):
    model, x = net
    optimizer = torch.optim.AdamW(model.parameters())
    wt = worktop.attach(model)
    def steps(n):
        for _ in range(n):
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
    steps(4)
    promised = wt.promised_peak_bytes
    checked = wt.check(x, pairs=1, stock=False)
    assert checked.ok, checked.text()
    steps(2)
    assert wt.promised_peak_bytes == promised and wt.unplanned == 0
    wt.detach()


def test_a_step_that_differs_is_found(net):
    model, x = net
    calls = iter(range(1000))
    wt = worktop.attach(model)
    checked = wt.check(lambda m: m(x) * (1 + next(calls)), pairs=1, stock=False)
    wt.detach()
    assert not checked.ok and "loss" in checked.row("measured").differs
    assert any("two plain steps differ" in line for line in checked.trouble)


def test_what_cannot_be_checked_says_why(net):
    model, x = net
    wt = worktop.attach(model)
    with pytest.raises(ValueError, match="has no loss"):
        wt.check(lambda m: m.blocks[0](x))
    model.eval()
    with pytest.raises(ValueError, match="model.train"):
        wt.check(x)
    wt.detach()


def test_differences_are_named():
    a = {"x": numpy.array([1], numpy.uint8), "y": None, "z": None}
    assert differences(a, {"x": numpy.array([1], numpy.uint8), "y": None, "z": None}) == []
    assert differences(a, {"x": numpy.array([2], numpy.uint8), "y": a["x"]}) == ["x", "y"]


def test_rounds_turn_and_start_from_one_state():
    model = nn.BatchNorm1d(4)
    x = torch.randn(8, 4)
    order, means = [], []
    def kind(name):
        def run():
            order.append(name)
            means.append(model.running_mean.clone())
            model(x).square().sum().backward()
        return Kind(name, run)
    with Rounds(model, [kind("a"), kind("b")]) as rounds:
        rounds.warm_up()
        rounds.round(0)
        rounds.round(1)
    assert order == ["a", "b", "a", "b", "b", "a"]
    assert all(torch.equal(m, torch.zeros(4)) for m in means)
    assert len(rounds.measured["a"].times_ns) == 2 and rounds.measured["b"].differs == []
    assert model.weight.grad is None and int(model.num_batches_tracked) == 0


def test_gradients_that_were_there_take_no_memory_meanwhile():
    _torch.install_meter()
    model = nn.Linear(1000, 1000)
    mine = model.weight.grad = torch.arange(1e6).reshape(1000, 1000)
    before = _torch.live_bytes()
    state = State(model)
    assert _torch.live_bytes() == before - 4_000_000 and model.weight.grad is None
    state.close()
    assert model.weight.grad is mine and torch.equal(mine, torch.arange(1e6).reshape(1000, 1000))
    _torch.uninstall_meter()


SCRIPT = """
    import sys, torch
    from torch import nn
    torch.manual_seed(0)
    torch.set_num_threads(1)
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(64, 256), nn.Linear(256, 64)
        def forward(self, x):
            return x + self.b(torch.tanh(self.a(x)))
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(3))
            self.head = nn.Linear(64, 10)
        def forward(self, x):
            for b in self.blocks:
                x = b(x)
            return self.head(x)
    net = Net()
    if "--wrong" in sys.argv: sys.exit(7)
    if "--idle" in sys.argv: sys.exit(0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss_of = nn.CrossEntropyLoss()
    for step in range(5):
        x, y = torch.randn(256, 64), torch.randint(0, 10, (256,))
        loss = loss_of(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(textwrap.dedent(SCRIPT))
    def run(*arguments, of_script=()):
        return subprocess.run([sys.executable, "-m", "worktop", "check", *arguments, str(path), *of_script],
                              capture_output=True, text=True, timeout=300, env=os.environ)
    return run


def test_a_script_is_checked(script):
    done = script("--pairs", "2", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    answer = json.loads(done.stdout)
    assert answer["ok"] and answer["model"] == "Net" and answer["pairs"] == 2
    assert "step 0" in done.stderr and "step 1" not in done.stderr


def test_a_budget_that_nothing_fits(script):
    done = script("--budget", "64kB", "--no-stock")
    assert done.returncode == 3 and "no plan fits" in done.stderr and done.stdout == ""


def test_scripts_that_train_nothing(script):
    assert script(of_script=["--wrong"]).returncode == 7
    done = script(of_script=["--idle"])
    assert done.returncode == 2 and "without a training step" in done.stderr.replace("\n       ", "")
