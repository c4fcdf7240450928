"""The kernel for every shape as a PyTorch operator: a linear layer, with its bias and ReLU in one launch.

    from linear import linear
    y = linear(x, weight, bias, relu=True)      # max(x @ weight.T + bias, 0)

bf16 or fp16, sums in fp32, one rounding at the end. Tensors of a GPU of compute capability 9.0, or of
the CPU, where the CPU backend computes it, checking every access (it is a model of the GPU: slow).
The operator is `torch.ops.gemm_ladder.linear`: torch.compile takes it whole, and it has gradients.

The libraries are build/lib/liblinear_{cuda,cpu}.so, which `make pytorch` builds; LINEAR_LIBRARIES
names another folder.
"""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Optional

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[3]
REFUSED = 2  # as the exit status of the repository's programs


@functools.lru_cache(maxsize=None)
def library(device_type: str) -> ctypes.CDLL:
    """The kernel for "cuda" or for "cpu"."""
    folder = Path(os.environ.get("LINEAR_LIBRARIES", ROOT / "build" / "lib"))
    path = folder / f"liblinear_{device_type}.so"
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise RuntimeError(f"linear: cannot load {path} ({error}); `make pytorch` builds it") from None
    pointer, number, flag = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    loaded.linear_run.argtypes = [pointer, number] * 2 + [pointer] * 2 + [number] * 4
    loaded.linear_run.argtypes += [flag, flag, pointer]
    loaded.linear_allocate.argtypes = [number]
    loaded.linear_allocate.restype = pointer
    loaded.linear_release.argtypes = [pointer]
    loaded.linear_release.restype = None
    loaded.linear_upload.argtypes = loaded.linear_download.argtypes = [pointer, pointer, number]
    loaded.linear_complaint.restype = ctypes.c_char_p
    return loaded


def demand(kernel: ctypes.CDLL, status: int) -> None:
    """Turns a status of the library into an exception with its line."""
    if status:
        line = kernel.linear_complaint().decode()
        raise ValueError(line) if status == REFUSED else RuntimeError(line)


def check(x: Tensor, weight: Tensor, bias: Optional[Tensor]) -> None:
    """What the shapes, types and places of the operands must be; strides and addresses come later."""
    if x.dim() != 2 or weight.dim() != 2:
        raise ValueError(
            f"linear: x (M, K) and weight (N, K) have 2 dimensions, not {x.dim()} and {weight.dim()}"
        )
    if x.shape[1] != weight.shape[1]:
        raise ValueError(
            f"linear: x has {x.shape[1]} columns, weight {weight.shape[1]}: they share K"
        )
    if x.dtype not in (torch.bfloat16, torch.float16):
        raise TypeError(f"linear: x is {x.dtype}; the kernel takes torch.bfloat16 and torch.float16")
    if x.device.type not in ("cuda", "cpu"):
        raise ValueError(f"linear: x is on {x.device}; the kernel runs on cuda and on cpu")
    others = {"weight": weight} if bias is None else {"weight": weight, "bias": bias}
    for name, tensor in others.items():
        if tensor.dtype != x.dtype:
            raise TypeError(f"linear: {name} is {tensor.dtype}, x is {x.dtype}")
        if tensor.device != x.device:
            raise ValueError(f"linear: {name} is on {tensor.device}, x is on {x.device}")
    if bias is not None and (bias.dim() != 1 or bias.shape[0] != weight.shape[0]):
        raise ValueError(
            f"linear: bias has shape {tuple(bias.shape)}; one element for each of the "
            f"{weight.shape[0]} rows of weight is needed"
        )


def row_distance(name: str, matrix: Tensor) -> int:
    """Elements from one row to the next, as TMA can take them."""
    rows, length = matrix.shape
    if length > 1 and rows > 0 and matrix.stride(1) != 1:
        raise ValueError(
            f"linear: neighbours in a row of {name} are {matrix.stride(1)} elements apart, not 1; "
            f"{name}.contiguous() copies it into rows"
        )
    distance = length if rows < 2 else matrix.stride(0)  # of a single row it may be anything
    if distance % 8 and rows > 0 and length > 0:
        raise ValueError(
            f"linear: rows of {name} are {distance} elements apart; TMA needs a multiple of 8: pad K"
        )
    if distance < length:
        raise ValueError(f"linear: rows of {name} overlap ({distance} elements apart)")
    return distance


class Held:
    """A tensor of the CPU in memory that the CPU backend knows, as far from 16-byte alignment."""

    def __init__(self, kernel: ctypes.CDLL, tensor: Tensor) -> None:
        self.kernel, self.host, self.bytes = kernel, tensor.data_ptr(), 0
        if tensor.numel():
            last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
            self.bytes = (last + 1) * tensor.element_size()
        self.memory = kernel.linear_allocate(self.bytes + 16)
        if self.memory is None:
            raise RuntimeError(kernel.linear_complaint().decode())
        self.address = self.memory + self.host % 16
        if self.bytes:
            demand(kernel, kernel.linear_upload(self.address, self.host, self.bytes))

    def fetch(self) -> None:
        if self.bytes:
            demand(self.kernel, self.kernel.linear_download(self.host, self.address, self.bytes))

    def __del__(self) -> None:
        self.kernel.linear_release(self.memory)


@torch.library.custom_op(
    "gemm_ladder::linear", mutates_args=(), tags=(torch.Tag.needs_fixed_stride_order,)
)
def linear_op(x: Tensor, weight: Tensor, bias: Optional[Tensor], relu: bool) -> Tensor:
    check(x, weight, bias)
    x_rows, w_rows = row_distance("x", x), row_distance("weight", weight)
    if bias is not None:
        bias = bias.contiguous()
    (m, k), n = x.shape, weight.shape[0]
    out = x.new_empty((m, n))
    kernel = library(x.device.type)
    fp16 = x.dtype == torch.float16

    def run(x_at: int, w_at: int, bias_at: Optional[int], out_at: int, stream: Optional[int]) -> None:
        demand(
            kernel,
            kernel.linear_run(
                x_at, x_rows, w_at, w_rows, bias_at, out_at, n, m, n, k, fp16, relu, stream
            ),
        )

    if x.device.type == "cpu":
        held = [Held(kernel, t) for t in (x, weight, out)]
        held_bias = Held(kernel, bias) if bias is not None else None
        bias_at = held_bias.address if held_bias else None
        run(held[0].address, held[1].address, bias_at, held[2].address, None)
        held[2].fetch()
        return out
    if torch.cuda.get_device_capability(x.device) != (9, 0):
        raise RuntimeError(
            "linear: the kernel needs compute capability 9.0; "
            f"{torch.cuda.get_device_name(x.device)} has another"
        )
    with torch.cuda.device(x.device):
        stream = torch.cuda.current_stream().cuda_stream
        bias_at = bias.data_ptr() if bias is not None else None
        run(x.data_ptr(), weight.data_ptr(), bias_at, out.data_ptr(), stream)
    return out


@linear_op.register_fake
def _(x: Tensor, weight: Tensor, bias: Optional[Tensor], relu: bool) -> Tensor:
    check(x, weight, bias)
    return x.new_empty((x.shape[0], weight.shape[0]))


def _keep(ctx, inputs, output) -> None:
    x, weight, bias, ctx.relu = inputs
    ctx.with_bias = bias is not None
    ctx.save_for_backward(x, weight, *([output] if ctx.relu else []))


def _gradients(ctx, grad: Tensor):
    x, weight, *output = ctx.saved_tensors
    if ctx.relu:
        grad = grad * (output[0] > 0)
    of_x, of_weight, of_bias, _ = ctx.needs_input_grad
    return (
        grad @ weight if of_x else None,
        grad.T @ x if of_weight else None,
        grad.sum(0) if ctx.with_bias and of_bias else None,
        None,
    )


linear_op.register_autograd(_gradients, setup_context=_keep)


def linear(x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, relu: bool = False) -> Tensor:
    """x (..., K) @ weight (N, K).T + bias (N), then max(., 0) if `relu`: (..., N) in x's type.

    Raises TypeError or ValueError for operands that the kernel does not take, naming the operand and
    the rule; RuntimeError for a device that fails or is not of compute capability 9.0.
    """
    if x.dim() == 2:
        return linear_op(x, weight, bias, relu)
    if x.dim() == 0:
        raise ValueError("linear: x has no dimension; its last one is K")
    flat = linear_op(x.reshape(-1, x.shape[-1]), weight, bias, relu)
    return flat.view(*x.shape[:-1], weight.shape[0])
