"""A linear layer by the kernel for every shape: x @ weight.T, with its bias and activation in one launch.

    from every_shape import Linear, linear, replace_linears
    y = linear(x, weight, bias, "gelu")

bf16 or fp16, sums in fp32, one rounding at the end; or fp32 under torch.autocast. Tensors of a GPU of
compute capability 9.0, or of the CPU, where the CPU backend computes it, checking every access (it is a
model of the GPU: slow). The operator is `torch.ops.every_shape.linear`.
"""

from typing import Optional

import torch
from torch import Tensor

try:
    from ._built_for import TORCH
except ImportError:
    raise ImportError("every_shape has not been built: pip install its folder") from None
if TORCH != torch.__version__:
    raise ImportError(
        f"every_shape was built for PyTorch {TORCH}, and this is {torch.__version__}: "
        "pip install it again"
    )
from . import _operator  # noqa: E402

ACTIVATIONS = {"none": 0, "relu": 1, "gelu": 2, "silu": 3}  # as in operator.cpp; GELU by tanh


def linear(
    x: Tensor, weight: Tensor, bias: Optional[Tensor] = None, activation: str = "none"
) -> Tensor:
    """activation(x (..., K) @ weight (N, K).T + bias (N)): (..., N) in x's type.

    Raises TypeError or ValueError for operands that the kernel does not take, naming the operand and
    the rule; RuntimeError for a device that fails, for a GPU of another compute capability than 9.0
    and for a library that is missing.
    """
    number = ACTIVATIONS.get(activation)
    if number is None:
        raise ValueError(f"linear: activation is {activation!r}, not {', '.join(ACTIVATIONS)}")
    if torch.compiler.is_compiling():
        return torch.ops.every_shape.linear.default(x, weight, bias, number)
    return _operator.linear(x, weight, bias, number)


class Linear(torch.nn.Linear):
    """torch.nn.Linear by this kernel, followed by an activation."""

    activation = "none"

    def __init__(self, *arguments, activation: str = "none", **others) -> None:
        super().__init__(*arguments, **others)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias, self.activation)


def replace_linears(model: torch.nn.Module) -> int:
    """Makes every torch.nn.Linear in the model a Linear, which keeps its parameters and hooks, and
    returns how many. One whose in_features are no multiple of 8 stays: TMA does not read its rows.
    """
    found = [m for m in model.modules() if type(m) is torch.nn.Linear and m.in_features % 8 == 0]
    for module in found:
        module.__class__ = Linear
    return len(found)
