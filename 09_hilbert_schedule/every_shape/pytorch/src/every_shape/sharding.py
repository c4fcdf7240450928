"""How torch.distributed.tensor shards the operator: import it, and DTensors may be given to linear().

    column-parallel   weight Shard(0): every process computes columns of the result
    row-parallel      weight Shard(1), x sharded along K: every process computes a part of all sums
    data-parallel     x sharded along its other dimensions
"""

import torch
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor.experimental import register_sharding

from . import ACTIVATIONS


@register_sharding(torch.ops.every_shape.linear.default)
def shardings(x, weight, bias=None, activation=0):
    """Which placements of the result belong to which of the operands."""

    def operands(of_x, of_weight, of_bias):
        return [of_x, of_weight, None if bias is None else of_bias, None]

    last = x.ndim - 1
    found = [([Replicate()], operands(Replicate(), Replicate(), Replicate()))]
    for dim in range(last):
        found.append(([Shard(dim)], operands(Shard(dim), Replicate(), Replicate())))
    found.append(([Shard(last)], operands(Replicate(), Shard(0), Shard(0))))
    if activation == ACTIVATIONS["none"]:  # of a sum that is not complete there is none
        found.append(([Partial()], operands(Shard(last), Shard(1), Partial())))
    return found
