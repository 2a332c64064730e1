"""Small models of the kinds that people train, with their batches. Deterministic: the same seed, the same bits.

Each Kind builds its model anew and draws the batches of a seed; sizes are such that a step takes some ten milliseconds
and that a few values are as large as the meter's page-aligned blocks (1 MiB)."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 320


# --- GPT-2: learned positions, pre-norm, biases, tied embeddings


class GPTAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float, fused: bool):
        super().__init__()
        self.heads, self.dropout, self.fused = heads, dropout, fused
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(width, 2))
        dropout = self.dropout if self.training else 0.0
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
            hidden = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            weights = F.dropout(F.softmax(scores.masked_fill(hidden, float("-inf")), -1), dropout)
            y = weights @ v
        return F.dropout(self.c_proj(y.transpose(1, 2).reshape(batch, length, width)), dropout)


class GPTBlock(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float, fused: bool):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = GPTAttention(width, heads, dropout, fused)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width),
                                 nn.Dropout(dropout))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, layers=3, width=64, heads=4, length=128, dropout=0.0, fused=True, tied=True):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(VOCABULARY, width), nn.Embedding(length, width)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(GPTBlock(width, heads, dropout, fused) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.lm_head = nn.Linear(width, VOCABULARY, bias=False)
        if tied:
            self.lm_head.weight = self.wte.weight

    def forward(self, tokens, labels=None):
        x = self.drop(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1], device=tokens.device)))
        for block in self.h:
            x = block(x)
        return _with_loss(self.lm_head(self.ln_f(x)), labels)


# --- Llama: RMS norm, rotary positions, grouped queries, gated MLP, no biases


class RMSNorm(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class LlamaAttention(nn.Module):
    def __init__(self, width: int, heads: int, groups: int):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q_proj = nn.Linear(width, width, bias=False)
        self.k_proj = nn.Linear(width, groups * self.size, bias=False)
        self.v_proj = nn.Linear(width, groups * self.size, bias=False)
        self.o_proj = nn.Linear(width, width, bias=False)

    @staticmethod
    def _turned(x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x, cos, sin):
        batch, length, width = x.shape
        q = self.q_proj(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.k_proj(x).view(batch, length, self.groups, self.size).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.groups, self.size).transpose(1, 2)
        q, k = self._turned(q, cos, sin), self._turned(k, cos, sin)
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, width))


class LlamaBlock(nn.Module):
    def __init__(self, width: int, heads: int, groups: int):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(width), RMSNorm(width)
        self.self_attn = LlamaAttention(width, heads, groups)
        self.gate_proj = nn.Linear(width, 3 * width, bias=False)
        self.up_proj = nn.Linear(width, 3 * width, bias=False)
        self.down_proj = nn.Linear(3 * width, width, bias=False)

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        y = self.post_attention_layernorm(x)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class Llama(nn.Module):
    def __init__(self, layers=3, width=64, heads=4, groups=2):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCABULARY, width)
        self.layers = nn.ModuleList(LlamaBlock(width, heads, groups) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.lm_head = nn.Linear(width, VOCABULARY, bias=False)
        frequency = 10000.0 ** (-torch.arange(0, width // heads, 2) / (width // heads))
        self.register_buffer("frequency", frequency, persistent=False)

    def forward(self, tokens, labels=None):
        x = self.embed_tokens(tokens)
        with torch.no_grad():
            angle = torch.outer(torch.arange(tokens.shape[1], device=tokens.device).float(), self.frequency)
            angle = torch.cat((angle, angle), -1)
            cos, sin = angle.cos(), angle.sin()
        for block in self.layers:
            x = block(x, cos, sin)
        return _with_loss(self.lm_head(self.norm(x)), labels)


# --- An encoder with a padding mask that changes from batch to batch, post-norm or pre-norm


class Encoder(nn.Module):
    def __init__(self, layers=2, width=64, heads=4, dropout=0.1, pre_norm=False):
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 4 * width, dropout, batch_first=True, norm_first=pre_norm)
            for _ in range(layers))
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens, labels=None, padding=None):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return _with_loss(self.head(x), labels)


# --- ResNet: batch norm, in-place ReLU, max pool, residuals


class ResNetBlock(nn.Module):
    def __init__(self, inward: int, outward: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inward, outward, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outward)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outward, outward, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outward)
        self.downsample = None
        if stride != 1 or inward != outward:
            self.downsample = nn.Sequential(nn.Conv2d(inward, outward, 1, stride, bias=False), nn.BatchNorm2d(outward))

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu(y)


class ResNet(nn.Module):
    def __init__(self, width=16, classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 5, 2, 2, bias=False), nn.BatchNorm2d(width),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.stages = nn.Sequential(ResNetBlock(width, width, 1), ResNetBlock(width, width, 1),
                                    ResNetBlock(width, 2 * width, 2), ResNetBlock(2 * width, 2 * width, 1))
        self.head = nn.Linear(2 * width, classes)

    def forward(self, images, labels=None):
        x = self.stages(self.stem(images)).mean((2, 3))
        return _with_loss(self.head(x), labels)


def loss_of(logits, labels):
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))


def _with_loss(logits, labels):
    return logits if labels is None else (loss_of(logits, labels), logits)


# --- kinds


@dataclasses.dataclass(frozen=True)
class Batch:
    inputs: dict[str, Any]
    labels: torch.Tensor


def _tokens(generator, *shape):
    return torch.randint(0, VOCABULARY, shape, generator=generator)


def _text(generator, batch=4, length=128) -> Batch:
    return Batch({"tokens": _tokens(generator, batch, length)}, _tokens(generator, batch, length))


def _padded(generator, batch=4, length=128) -> Batch:
    lengths = torch.randint(length // 2, length + 1, (batch, 1), generator=generator)
    return Batch({"tokens": _tokens(generator, batch, length), "padding": torch.arange(length) >= lengths},
                 _tokens(generator, batch, length))


def _images(generator, batch=4, side=64) -> Batch:
    return Batch({"images": torch.randn(batch, 3, side, side, generator=generator)},
                 torch.randint(0, 10, (batch,), generator=generator))


@dataclasses.dataclass(frozen=True)
class Kind:
    build: Callable[[], nn.Module]
    draw: Callable[..., Batch]

    def model(self, seed: int = 0) -> nn.Module:
        torch.manual_seed(seed)
        return self.build().train()

    def batches(self, count: int, seed: int = 1, **sizes) -> list[Batch]:
        generator = torch.Generator().manual_seed(seed)
        return [self.draw(generator, **sizes) for _ in range(count)]


KINDS = {
    "gpt": Kind(GPT, _text),
    "gpt_dropout": Kind(lambda: GPT(dropout=0.1), _text),
    "gpt_materialised": Kind(lambda: GPT(fused=False, tied=False), _text),
    "gpt_materialised_dropout": Kind(lambda: GPT(fused=False, dropout=0.1), _text),
    "llama": Kind(Llama, _text),
    "encoder_post": Kind(Encoder, _padded),
    "encoder_pre": Kind(lambda: Encoder(pre_norm=True, dropout=0.0), _padded),
    "resnet": Kind(ResNet, _images),
}
