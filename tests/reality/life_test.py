"""Is a step right, whatever became of the one before it, and is nothing left behind?

Each case runs the same program plain and attached, through the stages of capture, warming up and promise, and compares
what every part of it computed, bit by bit."""
import gc
import warnings

import pytest
import torch

import worktop
from worktop import _torch

from models import KINDS, loss_of
from promise_test import some
from training import Loop, Run, digest, digests, differences, optimizer_of, train

POLICIES = ["keep_all", "recompute_all", "checkpoint_every(1)", "offload_all"]
ROUNDS = 5  # of each program: capture, warm, warm, promised, promised


class Nothing:
    """Stands in for `wt` in the plain run."""
    unplanned = 0

    def detach(self):
        pass


def both(program, kind="gpt_dropout", policy="checkpoint_every(1)", disk=None, rounds=ROUNDS):
    """What `program(model, optimizer, batch, number)` yields in each round, plain and attached; wt."""
    seen = []
    for attached in (False, True):
        gc.collect()
        model = KINDS[kind].model()
        batches = KINDS[kind].batches(rounds)
        wt = worktop.attach(model, policy=policy, disk=disk) if attached else Nothing()
        optimizer = optimizer_of("adamw", model)
        torch.manual_seed(9)
        yielded = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # a step may leave its plan here
                for number, batch in enumerate(batches):
                    yielded.append(list(program(model, optimizer, batch, number)))
                    yielded[-1].append(digest(torch.get_rng_state()))
        finally:
            wt.detach()
        seen.append(yielded)
    assert seen[0] == seen[1], first_difference(*seen)


def first_difference(plain, attached):
    for number, (a, b) in enumerate(zip(plain, attached)):
        for part, (x, y) in enumerate(zip(a, b)):
            if x != y:
                if isinstance(x, dict):
                    x, y = {k: v for k, v in x.items() if y.get(k) != v}, {k: v for k, v in y.items() if x.get(k) != v}
                return f"round {number}, part {part}: plain {x}, attached {y}"
    return "lengths differ"


def gradients(model):
    return digests((name, p.grad) for name, p in model.named_parameters())


def good_step(model, optimizer, batch):
    loss, _ = model(**batch.inputs, labels=batch.labels)
    loss.backward()
    yield digest(loss)
    yield gradients(model)
    optimizer.step()
    optimizer.zero_grad()
    yield digests(model.named_buffers())


@pytest.fixture(params=some(POLICIES, POLICIES[2:]))
def policy(request):
    return request.param


# --- exceptions


class Stop(Exception):
    pass


def stop(*_):
    raise Stop


def test_exception_in_the_forward(policy, disk):
    def program(model, optimizer, batch, number):
        handle = model.h[1].register_forward_pre_hook(stop)
        with pytest.raises(Stop):
            model(**batch.inputs, labels=batch.labels)
        handle.remove()
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


def test_exception_in_the_middle_of_backward(policy, disk):
    def program(model, optimizer, batch, number):
        handle = model.h[1].register_forward_hook(lambda _m, _a, output: output.register_hook(stop) and None)
        loss, _ = model(**batch.inputs, labels=batch.labels)
        handle.remove()
        with pytest.raises(Stop):
            loss.backward()
        del loss
        yield gradients(model)
        optimizer.zero_grad()
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


def test_exception_while_the_step_is_open():
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, policy="keep_all")
    with pytest.raises(Stop), wt.step():
        model(**KINDS["gpt"].batches(1)[0].inputs)
        stop()
    wt.detach()

    def program(model, optimizer, batch, number):
        yield from good_step(model, optimizer, batch)

    both(program)


# --- forwards and backwards that do not come in pairs


def test_forward_without_backward(policy, disk):
    def program(model, optimizer, batch, number):
        if number % 2:
            loss, _ = model(**batch.inputs, labels=batch.labels)
            yield digest(loss)
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


@pytest.mark.parametrize("kind", ["gpt_dropout", "resnet"])
def test_eval_and_no_grad_between(kind):
    def program(model, optimizer, batch, number):
        model.eval()
        yield digest(model(**batch.inputs))  # with gradients, though nobody asks for them
        with torch.no_grad():
            yield digest(model(**batch.inputs))
        model.train()
        with torch.no_grad():
            yield digest(model(**batch.inputs))
        yield from good_step(model, optimizer, batch)
        with torch.inference_mode():
            yield digest(model(**batch.inputs))

    both(program, kind=kind)


def test_eval_between_forward_and_backward(policy, disk):
    def program(model, optimizer, batch, number):
        loss, _ = model(**batch.inputs, labels=batch.labels)
        model.eval()
        with torch.no_grad():
            yield digest(model(**batch.inputs))
        model.train()
        loss.backward()
        yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, policy=policy, disk=disk)


def test_training_in_eval_mode(policy, disk):
    """Fine-tuning with dropout off: no training forward, so nothing is planned, and all is right."""
    def program(model, optimizer, batch, number):
        model.eval()
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


def test_retain_graph(policy, disk):
    def program(model, optimizer, batch, number):
        loss, _ = model(**batch.inputs, labels=batch.labels)
        loss.backward(retain_graph=True)
        yield gradients(model)
        loss.backward(retain_graph=number % 2 == 0)
        yield gradients(model)
        if number % 2 == 0:
            loss.backward()
            yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, policy=policy, disk=disk)


def test_second_backward_without_retain_graph(policy, disk):
    def program(model, optimizer, batch, number):
        loss, _ = model(**batch.inputs, labels=batch.labels)
        loss.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time|retain_graph"):
            loss.backward()
        optimizer.zero_grad()
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


def test_grad_of_a_part(policy, disk):
    def program(model, optimizer, batch, number):
        parameters = dict(model.named_parameters())
        some = [parameters["h.2.mlp.0.weight"], parameters["ln_f.bias"]]
        loss, _ = model(**batch.inputs, labels=batch.labels)
        yield [digest(g) for g in torch.autograd.grad(loss, some, retain_graph=True)]
        loss.backward()
        yield gradients(model)
        optimizer.zero_grad()
        loss, _ = model(**batch.inputs, labels=batch.labels)
        yield [digest(g) for g in torch.autograd.grad(loss, some)]
        yield from good_step(model, optimizer, batch)

    both(program, policy=policy, disk=disk)


def test_backward_in_two_halves(policy, disk):
    """First through the upper half of the model, then on from there."""
    def program(model, optimizer, batch, number):
        caught = []
        handle = model.h[1].register_forward_hook(lambda _m, _a, output: caught.append(output))
        loss, _ = model(**batch.inputs, labels=batch.labels)
        handle.remove()
        middle, = caught
        gradient, = torch.autograd.grad(loss, [middle], retain_graph=True)
        yield digest(gradient)
        middle.backward(gradient)
        yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, policy=policy, disk=disk)


def test_two_losses(policy, disk):
    """Two roots of one graph, gone through one after the other."""
    def program(model, optimizer, batch, number):
        logits = model(**batch.inputs)
        first, second = loss_of(logits, batch.labels), logits.square().mean()
        second.backward(retain_graph=True)
        yield gradients(model)
        first.backward()
        yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, policy=policy, disk=disk)


@pytest.mark.parametrize("order", ["first in, first out", "last in, first out", "sum"])
def test_two_forwards_then_two_backwards(policy, disk, order):
    def program(model, optimizer, batch, number):
        a, _ = model(**batch.inputs, labels=batch.labels)
        b, _ = model(**batch.inputs, labels=batch.labels.flip(0))
        yield digest(a), digest(b)
        if order == "sum":
            (a + b).backward()
        else:
            for loss in ((a, b) if order.startswith("first") else (b, a)):
                loss.backward()
                yield gradients(model)
        yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, policy=policy, disk=disk)


def test_model_called_twice_in_one_graph(policy, disk):
    """The second forward reads what the first one made."""
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh())
                                              for _ in range(4)))

        def forward(self, x):
            return self.body(x)

    results = []
    for attached in (False, True):
        torch.manual_seed(3)
        model = Twice().train()
        wt = worktop.attach(model, policy=policy, disk=disk) if attached else Nothing()
        seen = []
        for number in range(ROUNDS):
            x = torch.randn(32, 64)
            model(model(x)).square().mean().backward()
            seen.append(gradients(model))
            model.zero_grad()
        wt.detach()
        results.append(seen)
    assert results[0] == results[1]


def test_gradient_of_a_gradient(policy, disk):
    def program(model, optimizer, batch, number):
        loss, _ = model(**batch.inputs, labels=batch.labels)
        weight = model.h[0].mlp[0].weight
        gradient, = torch.autograd.grad(loss, [weight], create_graph=True)
        yield digest(gradient)
        (loss + gradient.square().sum()).backward()
        yield gradients(model)
        optimizer.step()
        optimizer.zero_grad()

    both(program, kind="gpt_materialised_dropout", policy=policy, disk=disk)


# --- detach, off, reading


HOOKS = ["_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
         "_forward_pre_hooks_with_kwargs", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks"]


def hooks_of(model):
    from torch.nn.modules import module as everywhere
    from torch.optim import optimizer
    found = {f"{name}.{kind}": dict(getattr(module, kind)) for name, module in model.named_modules() for kind in HOOKS}
    found |= {kind: dict(getattr(everywhere, kind)) for kind in
              ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_forward_hooks_always_called")}
    found["optimizers"] = dict(optimizer._global_optimizer_post_hooks)
    return {name: hooks for name, hooks in found.items() if hooks}


@pytest.mark.parametrize("steps", [0, 1, 2, 6])
def test_detach_leaves_no_trace(steps, policy, disk):
    gc.collect()
    gc.disable()
    try:
        _torch.install_meter()
        model = KINDS["gpt_dropout"].model()
        batches = KINDS["gpt_dropout"].batches(max(steps, 1))
        before, live = hooks_of(model), _torch.live_bytes()
        wt = worktop.attach(model, policy=policy, disk=disk)
        for batch in batches[:steps]:
            loss, logits = model(**batch.inputs, labels=batch.labels)
            loss.backward()
            model.zero_grad()
        wt.detach()
        loss = logits = None
        assert hooks_of(model) == before
        assert _torch.live_bytes() == live
        wt.detach()  # twice is once
        del wt
        assert _torch.live_bytes() == live
    finally:
        gc.enable()
        while _torch.meter_installed():
            _torch.uninstall_meter()


def test_detach_between_forward_and_backward(policy, disk):
    expected = None
    for detach in (False, True):
        model = KINDS["gpt_dropout"].model()
        batches = KINDS["gpt_dropout"].batches(5)
        wt = worktop.attach(model, policy=policy, disk=disk) if detach else Nothing()
        torch.manual_seed(2)
        for number, batch in enumerate(batches):
            loss, _ = model(**batch.inputs, labels=batch.labels)
            if number == len(batches) - 1:
                wt.detach()
                del wt
            loss.backward()
            got = gradients(model)
            model.zero_grad()
        if not detach:
            expected = got
    assert got == expected


def test_disk_is_left_as_it_was(tmp_path):
    train("gpt", steps=5, policy="offload_all", disk=f"{tmp_path}:1GiB")
    assert list(tmp_path.iterdir()) == []


def test_attached_again_after_detach():
    model = KINDS["gpt"].model()
    batches = KINDS["gpt"].batches(5)
    peaks = []
    for _ in range(2):
        wt = worktop.attach(model, policy="checkpoint_every(1)")
        run = Run(model, Loop(optimizer="sgd"), wt)
        for batch in batches:
            run.step([batch])
        promise = run.end().promises[-1]
        assert promise.promised == promise.measured
        peaks.append(promise.measured)
        del run, wt
        gc.collect()
    # What the first run allocated under the meter is still there; the weights were there before the first one.
    assert peaks[0] == peaks[1]


def test_attached_twice_at_once_is_refused_or_right():
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, policy="keep_all")
    try:
        with pytest.raises((ValueError, RuntimeError), match="attached"):
            worktop.attach(model, policy="keep_all")
    finally:
        wt.detach()


def test_two_models_at_once(disk):
    """Two attached models that train in turns, as a GAN does."""
    results = []
    for attached in (False, True):
        models = [KINDS["gpt_dropout"].model(1), KINDS["resnet"].model(2)]
        wts = [worktop.attach(m, policy="checkpoint_every(1)") for m in models] if attached else []
        torch.manual_seed(4)
        seen = []
        for batches in zip(KINDS["gpt_dropout"].batches(ROUNDS), KINDS["resnet"].batches(ROUNDS)):
            for model, batch in zip(models, batches):
                loss, _ = model(**batch.inputs, labels=batch.labels)
                loss.backward()
                seen.append(gradients(model))
                model.zero_grad()
        for wt in wts:
            wt.detach()
        results.append(seen)
    assert results[0] == results[1]


def test_off(monkeypatch):
    monkeypatch.setenv("WORKTOP_OFF", "1")
    model = KINDS["gpt"].model()
    before = hooks_of(model)
    wt = worktop.attach(model, budget=1)
    assert hooks_of(model) == before and not _torch.meter_installed()
    with wt.step():
        loss, _ = model(**KINDS["gpt"].batches(1)[0].inputs, labels=KINDS["gpt"].batches(1)[0].labels)
    loss.backward()
    for name in ("promised_peak_bytes", "measured_peak_bytes", "promised_step_ns", "measured_step_ns",
                 "keep_all_peak_bytes", "least_feasible_bytes", "bound_ns", "plan", "profile"):
        assert getattr(wt, name) is None, name
    assert wt.unplanned == 0 and "off" in wt.report()
    wt.detach()


@pytest.mark.parametrize("step", range(4))
def test_asking_in_the_middle_of_a_step_changes_nothing(step):
    """Numbers are asked for between a forward and its backward."""
    expected = train("gpt", Loop(), steps=ROUNDS + 1, plain=True)
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, policy="checkpoint_every(1)")
    run = Run(model, Loop(), wt)
    batches = KINDS["gpt"].batches(ROUNDS + 1)
    torch.manual_seed(5)
    for number, batch in enumerate(batches):
        handle = None
        if number == step:
            handle = model.register_forward_hook(lambda *_: (wt.measured_peak_bytes, wt.promised_peak_bytes, wt.plan,
                                                             wt.report()) and None)
            original = torch.Tensor.backward

            def asking(self, *arguments, **more):
                assert wt.measured_peak_bytes is None or wt.measured_peak_bytes > 0
                return original(self, *arguments, **more)
            torch.Tensor.backward = asking
        try:
            run.step([batch])
        finally:
            if handle:
                handle.remove()
                torch.Tensor.backward = original
    trace = run.end()
    assert differences(expected, trace) == []
    for promise in trace.promises[-2:]:
        assert promise.promised is not None and promise.promised == promise.measured


def test_numbers_of_the_last_step_are_there_when_it_has_ended():
    model = KINDS["gpt"].model()
    wt = worktop.attach(model, policy="checkpoint_every(1)")
    optimizer = optimizer_of("adamw", model)
    for batch in KINDS["gpt"].batches(6):
        loss, _ = model(**batch.inputs, labels=batch.labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        assert wt.measured_peak_bytes > 0 and wt.measured_step_ns > 0
    assert wt.promised_peak_bytes == wt.measured_peak_bytes
    assert wt.promised_step_ns > 0 and wt.least_feasible_bytes <= wt.promised_peak_bytes <= wt.keep_all_peak_bytes
    assert "promised" in wt.report()
    wt.detach()
