"""Plans that no clock would lead to: durations are drawn at random, so that copies and replays come at every odd
moment. What the executor does must still be what the simulator says, to the byte."""
import random

import pytest

from worktop import _course

import habits_test
from models import KINDS
from promise_test import some
from training import budgets, check


def another(ns: list[int], draw: random.Random) -> list[int]:
    """Other durations: of every order of magnitude, far from the measured ones, or those but for a few long ops."""
    kind = draw.choice(["any", "far", "few"])
    if kind == "any":
        return [int(10 ** draw.uniform(3, 7)) for _ in ns]
    if kind == "far":
        return [int(x * 10 ** draw.uniform(-1, 1)) for x in ns]
    ns = list(ns)
    for _ in range(draw.choice([1, 8])):
        ns[draw.randrange(len(ns))] += int(10 ** draw.uniform(5, 8))
    return ns


@pytest.fixture
def draw(request, monkeypatch):
    numbers = random.Random(request.node.name)
    use = _course.Course._use

    def use_others(course, profiled, around, durations=None):
        return use(course, profiled, around, durations and another(durations, numbers))

    monkeypatch.setattr(_course.Course, "_use", use_others)
    return numbers


@pytest.mark.parametrize("seed", some(range(8), [0]))
@pytest.mark.parametrize("policy", ["offload_all", "hybrid(0.5,3)", "budget"])
@pytest.mark.parametrize("kind", KINDS)
def test_loops(kind, policy, seed, disk, draw):
    wish = {"budget": budgets(kind, 10)[draw.randrange(1, 10)]} if policy == "budget" else {"policy": policy}
    check(kind, disk=disk, **wish)


# Under autocast the program lets go of the loss's input between the last op and the backward, where copies in begin.
@pytest.mark.parametrize("seed", some(range(80), [0, 34]))
@pytest.mark.parametrize("habit", [habits_test.Autocast, habits_test.AutocastLlama])
def test_autocast(habit, seed, disk, draw):
    habits_test.test_habits(habit, "offload_all", disk)
