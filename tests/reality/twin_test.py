"""Does the recorder see what happens? Its dull twin is a dispatch mode that writes down the same thing.

A dispatch mode sits below autograd and above the kernels and sees every call of an operator; the recorder listens to
the dispatcher's own announcements. Both leave out what only looks (views, reads).

The mode itself changes the program in one way, which the test allows, and nothing else: what composite ops add to a
product that they have just made (`aten::linear` its bias, attention in its own math its mask) they add in place (`add_`
to the result of `mm` or `bmm`), but on a fresh tensor (`add`) while a mode is on, which might not follow writes.
"""
import tempfile

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from worktop import _torch

from models import KINDS


def allowing_for_the_mode(ops: list[str]) -> list[str]:
    """What was added in place to a product, as if it had been added under a mode."""
    return ["aten::add.Tensor" if op == "aten::add_.Tensor" and i and ops[i - 1] in ("aten::mm", "aten::bmm") else op
            for i, op in enumerate(ops)]


def storages(tree) -> set[int]:
    return {t.untyped_storage()._cdata for t in tree_leaves(tree) if isinstance(t, torch.Tensor)}


class Twin(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.ops: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        before = storages((args, kwargs))
        result = func(*args, **kwargs)
        after = storages(result)
        writes = any(a.alias_info is not None and a.alias_info.is_write for a in func._schema.arguments)
        if writes or not after <= before:
            overload = func._schema.overload_name
            self.ops.append(func._schema.name + (f".{overload}" if overload else ""))
        return result


def by_recorder(model, batch, mode: str) -> list[str]:
    executor = _torch.Executor(disk_directory=tempfile.gettempdir())
    executor.begin(mode, None, [*model.parameters(), *model.buffers(), *tree_leaves(batch.inputs), batch.labels], True)
    with torch.autograd.graph.saved_tensors_hooks(_torch.pack, _torch.unpack):
        loss, _ = model(**batch.inputs, labels=batch.labels)
    executor.end_forward()
    record = executor.finish()
    del loss
    return record.ops


def by_twin(model, batch) -> list[str]:
    with Twin() as twin:
        model(**batch.inputs, labels=batch.labels)
    return twin.ops


@pytest.fixture
def metered():
    _torch.install_meter()
    yield
    _torch.stop_following()
    _torch.uninstall_meter()


@pytest.mark.parametrize("kind", KINDS)
def test_the_recorder_sees_what_a_dispatch_mode_sees(kind, metered):
    model = KINDS[kind].model()
    batch = KINDS[kind].batches(1)[0]
    seen = by_recorder(model, batch, "keep")
    expected = by_twin(model, batch)
    assert len(expected) > 20
    assert allowing_for_the_mode(seen) == expected


@pytest.mark.parametrize("kind", ["gpt_dropout", "llama", "encoder_post", "resnet"])
def test_within_autocast(kind, metered):
    model = KINDS[kind].model()
    batch = KINDS[kind].batches(1)[0]
    with torch.autocast("cpu", torch.bfloat16):
        seen = by_recorder(model, batch, "keep")
    with torch.autocast("cpu", torch.bfloat16):
        expected = by_twin(model, batch)
    assert allowing_for_the_mode(seen) == expected


@pytest.mark.parametrize("kind", ["gpt_dropout", "resnet"])
def test_capturing_changes_nothing_of_what_is_seen(kind, metered):
    model = KINDS[kind].model()
    batch = KINDS[kind].batches(1)[0]
    assert by_recorder(model, batch, "capture") == by_recorder(model, batch, "keep")
