"""The models that are measured, as their usual implementations compute them: GPT-2 with the activation function
written out, as in transformers; ResNet-18 with basic blocks."""
import math

import torch
from torch import nn
from torch.nn import functional


class Gpt2Attention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(x).split(width, dim=2))
        y = functional.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout, is_causal=True)
        return self.drop(self.out(y.transpose(1, 2).reshape(batch, length, width)))


class Gpt2Mlp(nn.Module):
    def __init__(self, width: int, dropout: float):
        super().__init__()
        self.into, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = self.into(x)
        x = 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
        return self.drop(self.out(x))


class Gpt2Block(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.mlp = Gpt2Attention(width, heads, dropout), Gpt2Mlp(width, dropout)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """Answers the loss of the next token; the output layer has the weights of the embedding."""

    def __init__(self, layers=6, width=384, heads=6, vocabulary=8192, length=512, dropout=0.0):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(Gpt2Block(width, heads, dropout) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.wte.weight
        for weight in (self.wte.weight, self.wpe.weight):
            nn.init.normal_(weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.drop(self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1])))
        for block in self.h:
            x = block(x)
        logits = self.head(self.ln_f(x))
        return functional.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))


class BasicBlock(nn.Module):
    def __init__(self, into: int, out: int, stride: int):
        super().__init__()
        self.conv1 = nn.Conv2d(into, out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(out)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(out)
        self.downsample = None
        if stride != 1 or into != out:
            self.downsample = nn.Sequential(nn.Conv2d(into, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        skip = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += skip
        return self.relu(y)


class ResNet18(nn.Module):
    def __init__(self, classes=1000):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
                                  nn.MaxPool2d(3, 2, 1))
        widths = [64, 64, 128, 256, 512]
        self.layer1, self.layer2, self.layer3, self.layer4 = (
            nn.Sequential(BasicBlock(widths[i], widths[i + 1], 1 if i == 0 else 2),
                          BasicBlock(widths[i + 1], widths[i + 1], 1)) for i in range(4))
        self.head = nn.Linear(512, classes)

    def forward(self, images, labels):
        x = self.stem(images)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return functional.cross_entropy(self.head(x.mean((2, 3))), labels)


def gpt2(dropout: float):
    """The model and a batch of 4 x 512 tokens."""
    torch.manual_seed(0)
    model = Gpt2(dropout=dropout)
    tokens = torch.randint(0, 8192, (4, 513))
    return model, (tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous())


def resnet():
    """The model and a batch of 16 images of 160 x 160."""
    torch.manual_seed(0)
    return ResNet18(), (torch.randn(16, 3, 160, 160), torch.randint(0, 1000, (16,)))


MODELS = {"gpt2": lambda: gpt2(0.0), "gpt2-dropout": lambda: gpt2(0.1), "resnet": resnet}
