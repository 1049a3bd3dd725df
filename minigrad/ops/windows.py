"""Windows that slide along a dimension, an adjoint pair."""

from __future__ import annotations

from operator import index

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.shapes import strided
from minigrad.core.tape import Unary, View
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops.dims import normal_dim


class Unfold(View):
    """`y[…, i, …, j] = x[…, i * step + j, …]` along `dim`: each full window of `size` elements, as a view."""

    formulas = ("dx = Fold(g): where windows overlap, their gradients add up",)
    __slots__ = ("x_shape",)
    dim: int
    size: int
    step: int

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
    """`y = 0;  y[…, i * step + j, …] += x[…, i, …, j]` along `dim`, with y of `shape`."""

    formulas = ("dx = Unfold(g)",)
    shape: tuple[int, ...]
    dim: int
    size: int
    step: int

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


@op("Tensor")
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of the windows of `size` elements, each `step` after the one before; each lies along a new last dim.

    >>> import minigrad as torch
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    at = normal_dim(dimension, input._array.ndim)
    longest = input._array.shape[at] if input._array.ndim else 1
    if not 0 <= size <= longest:
        raise RuntimeError(f"maximum size for tensor at dimension {at} is {longest} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return Unfold(at, index(size), index(step))(input)
