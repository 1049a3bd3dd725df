"""Windows that slide along a dimension, an adjoint pair."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.shapes import strided
from minigrad.core.tape import Unary, View
from minigrad.core.tensor import Tensor


class Unfold(View):
    """`y[…, i, …, j] = x[…, i * step + j, …]` along `dim`: each full window of `size` elements, as a view.

    dx = Fold(g): where windows overlap, their gradients add up.
    """

    __slots__ = ("dim", "size", "step", "x_shape")

    def __init__(self, dim: int, size: int, step: int) -> None:
        self.dim = dim
        self.size = size
        self.step = step

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        x = x if x.ndim else x.reshape(1)
        shape, strides = list(x.shape), list(x.strides)
        shape[self.dim] = (x.shape[self.dim] - self.size) // self.step + 1
        strides[self.dim] *= self.step
        y = strided(x, (*shape, self.size), (*strides, x.strides[self.dim]))
        return y if self.x_shape else y[0]

    def dx(self, g: Tensor) -> Tensor:
        return Fold(self.x_shape, self.dim, self.size, self.step)(g)


class Fold(Unary):
    """`y = 0;  y[…, i * step + j, …] += x[…, i, …, j]` along `dim`, with y of `shape`.   dx = Unfold(g)."""

    __slots__ = ("dim", "shape", "size", "step")

    def __init__(self, shape: tuple[int, ...], dim: int, size: int, step: int) -> None:
        self.shape = shape
        self.dim = dim
        self.size = size
        self.step = step

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape or 1, np.promote_types(x.dtype, np.float32))
        count = x.shape[self.dim]
        before = (slice(None),) * self.dim
        # The j-th elements of all windows lie in places of their own.
        for j in range(self.size):
            y[(*before, slice(j, j + count * self.step, self.step))] += x[..., j]
        return y.reshape(self.shape).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Unfold(self.dim, self.size, self.step)(g)
