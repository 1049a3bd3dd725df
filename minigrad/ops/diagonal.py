"""Diagonals and triangles of matrices."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.shapes import Expand
from minigrad.core.tape import Unary, View
from minigrad.core.tensor import Tensor


class Diagonal(View):
    """`y[…, i] = x[…, i, …, i + offset, …]`: a diagonal of dimensions `dim1` and `dim2`, last, as a view.

    dx = PutDiagonal(g), zero elsewhere.
    """

    __slots__ = ("dim1", "dim2", "offset", "x_shape")

    def __init__(self, offset: int, dim1: int, dim2: int) -> None:
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return diagonal_view(x, self.offset, self.dim1, self.dim2)

    def dx(self, g: Tensor) -> Tensor:
        return PutDiagonal(self.x_shape, self.offset, self.dim1, self.dim2)(g)


class DiagonalCopy(Diagonal):
    """`y[…, i] = x[…, i, …, i + offset, …]`: as Diagonal, but a copy."""

    __slots__ = ()
    __call__ = Unary.__call__

    def forward(self, x: Array) -> Array:
        return super().forward(x).copy()

    def name(self) -> str:
        return "DiagonalBackward0_copy"


class PutDiagonal(Unary):
    """`y = 0`, but `x` on a diagonal of dimensions `dim1` and `dim2`, with y of `shape`.   dx = Diagonal(g)."""

    __slots__ = ("dim1", "dim2", "offset", "shape")

    def __init__(self, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> None:
        self.shape = shape
        self.offset = offset
        self.dim1 = dim1
        self.dim2 = dim2

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype)
        diagonal_view(y, self.offset, self.dim1, self.dim2)[...] = x
        return y

    def dx(self, g: Tensor) -> Tensor:
        return Diagonal(self.offset, self.dim1, self.dim2)(g)

    def name(self) -> str:
        return "DiagEmbedBackward0"


class Trace(Unary):
    """The sum of the diagonal of a matrix `x`, of integers as int64.   dx = g on the diagonal, 0 elsewhere."""

    __slots__ = ("x_shape",)

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        wide = np.int64 if x.dtype.kind != "f" else np.promote_types(x.dtype, np.float32)
        total = np.asarray(x.trace(dtype=wide))
        return total.astype(x.dtype) if x.dtype.kind == "f" else total

    def dx(self, g: Tensor) -> Tensor:
        return PutDiagonal(self.x_shape, 0, 0, 1)(Expand((min(self.x_shape),))(g))


class Tril(Unary):
    """The lower triangle of each matrix: `x[…, i, j]` where j <= i + k, else 0.   dx = Tril(g)."""

    __slots__ = ("k",)

    def __init__(self, k: int) -> None:
        self.k = k

    def forward(self, x: Array) -> Array:
        return np.tril(x, self.k)

    def dx(self, g: Tensor) -> Tensor:
        return type(self)(self.k)(g)


class Triu(Tril):
    """The upper triangle of each matrix: `x[…, i, j]` where j >= i + k, else 0.   dx = Triu(g)."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        return np.triu(x, self.k)


def diagonal_view(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A diagonal of `x` that can be written to, as NumPy's cannot, if `x` can."""
    view = x.diagonal(offset, dim1, dim2)
    view.flags.writeable = x.flags.writeable
    return view
