#!/usr/bin/env python3
"""Two layers of a perceptron over several GPUs by torch.distributed.tensor: the first sharded by columns,
the second by rows. Its result and gradients are checked against one process, and it is timed beside
torch.nn.Linear sharded the same way.

usage: torchrun --nproc-per-node 2 tensor_parallel.py [--device cuda|cpu] [--rows M] [--width N]
                                                      [--hidden H] [--json FILE]

A process for each GPU, over NCCL; --device cpu: over gloo, on the CPU backend, at a small size.
Exit status: 0 right, 1 wrong result, 2 bad usage, 3 too few GPUs.
"""

import argparse
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

import every_shape
import every_shape.sharding  # noqa: F401
from timing import median_ms, write


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


def step(model: torch.nn.Module, x: torch.Tensor, backward: bool) -> None:
    with torch.set_grad_enabled(backward):
        out = model(x)
    if backward:
        out.float().mean().backward()


def main() -> int:
    parser = argparse.ArgumentParser(description="A perceptron sharded over several GPUs.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    for name, meaning in ("rows", "of x"), ("width", "of x and of the result"), ("hidden", "width between"):
        parser.add_argument(f"--{name}", type=int, help=meaning)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the times")
    options = parser.parse_args()
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 0))
    cpu = options.device == "cpu"
    if world < 1:
        parser.error("start it by torchrun")
    if not cpu and torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]):
        print("tensor_parallel: fewer GPUs than processes", file=sys.stderr)
        return 3
    rows, width = options.rows or (48 if cpu else 4096), options.width or (64 if cpu else 4096)
    hidden = options.hidden or 4 * width
    device = torch.device("cpu") if cpu else torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    if not cpu:
        torch.cuda.set_device(device)
    dist.init_process_group("gloo" if cpu else "nccl")  # by itself PyTorch takes NCCL where there is a GPU
    mesh = init_device_mesh(options.device, (world,))
    torch.manual_seed(31)
    x = (torch.rand(rows, width) * 2 - 1).to(device, torch.bfloat16)

    expected = results(perceptron(width, hidden, False, device), x)
    error = largest_error(results(sharded(perceptron(width, hidden, True, device), mesh), x), expected)
    by_torch = largest_error(results(sharded(perceptron(width, hidden, False, device), mesh), x), expected)
    right = error < max(2**-5, 2 * by_torch)  # parts of sums are rounded to bf16 before they are added
    result = {"processes": world, "rows": rows, "width": width, "hidden": hidden, "error": error,
              "torch_error": by_torch}
    for kind in ("every_shape", "torch"):
        model = sharded(perceptron(width, hidden, kind == "every_shape", device), mesh)
        for name, backward in ("inference", False), ("training", True):
            result[f"{kind}_{name}_ms"] = median_ms(lambda: step(model, x, backward), options.device)
    if rank == 0:
        print(f"{world} processes, {options.device}, {rows}x{width}x{hidden}: "
              f"{'right' if right else 'WRONG'}, error {error:.1e} (torch's own {by_torch:.1e})")
        for name in "inference", "training":
            print(f"  {name:9} {result[f'every_shape_{name}_ms']:8.3f} ms, "
                  f"torch {result[f'torch_{name}_ms']:8.3f} ms")
        write(options.json, options.device, result)
    dist.destroy_process_group()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
