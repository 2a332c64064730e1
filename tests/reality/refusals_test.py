"""What the executor does not run it names; what changes on the way gives right gradients, or torch's own error."""
import warnings

import pytest
import torch
from torch import nn

import worktop
from worktop.attach import BudgetError

from life_test import POLICIES, ROUNDS, Nothing, both, good_step, gradients
from models import KINDS, VOCABULARY, loss_of
from promise_test import some
from training import Loop, Run, budgets, digest, scale, train

MIB = 2**20


# --- refused, by name


def test_compiled_model():
    with pytest.raises(NotImplementedError, match="compile"):
        worktop.attach(torch.compile(KINDS["gpt"].model()))


def test_model_compiled_in_place():
    model = KINDS["gpt"].model()
    model.compile()
    with pytest.raises(NotImplementedError, match="compile"):
        worktop.attach(model)


def test_model_with_a_compiled_part():
    model = KINDS["gpt"].model()
    model.h[1] = torch.compile(model.h[1])
    with pytest.raises(NotImplementedError, match="h.1 .*compile"):
        worktop.attach(model)


def test_model_compiled_after_attaching():
    """Either it is refused when it runs, or it runs; it never trains on with wrong gradients."""
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, policy="keep_all")
    model.compile(backend="eager")
    batch = KINDS["gpt"].batches(1)[0]
    try:
        model(**batch.inputs, labels=batch.labels)[0].backward()
    except (NotImplementedError, RuntimeError) as error:
        assert "compile" in str(error)
    else:
        plain = KINDS["gpt"].model()
        plain(**batch.inputs, labels=batch.labels)[0].backward()
        assert gradients(model) == gradients(plain)
    finally:
        wt.detach()


class FullyShardedDataParallel(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module


class FSDPLinear(nn.Linear):
    """What fully_shard makes of a Linear: it changes the class's name."""


def test_sharded_models():
    with pytest.raises(NotImplementedError, match="FSDP"):
        worktop.attach(FullyShardedDataParallel(KINDS["gpt"].model()))
    with pytest.raises(NotImplementedError, match="0 .*FSDP"):
        worktop.attach(nn.Sequential(FSDPLinear(2, 2)))


def test_sharded_parameters():
    """DTensor and other subclasses."""
    class Sharded(torch.Tensor):
        pass

    model = nn.Linear(2, 2)
    model.weight = nn.Parameter(torch.zeros(2, 2).as_subclass(Sharded))
    with pytest.raises(NotImplementedError, match="weight .*Sharded"):
        worktop.attach(model)


def test_model_on_the_meta_device():
    with torch.device("meta"):
        model = nn.Linear(2, 2)
    with pytest.raises(NotImplementedError, match="weight .*meta"):
        worktop.attach(model)


def test_buffer_on_the_meta_device():
    model = nn.Linear(2, 2)
    model.register_buffer("table", torch.zeros(2, device="meta"))
    with pytest.raises(NotImplementedError, match="table .*meta"):
        worktop.attach(model)


def test_refusal_leaves_nothing_behind():
    model = KINDS["gpt"].model()
    for arguments in (dict(budget=0), dict(budget="many"), dict(budget="0%"), dict(budget="120%"),
                      dict(disk="/nowhere/at/all:1GiB"), dict(disk="/tmp:much")):
        with pytest.raises((ValueError, RuntimeError)):
            worktop.attach(model, **arguments)
        assert not worktop._torch.meter_installed(), arguments
        assert not model._forward_pre_hooks and not model._forward_hooks, arguments
    worktop.attach(model, policy="keep_all").detach()


def test_not_a_model():
    with pytest.raises(ValueError, match="Module"):
        worktop.attach([nn.Linear(2, 2)])


@pytest.mark.parametrize("policy", ["keep_everything", "checkpoint_every(x)", '{"format": "worktop-policy"}'])
def test_unknown_policy(policy):
    """As early as it can be known: when it is attached, or at the first step."""
    model = KINDS["gpt"].model()
    batches = KINDS["gpt"].batches(4)
    wt = None
    with pytest.raises((ValueError, RuntimeError)) as caught:
        wt = worktop.attach(model, policy=policy)
        run = Run(model, Loop(), wt)
        for batch in batches:
            run.step([batch])
    if wt:
        wt.detach()
    assert any(word in str(caught.value) for word in ("strategy", "policy", "version"))


# --- budgets below what is possible


@pytest.mark.parametrize("kind", ["gpt", "resnet"])
def test_budget_below_what_is_possible(kind):
    least, _, _ = scale(kind)
    with pytest.raises(BudgetError) as caught:
        train(kind, budget=least * 9 // 10)
    error = caught.value
    assert error.answer.least_feasible_bytes == pytest.approx(least, rel=0.01)
    assert f"{error.answer.least_feasible_bytes} bytes" in str(error)
    assert "At the peak of the least found" in str(error) and "Attack first" in str(error)


def test_budget_error_comes_once_the_step_is_known_and_training_can_go_on():
    """The user catches it, detaches, and trains on without a plan."""
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, budget=scale("gpt")[0] // 2)
    run = Run(model, Loop(), wt)
    torch.manual_seed(5)
    batches = KINDS["gpt"].batches(6)
    done = 0
    with pytest.raises(BudgetError):
        for batch in batches:
            run.step([batch])
            done += 1
    wt.detach()
    assert done >= 1
    run.wt = None
    for batch in batches[done:]:
        run.step([batch])
    expected = train("gpt", steps=6, plain=True)
    assert [s.gradients for s in run.trace.steps] == [s.gradients for s in expected.steps]


def test_disk_that_is_too_small(tmp_path):
    """What does not fit on the disk is an error that names it, or is kept; gradients stay right."""
    expected = train("gpt", plain=True)
    try:
        got = train("gpt", policy="offload_all", disk=f"{tmp_path}:64KiB")
    except RuntimeError as error:
        assert "disk" in str(error)
    else:
        assert [s.gradients for s in got.steps] == [s.gradients for s in expected.steps]


# --- programs that change on the way


@pytest.mark.parametrize("policy", some(POLICIES, POLICIES[2:]))
@pytest.mark.parametrize("kind", ["gpt_dropout", "resnet"])
def test_shapes_that_change(kind, policy, disk):
    """Lengths come and go; each shape that comes back is promised in the end."""
    sizes = [{"batch": 4}, {"batch": 2}, {"batch": 4}, {"batch": 3}] if kind == "resnet" else [
        {"length": 128}, {"length": 64}, {"length": 128}, {"length": 100}]
    results, peaks = [], []
    for attached in (False, True):
        model = KINDS[kind].model()
        wt = worktop.attach(model, policy=policy, disk=disk) if attached else None
        run = Run(model, Loop(), wt)
        torch.manual_seed(6)
        for number in range(6 * len(sizes)):
            run.step(KINDS[kind].batches(1, seed=number, **sizes[number % len(sizes)]))
        trace = run.end()
        results.append([(s.losses, s.gradients, s.buffers, s.random_state) for s in trace.steps])
        peaks = trace.promises
    assert results[0] == results[1]
    for promise in peaks[-len(sizes):]:
        assert promise.promised is not None and promise.promised == promise.measured


def test_last_batch_is_smaller_than_the_others(disk):
    results = []
    for attached in (False, True):
        model = KINDS["gpt"].model()
        wt = worktop.attach(model, policy="checkpoint_every(1)", disk=disk) if attached else None
        run = Run(model, Loop(), wt)
        for epoch in range(3):
            for batch in [*KINDS["gpt"].batches(4, seed=epoch), *KINDS["gpt"].batches(1, seed=epoch, batch=1)]:
                run.step([batch])
        trace = run.end()
        results.append([s.gradients for s in trace.steps])
    assert results[0] == results[1]
    assert trace.promises[-2].promised == trace.promises[-2].measured is not None


class Routed(nn.Module):
    """Takes another way from step to step; shapes of the inputs stay the same."""
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 32))
        self.second = nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Dropout(0.2), nn.Linear(64, 32))
        self.way = 0

    def forward(self, x):
        for part in (self.first, self.second)[: 1 + self.way % 2]:
            x = x + part(x)
        return x * 2 if self.way % 3 else x.relu()


@pytest.mark.parametrize("policy", POLICIES)
def test_control_flow_that_changes(policy, disk):
    results = []
    for attached in (False, True):
        torch.manual_seed(1)
        model = Routed().train()
        wt = worktop.attach(model, policy=policy, disk=disk) if attached else Nothing()
        seen = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            for number in range(24):
                model.way = 0 if number < 6 else number
                model(torch.randn(8, 32)).square().mean().backward()
                seen.append(gradients(model))
                model.zero_grad()
        wt.detach()
        results.append(seen)
    assert results[0] == results[1]


def test_leaving_the_plan_is_told_or_raised():
    for strict in (False, True):
        torch.manual_seed(1)
        model = Routed().train()
        wt = worktop.attach(model, policy="checkpoint_every(1)", strict=strict)
        told = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for number in range(8):
                    model.way = 3 if number == 6 else 0
                    model(torch.randn(8, 32)).square().mean().backward()
                    model.zero_grad()
            except RuntimeError as error:
                told.append(str(error))
        wt.detach()
        told += [str(w.message) for w in caught if "left its plan" in str(w.message)]
        assert len(told) == 1 and "left its plan" in told[0]


def test_parameters_that_are_frozen_on_the_way(disk):
    def program(model, optimizer, batch, number):
        for p in model.h[0].parameters():
            p.requires_grad_(number < 4)
        for p in model.wte.parameters():
            p.requires_grad_(number % 5 != 4)
        yield from good_step(model, optimizer, batch)

    both(program, policy="checkpoint_every(1)", disk=disk, rounds=12)


# --- writes between forward and backward


def outcome(attached: bool, policy: str, disk: str, write, rounds: int = ROUNDS):
    """What comes of a write between forward and backward in the last round: gradients, or the error's first words."""
    model = KINDS["gpt_materialised_dropout"].model()
    wt = worktop.attach(model, policy=policy, disk=disk) if attached else Nothing()
    batches = KINDS["gpt_materialised_dropout"].batches(rounds)
    torch.manual_seed(8)
    kept = {}
    handles = [model.h[1].register_forward_hook(lambda _m, _a, out: kept.update(block=out)),
               model.h[1].mlp[0].register_forward_hook(lambda _m, _a, out: kept.update(linear=out)),
               model.h[1].mlp[1].register_forward_hook(lambda _m, _a, out: kept.update(gelu=out))]
    try:
        for number, batch in enumerate(batches):
            loss, logits = model(**batch.inputs, labels=batch.labels)
            kept["logits"] = logits
            if number == rounds - 1:
                with torch.no_grad():
                    write(model, batch, kept)
            kept.clear()
            try:
                loss.backward()
            except RuntimeError as error:
                return str(error).split("operation:")[0][:60]
            result = gradients(model)
            model.zero_grad()
            del loss, logits
        return result
    finally:
        for handle in handles:
            handle.remove()
        wt.detach()


WRITES = {
    "parameter": lambda model, batch, kept: model.h[1].mlp[2].weight.mul_(1.5),
    "parameter that a replay reads": lambda model, batch, kept: model.h[1].mlp[0].weight.mul_(1.5),
    "parameter whose value nobody needs": lambda model, batch, kept: model.lm_head.weight.data.add_(0),
    "bias": lambda model, batch, kept: model.h[1].mlp[0].bias.add_(1),
    "saved value": lambda model, batch, kept: kept["gelu"].mul_(2),
    "input of a saved op": lambda model, batch, kept: kept["linear"].zero_(),
    "block's output": lambda model, batch, kept: kept["block"].add_(1),
    "logits": lambda model, batch, kept: kept["logits"].fill_(0),
    "tokens": lambda model, batch, kept: batch.inputs["tokens"].fill_(1),
    "labels": lambda model, batch, kept: batch.labels.fill_(1),
}


def written_by(what: str, policy: str):
    """Plain torch needs no bias for its backward. Where it was written, what it went into cannot be recomputed, and the
    executor says so rather than give other gradients."""
    refuses = what == "bias" and policy in ("recompute_all", "checkpoint_every(1)")
    marks = [pytest.mark.slow] if policy not in POLICIES[2:] else []
    if refuses:
        marks.append(pytest.mark.xfail(strict=True, reason="a replay needs the bias, plain backward does not"))
    return pytest.param(what, policy, marks=marks)


@pytest.mark.parametrize("what, policy", [written_by(what, policy) for policy in POLICIES for what in WRITES])
def test_writes_between_forward_and_backward(what, policy, disk):
    """Plain torch refuses to go on, or the write does no harm; attached it is the same."""
    expected = outcome(False, policy, disk, WRITES[what])
    assert outcome(True, policy, disk, WRITES[what]) == expected


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("what", [pytest.param(what, marks=[] if what == "saved value" else pytest.mark.slow)
                                  for what in WRITES if what != "bias"])
def test_writes_in_the_first_steps(what, disk, rounds):
    """Captured, and warm."""
    expected = outcome(False, "checkpoint_every(1)", disk, WRITES[what], rounds)
    assert outcome(True, "checkpoint_every(1)", disk, WRITES[what], rounds) == expected
