"""What else people do in a training step: mixed precision, clipping, checkpoints of their own, frozen layers, channels
last, stepping within backward. Identity and promise as ever."""
import gc
import warnings

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import worktop
from worktop import _torch

from life_test import POLICIES, Nothing
from models import GPT, KINDS, ResNet
from promise_test import some
from training import digest, digests, optimizer_of

STEPS = 7


class Habit:
    """A way of training. `step` is one step up to the gradients; subclasses change a part."""
    kind = "gpt_dropout"
    deviation = ""  # why its promise is known to be wrong; gradients are right all the same

    def model(self):
        return KINDS[self.kind].model()

    def optimizer(self, model):
        return optimizer_of("adamw", model)

    def loss(self, model, batch):
        return model(**batch.inputs, labels=batch.labels)[0]

    def step(self, model, optimizer, batch):
        loss = self.loss(model, batch)
        loss.backward()
        self.then(model)
        seen = [digest(loss), digests((n, p.grad) for n, p in model.named_parameters())]
        optimizer.step()
        optimizer.zero_grad()
        return [*seen, digests(model.named_buffers()), digests(model.named_parameters()), digest(torch.get_rng_state())]

    def then(self, model):
        pass


class Autocast(Habit):
    def loss(self, model, batch):
        with torch.autocast("cpu", torch.bfloat16):
            return super().loss(model, batch)


class AutocastResNet(Autocast):
    kind = "resnet"


class AutocastLlama(Autocast):
    kind = "llama"


class HalfModel(Habit):
    """Weights and activations in bfloat16."""
    def model(self):
        return super().model().bfloat16()


class Double(Habit):
    kind = "resnet"

    def model(self):
        return super().model().double()

    def loss(self, model, batch):
        return model(batch.inputs["images"].double(), labels=batch.labels)[0]


class Clipping(Habit):
    def then(self, model):
        nn.utils.clip_grad_norm_(model.parameters(), 0.5)


class OwnCheckpoints(Habit):
    """torch.utils.checkpoint on every block, within the model."""
    reentrant = False
    deviation = ("the program keeps what it unpacks (the block's input) beyond the node that asked for it, which the "
                 "profile does not see: one block's input more than promised")

    def model(self):
        model = super().model()
        for block in model.h:
            block.forward = self.checkpointed(block.forward)
        return model

    def checkpointed(self, forward):
        return lambda x: checkpoint(forward, x, use_reentrant=self.reentrant)


class ReentrantCheckpoints(OwnCheckpoints):
    reentrant = True


class Frozen(Habit):
    """Fine-tuning of the upper half."""
    def model(self):
        model = super().model()
        for part in (model.wte, model.wpe, model.h[0], model.h[1]):
            part.requires_grad_(False)
        return model


class ChannelsLast(Habit):
    kind = "resnet"

    def model(self):
        return super().model().to(memory_format=torch.channels_last)

    def loss(self, model, batch):
        return model(batch.inputs["images"].contiguous(memory_format=torch.channels_last), labels=batch.labels)[0]


class SteppingInBackward(Habit):
    """Each parameter is updated as soon as its gradient is there, and the gradient is dropped."""
    kind = "llama"

    def optimizer(self, model):
        self.optimizers = {p: torch.optim.SGD([p], lr=0.01) for p in model.parameters()}
        for p in model.parameters():
            p.register_post_accumulate_grad_hook(self.update)
        return torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1)

    def update(self, p):
        self.optimizers[p].step()
        self.optimizers[p].zero_grad()


class InputsWithGradients(Habit):
    kind = "resnet"

    def loss(self, model, batch):
        images = batch.inputs["images"].clone().requires_grad_()
        loss = model(images, labels=batch.labels)[0]
        images.register_hook(lambda g: None)
        return loss


class OwnFunction(torch.autograd.Function):
    """Saves a tensor that no operator made known, and an attribute of its context."""
    blank = True

    @staticmethod
    def forward(ctx, x):
        y = (torch.empty_like if OwnFunction.blank else torch.zeros_like)(x)
        y.numpy()[...] = x.detach().numpy() ** 3  # nobody sees who writes
        ctx.save_for_backward(x, y)
        ctx.twice = x.detach() * 2
        return y

    @staticmethod
    def backward(ctx, gradient):
        x, y = ctx.saved_tensors
        return gradient * 3 * x * x + 1e-3 * (y + ctx.twice)


class OwnFunctions(Habit):
    def model(self):
        model = super().model()
        for block in model.h:
            block.mlp[1].forward = lambda x: OwnFunction.apply(x.tanh())
        return model


class OwnFunctionsOnZeros(OwnFunctions):
    def loss(self, model, batch):
        OwnFunction.blank = False
        try:
            return super().loss(model, batch)
        finally:
            OwnFunction.blank = True


class LSTM(Habit):
    kind = "gpt_dropout"

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm = nn.Embedding(320, 32), nn.LSTM(32, 48, 2, batch_first=True, dropout=0.1)
            self.head = nn.Linear(48, 320)

        def forward(self, tokens, labels):
            logits = self.head(self.lstm(self.embed(tokens))[0])
            return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), logits

    def model(self):
        torch.manual_seed(0)
        return self.Model().train()


HABITS = [Autocast, AutocastResNet, AutocastLlama, HalfModel, Double, Clipping, OwnCheckpoints, ReentrantCheckpoints,
          Frozen, ChannelsLast, SteppingInBackward, InputsWithGradients, OwnFunctions,
          OwnFunctionsOnZeros, LSTM]


def run(habit: Habit, policy: str | None, disk: str):
    gc.collect()
    model = habit.model()
    wt = worktop.attach(model, policy=policy, disk=disk) if policy else Nothing()
    optimizer = habit.optimizer(model)
    torch.manual_seed(7)
    seen, peaks = [], []
    try:
        for batch in KINDS[habit.kind].batches(STEPS):
            seen.append(habit.step(model, optimizer, batch))
            if policy:
                peaks.append((wt.promised_peak_bytes, wt.measured_peak_bytes, wt.unplanned))
    finally:
        wt.detach()
    return seen, peaks


@pytest.mark.parametrize("policy", some(POLICIES, POLICIES[1:]))
@pytest.mark.parametrize("habit", HABITS)
def test_habits(habit, policy, disk):
    expected, _ = run(habit(), None, disk)
    got, peaks = run(habit(), policy, disk)
    for number, (a, b) in enumerate(zip(expected, got, strict=True)):
        for part, x, y in zip(("loss", "gradients", "buffers", "weights", "random state"), a, b, strict=True):
            assert x == y, f"step {number}: {part}"
    for promised, measured, unplanned in peaks[-2:]:
        assert unplanned == 0
        if habit.deviation and promised != measured:
            assert abs(measured - promised) == 4 * 128 * 64 * 4
            pytest.xfail(habit.deviation)
        assert promised == measured, f"promised and measured, step by step: {peaks}"
        assert not habit.deviation, "its promise holds now"
