#!/usr/bin/env python3
"""What a call costs the CPU: every_shape.linear beside torch.nn.functional.linear, in one process.

usage: time_host.py [--calls N] [--json FILE]

calls    the median of 10,000 eager calls at M = N = K = 512, 1024 and 4096, bf16, with a bias; both in
         turns of 100, the GPU being waited for before each turn and not in it.
layers   100 linear layers of width 4096, eager, one after the other, for M = 16, 128 and 1024: from the
         first call until the GPU is done with the last. The median of 15 rounds.

Exit status: 0 measured, 2 bad usage, 3 no GPU that the kernel runs on.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Callable

import torch

import every_shape
from timing import has_gpu, step_ms, write

TURN, LAYERS, WIDTH, ROUNDS = 100, 100, 4096, 15
METHODS = {"every_shape": every_shape.linear, "torch": torch.nn.functional.linear}

Call = Callable[..., torch.Tensor]


def uniform(*shape: int) -> torch.Tensor:
    return (torch.rand(shape, device="cuda") * 2 - 1).bfloat16()


def call_times(call: Call, operands: tuple[torch.Tensor, ...], into: list[float]) -> None:
    """Microseconds of each call of a turn."""
    torch.cuda.synchronize()
    for _ in range(TURN):
        begin = time.perf_counter_ns()
        call(*operands)
        into.append((time.perf_counter_ns() - begin) / 1e3)


def time_calls(size: int, calls: int) -> dict:
    operands = uniform(size, size), uniform(size, size), uniform(size)
    times: dict[str, list[float]] = {name: [] for name in METHODS}
    with torch.no_grad():
        for call in METHODS.values():
            call_times(call, operands, [])
        # No more calls than the driver queues before it waits for the GPU.
        for turn in range(-(-calls // TURN)):
            for name in sorted(METHODS, reverse=turn % 2 == 1):
                call_times(METHODS[name], operands, times[name])
    return {"size": size, **{f"{name}_us": statistics.median(found) for name, found in times.items()}}


def time_layers(m: int) -> dict:
    x = uniform(m, WIDTH)
    layers = [(uniform(WIDTH, WIDTH) / 64, uniform(WIDTH)) for _ in range(8)]  # more than the L2 holds
    times: dict[str, list[float]] = {name: [] for name in METHODS}

    def run(call: Call) -> None:
        hidden = x
        for layer in range(LAYERS):
            hidden = call(hidden, *layers[layer % len(layers)])

    with torch.no_grad():
        for call in METHODS.values():
            run(call)
        for turn in range(ROUNDS):
            for name in sorted(METHODS, reverse=turn % 2 == 1):
                times[name].append(step_ms(lambda: run(METHODS[name]), "cuda"))
    return {"m": m, **{f"{name}_ms": statistics.median(found) for name, found in times.items()}}


def main() -> int:
    parser = argparse.ArgumentParser(description="What a call of the operator costs the CPU.")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements")
    options = parser.parse_args()
    if options.calls < 1:
        parser.error("--calls: the least is 1")
    if not has_gpu("time_host"):
        return 3
    result: dict[str, list] = {"calls": [], "layers": []}
    for size in 512, 1024, 4096:
        result["calls"].append(row := time_calls(size, options.calls))
        print(f"a call at {size}: {row['every_shape_us']:.1f} us, torch {row['torch_us']:.1f} us")
    for m in 16, 128, 1024:
        result["layers"].append(row := time_layers(m))
        print(f"{LAYERS} layers at M = {m}: {row['every_shape_ms']:.2f} ms, torch {row['torch_ms']:.2f} ms")
    write(options.json, "cuda", result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
