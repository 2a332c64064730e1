"""Is every step that runs under a plan bit by bit the plain one, and is its peak the promised one, to the byte?"""
import pytest
import torch

import worktop
from worktop import _torch

from models import KINDS, loss_of
from training import budgets, check, optimizer_of, random_policy

STRATEGIES = ["keep_all", "recompute_all", "checkpoint_every(1)", "offload_all"]
MORE_STRATEGIES = ["checkpoint(2)", "hybrid(0.5,2)", "ratio(2)", "save_matmuls", "attention_core", "mlp",
                   "norms_and_activations"]
slow = pytest.mark.slow


def some(items, fast):
    """All of them; those that are not among `fast` only in the slow suite."""
    return [item if item in fast else pytest.param(item, marks=slow) for item in items]


@pytest.mark.parametrize("strategy", some(STRATEGIES + MORE_STRATEGIES, STRATEGIES))
@pytest.mark.parametrize("kind", KINDS)
def test_strategies(kind, strategy, disk):
    check(kind, policy=strategy, disk=disk)


@pytest.mark.parametrize("part", some(range(10), [0, 4]))
@pytest.mark.parametrize("kind", KINDS)
def test_budgets(kind, part):
    check(kind, budget=budgets(kind, 10)[part])


@pytest.mark.parametrize("part", some(range(10), [3]))
@pytest.mark.parametrize("kind", KINDS)
def test_budgets_with_a_disk(kind, part, disk):
    check(kind, budget=budgets(kind, 10)[part], disk=disk)


@pytest.mark.parametrize("seed", some(range(10), [0]))
@pytest.mark.parametrize("kind", KINDS)
def test_random_fates(kind, seed, disk):
    check(kind, policy=random_policy(kind, seed), disk=disk)


PHASES = ["forward", "outside the forward", "backward", "optimizer"]


def phase_of_peak(kind: str, policy: str, disk: str) -> tuple[str, str]:
    """The phase in which the explained plan has its peak, and that after which the meter says that it was reached."""
    model = KINDS[kind].model()
    wt = worktop.attach(model, policy=policy, disk=disk)
    optimizer = optimizer_of("adamw", model)
    for batch in KINDS[kind].batches(7):
        logits = model(**batch.inputs)
        reached = [_torch.peak_bytes()]
        loss, seed = loss_of(logits, batch.labels), torch.ones(())
        reached.append(_torch.peak_bytes())
        loss.backward(seed)
        reached.append(_torch.peak_bytes())
        optimizer.step()
        reached.append(_torch.peak_bytes())
        optimizer.zero_grad()
        del loss, logits, seed
    graph = wt.profile.graph
    named = wt.profile.explain(wt.plan).peak_op
    op = next(op for op in range(graph.op_count) if graph.op_name(op) == named)
    phase = named if named in PHASES else graph.op_phase(op)
    wt.detach()
    return phase, PHASES[reached.index(reached[-1])]


@pytest.mark.parametrize("policy", some(["keep_all", "recompute_all", "offload_all"], ["offload_all"]))
@pytest.mark.parametrize("kind", KINDS)
def test_the_moment_of_the_peak_is_named_rightly(kind, policy, disk):
    named, measured = phase_of_peak(kind, policy, disk)
    if policy == "recompute_all" and measured == "backward":
        assert named in ("forward", "backward")  # a forward op is named also where it runs again
    else:
        assert named == measured
