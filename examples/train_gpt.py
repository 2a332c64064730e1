"""A training script as anybody might have it: a byte-level GPT on text files, nothing of Worktop in it.

    python examples/train_gpt.py --steps 20 README.md docs/*.md
    worktop run --budget 600MiB examples/train_gpt.py --steps 20 README.md     (the same, inside a budget)
"""
from __future__ import annotations

import argparse
import pathlib

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Pre-norm attention and MLP, GPT-2's kind."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:  # (batch, sequence, width)
        batch, sequence, width = x.shape
        q, k, v = self.qkv(self.attention_norm(x)).chunk(3, dim=-1)
        q, k, v = (t.view(batch, sequence, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.dropout(self.projection(attended.transpose(1, 2).reshape(x.shape)), self.dropout, self.training)
        return x + F.dropout(self.down(F.gelu(self.up(self.mlp_norm(x)))), self.dropout, self.training)


class GPT(nn.Module):
    """Takes bytes and the bytes that follow them, gives the loss."""

    def __init__(self, layers: int = 6, width: int = 384, heads: int = 6, context: int = 512, dropout: float = 0.1,
                 vocabulary: int = 256):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:  # both (batch, sequence)
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


def batches(text: bytes, batch: int, context: int, seed: int = 0):
    """Endless pairs of bytes and the bytes that follow, drawn at random places."""
    data = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    generator = torch.Generator().manual_seed(seed)
    while True:
        starts = torch.randint(len(data) - context - 1, (batch,), generator=generator)
        yield (torch.stack([data[s:s + context] for s in starts.tolist()]).long(),
               torch.stack([data[s + 1:s + context + 1] for s in starts.tolist()]).long())


def train(model: nn.Module, pairs, steps: int, after_step=lambda step, loss: None) -> list[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses = []
    for step in range(steps):
        tokens, targets = next(pairs)
        optimizer.zero_grad()
        loss = model(tokens, targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        after_step(step, losses[-1])
    return losses


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a byte-level GPT on text files.")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--dropout", type=float, default=0.1)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = GPT(options.layers, options.width, context=options.context, dropout=options.dropout)
    text = b"".join(file.read_bytes() for file in options.files)
    train(model, batches(text, options.batch, options.context), options.steps,
          lambda step, loss: print(f"step {step:3}  loss {loss:.4f}", flush=True))


if __name__ == "__main__":
    main()
