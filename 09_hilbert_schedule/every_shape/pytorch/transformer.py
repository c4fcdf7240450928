#!/usr/bin/env python3
"""A small transformer, made here, with every torch.nn.Linear in it replaced by every_shape's.

Both models begin with the same parameters and see the same data: 100 steps of AdamW under
torch.autocast(bfloat16) must lose as torch's own model does, up to what another order of the sums makes.
Then a training step and an inference step of both are timed.

usage: transformer.py [--device cuda|cpu] [--steps N] [--json FILE]      (cpu: a smaller model)
Exit status: 0 right, 1 the losses differ, 2 bad usage, 3 no GPU that the kernel runs on.
"""

import argparse
import sys
from pathlib import Path

import torch
from torch import Tensor, nn

from every_shape import replace_linears
from timing import has_gpu, median_ms, write

SYMBOLS = 64
SIZES = {
    "cuda": argparse.Namespace(context=512, width=1024, layers=8, batch=16, learning_rate=3e-4),
    "cpu": argparse.Namespace(context=24, width=64, layers=2, batch=4, learning_rate=3e-3),
}


class Layer(nn.Module):
    """Attention, then a perceptron, each added to what came in."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_perceptron = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        hidden = nn.functional.gelu(self.up(self.before_perceptron(x)), approximate="tanh")
        return x + self.down(hidden)


class Transformer(nn.Module):
    def __init__(self, width: int, layers: int, context: int) -> None:
        super().__init__()
        self.symbols, self.places = nn.Embedding(SYMBOLS, width), nn.Embedding(context, width)
        self.layers = nn.Sequential(*(Layer(width, width // 32) for _ in range(layers)))
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, SYMBOLS)

    def forward(self, text: Tensor) -> Tensor:
        x = self.symbols(text) + self.places.weight[: text.shape[1]]
        return self.head(self.last(self.layers(x)))


def made(device: str, ours: bool) -> Transformer:
    torch.manual_seed(30)
    sizes = SIZES[device]
    model = Transformer(sizes.width, sizes.layers, sizes.context)
    if ours:
        replaced = replace_linears(model)
        assert replaced == 4 * sizes.layers + 1, replaced
    return model.to(device)


def texts(device: str, step: int) -> Tensor:
    """Arithmetic sequences modulo SYMBOLS, which a model can learn to go on with."""
    generator = torch.Generator().manual_seed(step)
    sizes = SIZES[device]
    first, distance = torch.randint(0, SYMBOLS, (2, sizes.batch, 1), generator=generator)
    return ((first + distance % 4 * torch.arange(sizes.context + 1)) % SYMBOLS).to(device)


class Training:
    def __init__(self, device: str, ours: bool) -> None:
        self.device, self.model = device, made(device, ours)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=SIZES[device].learning_rate)

    def loss(self, text: Tensor) -> Tensor:
        with torch.autocast(self.device, dtype=torch.bfloat16):
            found = self.model(text[:, :-1])
        return nn.functional.cross_entropy(found.float().flatten(0, 1), text[:, 1:].flatten())

    def step(self, text: Tensor) -> Tensor:
        self.optimizer.zero_grad()
        loss = self.loss(text)
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def inference(self, text: Tensor) -> Tensor:
        with torch.no_grad():
            return self.loss(text)


def main() -> int:
    parser = argparse.ArgumentParser(description="A small transformer with every_shape's layers.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write losses and times")
    options = parser.parse_args()
    device = options.device
    if device == "cuda" and not has_gpu("transformer"):
        return 3
    trainings = {"every_shape": Training(device, True), "torch": Training(device, False)}
    losses: dict[str, list[float]] = {
        name: [float(training.step(texts(device, step))) for step in range(options.steps)]
        for name, training in trainings.items()
    }
    # Differences in the last bit of bf16 grow as training goes on.
    pairs = list(zip(losses["every_shape"], losses["torch"]))
    apart = max((abs(a - b) / max(b, 0.1) for a, b in pairs), default=0.0)
    right = bool(pairs) and apart < 0.1 and pairs[-1][0] <= pairs[0][0]  # and NaN is neither
    for step in sorted({*range(0, options.steps, max(1, options.steps // 5)), options.steps - 1}):
        print(f"  step {step:3}: loss {pairs[step][0]:.4f}, torch {pairs[step][1]:.4f}")
    print(f"{'right' if right else 'WRONG'}: losses differ by {100 * apart:.2f}% at most")
    text, times = texts(device, 0), {}
    for name, training in trainings.items():
        times[f"{name}_training_ms"] = median_ms(lambda: training.step(text), device)
        times[f"{name}_inference_ms"] = median_ms(lambda: training.inference(text), device)
    for what in "training", "inference":
        print(f"  {what:9} {times[f'every_shape_{what}_ms']:8.2f} ms, torch {times[f'torch_{what}_ms']:8.2f} ms")
    write(options.json, device, {"model": vars(SIZES[device]), "losses": losses, **times})
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
