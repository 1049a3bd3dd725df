"""Softmax."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from minigrad.autograd.node import Unary, keep_output
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Softmax(Unary):
    """`exp(x) / sum(exp(x))` along `dim`.   dx = (g - sum(g * y)) * y."""

    __slots__ = ("dim",)
    keep = keep_output

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        if x.size == 0:
            return x.copy()
        axis = self.dim if x.ndim else None
        # Shifted by the maximum, which cancels in the ratio: the largest exponential is then 1 and none overflows.
        y = x.astype(np.promote_types(x.dtype, np.float32))
        y -= y.max(axis=axis, keepdims=True)
        np.exp(y, out=y)
        y /= y.sum(axis=axis, keepdims=True)
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        y = self.kept_output(g)
        return (g - (g * y).sum(self.dim, keepdim=True)) * y
