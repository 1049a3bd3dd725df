"""A half of the elements as a gate for the other half."""

from __future__ import annotations

from typing import SupportsIndex

from minigrad.methods.forms import checked_tensor
from minigrad.ops.dims import normal_dim
from minigrad.ops.gates import Glu
from minigrad.ops.widening import in_float32
from minigrad.tensor import Tensor

__all__ = ["glu"]


def glu(input: Tensor, dim: SupportsIndex = -1) -> Tensor:
    """`a * sigmoid(b)` for the two halves a and b of `input` along `dim`: b says how much of a goes on.

    Source: Y. N. Dauphin et al., "Language modeling with gated convolutional networks" (2017).

    >>> import minigrad as torch
    >>> glu(torch.tensor([4.0, 6.0, 0.0, 100.0]))
    tensor([2., 6.])
    """
    checked_tensor("glu", input)
    if input.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    along = normal_dim(dim, input.ndim)
    if input._array.shape[along] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {along} is size {input._array.shape[along]}")
    if not input.is_floating_point():
        raise NotImplementedError(f"\"glu_cpu\" not implemented for '{input.dtype._tensor_name}': input.float()")
    return in_float32(Glu(along), input)
