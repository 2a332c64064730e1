"""Is every step that runs under a plan bit by bit the plain one, and is its peak the promised one, to the byte?"""
import pytest

from models import KINDS
from training import budgets, check, random_policy

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
