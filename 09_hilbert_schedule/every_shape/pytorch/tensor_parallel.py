#!/usr/bin/env python3
"""Two layers of a perceptron over several GPUs by torch.distributed.tensor: the first sharded by columns,
the second by rows. Its result and gradients are checked against one process, and it is timed beside
torch.nn.Linear sharded the same way.

usage: torchrun --nproc-per-node 2 tensor_parallel.py [--device cuda|cpu] [--rows M] [--width N]
                                                      [--hidden H] [--repeats R] [--json FILE]

A process for each GPU, over NCCL; --device cpu: over gloo, on the CPU backend, at a small size.
Exit status: 0 right, 1 wrong result, 2 bad usage, 3 too few GPUs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import every_shape
import every_shape.sharding  # noqa: F401


def perceptron(width: int, hidden: int, ours: bool, device: torch.device) -> torch.nn.Module:
    """With the same parameters in every process and for both kinds."""
    torch.manual_seed(30)
    layers = [torch.nn.Linear(width, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, width)]
    model = torch.nn.Sequential(*layers).to(device, torch.bfloat16)
    if ours:
        every_shape.replace_linears(model)
    return model


def sharded(model: torch.nn.Module, mesh) -> torch.nn.Module:
    return parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})


def whole(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def results(model: torch.nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """The output, and the gradients of all parameters."""
    out = model(x)
    out.float().square().mean().backward()
    return [whole(out).detach(), *(whole(p.grad) for p in model.parameters())]


def largest_error(found: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """As a part of the largest entry of its tensor."""
    errors = [(a.float() - b.float()).abs().max() / b.float().abs().max() for a, b in zip(found, expected)]
    return float(torch.stack(errors).nan_to_num(nan=torch.inf).max())


def milliseconds(model: torch.nn.Module, x: torch.Tensor, backward: bool, repeats: int) -> float:
    """The median of a step, from the host, all processes beginning together."""
    times = []
    wait = torch.cuda.synchronize if x.is_cuda else lambda: None
    for _ in range(repeats + 3):
        dist.barrier()
        wait()
        begin = time.perf_counter()
        with torch.set_grad_enabled(backward):
            out = model(x)
        if backward:
            out.float().mean().backward()
        wait()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times[3:])


def main() -> int:
    parser = argparse.ArgumentParser(description="A perceptron sharded over several GPUs.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    for name, meaning in ("rows", "of x"), ("width", "of x and of the result"), ("hidden", "width between"):
        parser.add_argument(f"--{name}", type=int, help=meaning)
    parser.add_argument("--repeats", type=int, default=0, help="of every timed step (50 on cuda, 2 on cpu)")
    parser.add_argument("--json", help="write the times")
    options = parser.parse_args()
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 0))
    cpu = options.device == "cpu"
    if world < 1:
        parser.error("start it by torchrun")
    if not cpu and torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]):
        print("tensor_parallel: fewer GPUs than processes", file=sys.stderr)
        return 3
    rows, width = options.rows or (48 if cpu else 4096), options.width or (64 if cpu else 4096)
    hidden, repeats = options.hidden or 4 * width, options.repeats or (2 if cpu else 50)
    device = torch.device("cpu") if cpu else torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    if not cpu:
        torch.cuda.set_device(device)
    mesh = init_device_mesh(options.device, (world,))
    torch.manual_seed(31)
    x = (torch.rand(rows, width) * 2 - 1).to(device, torch.bfloat16)

    expected = results(perceptron(width, hidden, False, device), x)
    error = largest_error(results(sharded(perceptron(width, hidden, True, device), mesh), x), expected)
    by_torch = largest_error(results(sharded(perceptron(width, hidden, False, device), mesh), x), expected)
    right = error < max(2**-5, 2 * by_torch)  # parts of sums are rounded to bf16 before they are added
    result = {"torch": torch.__version__, "processes": world, "rows": rows, "width": width, "hidden": hidden, "error": error,
              "torch_error": by_torch}
    for kind in ("every_shape", "torch"):
        model = sharded(perceptron(width, hidden, kind == "every_shape", device), mesh)
        for step, backward in ("inference", False), ("training", True):
            result[f"{kind}_{step}_ms"] = milliseconds(model, x, backward, repeats)
    if rank == 0:
        device_name = "CPU" if cpu else torch.cuda.get_device_name()
        print(f"{world} processes, {device_name}, {rows}x{width}x{hidden}: "
              f"{'right' if right else 'WRONG'}, error {error:.1e} (torch's own {by_torch:.1e})")
        for step in "inference", "training":
            print(f"  {step:9} {result[f'every_shape_{step}_ms']:8.3f} ms, "
                  f"torch {result[f'torch_{step}_ms']:8.3f} ms")
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump({"device": device_name, **result}, file, indent=1)
    dist.destroy_process_group()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
