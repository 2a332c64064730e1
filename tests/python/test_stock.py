"""PyTorch's own settings change what is held and nothing else, and leave no trace."""
import pytest
import torch
from torch import nn

from worktop import _executor

_torch = pytest.importorskip("worktop._torch", reason="no executor") if not _executor.why_not() else None
if _torch is None:
    pytest.skip("no executor", allow_module_level=True)

from worktop._stock import block_modules, settings_for


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out, self.drop = nn.Linear(32, 128), nn.Linear(128, 32), nn.Dropout(0.1)

    def forward(self, x):
        return x + self.drop(self.out(torch.tanh(self.into(x)) * 2))


class Stack(nn.Module):
    def __init__(self, blocks=4):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(blocks))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x.square().mean()


def gradients(model, x):
    torch.manual_seed(3)
    model.zero_grad()
    model(x).backward()
    return [p.grad.clone() for p in model.parameters()]


def held_by_forward(model, x):
    """Bytes of distinct storages that autograd saves outside the blocks' replays."""
    seen = {}
    def pack(t):
        seen[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss = model(x)
    del loss
    return sum(seen.values())


def test_blocks_are_found():
    assert len(block_modules(Stack(4))) == 4
    assert block_modules(nn.Linear(2, 2)) == []
    assert [s.name for s in settings_for(nn.Linear(2, 2))] == ["save_on_cpu"]


@pytest.mark.parametrize("index", range(4))
def test_gradients_are_the_same_and_no_trace_is_left(index):
    torch.manual_seed(0)
    model, x = Stack(), torch.randn(8, 32)
    plain = gradients(model, x)
    setting = settings_for(model)[index]
    with setting.applied(model):
        inside = gradients(model, x)
    assert all(torch.equal(a, b) for a, b in zip(plain, inside)), setting.name
    assert all("forward" not in module.__dict__ for module in model.modules())


def test_less_is_held_the_more_is_checkpointed():
    torch.manual_seed(0)
    model, x = Stack(), torch.randn(64, 32, requires_grad=True)
    settings = {s.name: s for s in settings_for(model)}
    def held(name):
        with settings[name].applied(model):
            return held_by_forward(model, x)
    plain = held_by_forward(model, x)
    assert held("checkpoint, every block") < held("checkpoint, every second") < plain


def test_a_forward_of_somebody_else_comes_back():
    model = Stack()
    def mine(x):
        return Block.forward(model.blocks[0], x)
    model.blocks[0].forward = mine
    with settings_for(model)[0].applied(model):
        assert model.blocks[0].forward is not mine
    assert model.blocks[0].forward is mine


def test_an_exception_leaves_no_trace():
    model = Stack()
    with pytest.raises(ZeroDivisionError), settings_for(model)[0].applied(model):
        raise ZeroDivisionError
    assert "forward" not in model.blocks[0].__dict__
