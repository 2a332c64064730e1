"""Do identity and promise hold however the training loop is written?"""
import itertools

import pytest

from models import KINDS
from promise_test import slow, some
from training import Loop, budgets, check

LOSSES = ["inside", "outside", "step", "step_all"]
ZEROS = [(zero, to_none) for zero in ("before_forward", "after_forward", "after_step") for to_none in (True, False)]
LOOPS = [Loop(loss=loss, micro_steps=micro, zero=zero, set_to_none=to_none, keep_logits=keep)
         for loss, micro, (zero, to_none), keep in itertools.product(LOSSES, (1, 2, 3), ZEROS, (False, True))]
FAST = [
    Loop(micro_steps=2),
    Loop(micro_steps=3, loss="outside", zero="before_forward", set_to_none=False),
    Loop(loss="outside", zero="after_forward", keep_logits=True),
    Loop(loss="step", zero="before_forward", keep_logits=True),
    Loop(loss="step", zero="after_forward", set_to_none=False),
    Loop(loss="step_all", micro_steps=2, zero="after_step", set_to_none=False),
    Loop(zero="before_forward"),
    Loop(zero="after_step", set_to_none=False, keep_logits=True),
]


def name_of(loop: Loop) -> str:
    return (f"{loop.loss}-{loop.micro_steps}-{loop.zero}-{'none' if loop.set_to_none else 'zeros'}"
            f"{'-logits' if loop.keep_logits else ''}{'' if loop.optimizer == 'adamw' else '-' + loop.optimizer}")


def enough(loop: Loop) -> int:
    """Steps after which even the last micro-step has its promise."""
    return 8 if loop.micro_steps > 1 else 7


@pytest.mark.parametrize("loop", some(LOOPS, FAST), ids=name_of)
@pytest.mark.parametrize("kind", ["gpt", "encoder_post", "resnet"])
def test_loops(kind, loop):
    check(kind, loop, steps=enough(loop), policy="checkpoint_every(1)")


@pytest.mark.parametrize("loop", some(LOOPS, FAST[:4]), ids=name_of)
@pytest.mark.parametrize("kind", ["gpt_dropout"])
def test_loops_within_a_budget(kind, loop):
    check(kind, loop, steps=enough(loop), budget=budgets(kind, 10, loop)[3])


@pytest.mark.parametrize("loop", some(LOOPS, FAST[:2]), ids=name_of)
@pytest.mark.parametrize("kind", ["llama"])
def test_loops_with_everything_away(kind, loop, disk):
    check(kind, loop, steps=enough(loop), policy="offload_all", disk=disk)


@pytest.mark.parametrize("strategy", some(["keep_all", "checkpoint_every(1)", "offload_all"], ["checkpoint_every(1)"]))
@pytest.mark.parametrize("kind", KINDS)
def test_sgd_with_momentum(kind, strategy, disk):
    check(kind, Loop(optimizer="sgd"), policy=strategy, disk=disk)
