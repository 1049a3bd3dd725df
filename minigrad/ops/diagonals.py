"""Diagonals and triangles of matrices."""

from __future__ import annotations

from operator import index

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.shapes import Expand
from minigrad.core.tape import Unary, View
from minigrad.core.tensor import Tensor
from minigrad.declare import op, rewritten
from minigrad.ops.dims import normal_dim

# ---- diagonals -------------------------------------------------------------------------------------------------------


def diagonal_view(x: Array, offset: int, dim1: int, dim2: int) -> Array:
    """A diagonal of `x` that can be written to, as NumPy's cannot, if `x` can."""
    view = x.diagonal(offset, dim1, dim2)
    view.flags.writeable = x.flags.writeable
    return view


class Diagonal(View):
    """`y[…, i] = x[…, i, …, i + offset, …]`: a diagonal of dimensions `dim1` and `dim2`, last, as a view."""

    formulas = ("dx = PutDiagonal(g), zero elsewhere",)
    __slots__ = ("x_shape",)
    offset: int
    dim1: int
    dim2: int

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return diagonal_view(x, self.offset, self.dim1, self.dim2)

    def dx(self, g: Tensor) -> Tensor:
        return PutDiagonal(self.x_shape, self.offset, self.dim1, self.dim2)(g)


class DiagonalCopy(Diagonal):
    """`y[…, i] = x[…, i, …, i + offset, …]`: as Diagonal, but a copy."""

    form = "DiagonalBackward0_copy"

    __call__ = Unary.__call__

    def forward(self, x: Array) -> Array:
        return super().forward(x).copy()


class PutDiagonal(Unary):
    """`y = 0`, but `x` on a diagonal of dimensions `dim1` and `dim2`, with y of `shape`."""

    form = "DiagEmbedBackward0"
    formulas = ("dx = Diagonal(g)",)
    shape: tuple[int, ...]
    offset: int
    dim1: int
    dim2: int

    def forward(self, x: Array) -> Array:
        y = np.zeros(self.shape, x.dtype)
        diagonal_view(y, self.offset, self.dim1, self.dim2)[...] = x
        return y

    def dx(self, g: Tensor) -> Tensor:
        return Diagonal(self.offset, self.dim1, self.dim2)(g)


def _two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Two different dimensions, counted from the front."""
    first, second = normal_dim(dim1, ndim), normal_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


@op()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal of two dimensions, as the last one; it starts `offset` columns to the right.

    >>> import minigrad as torch
    >>> torch.arange(6).view(2, 3).diagonal(1)
    tensor([1, 5])
    """
    return Diagonal(index(offset), *_two_dims(dim1, dim2, input._array.ndim))(input)


@op()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Of a vector the matrix with it on a diagonal; of a matrix a copy of that diagonal."""
    if input._array.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._array.ndim}D")
    return input.diag_embed(diagonal) if input._array.ndim == 1 else DiagonalCopy(index(diagonal), 0, 1)(input)


@op()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the elements of the last dimension on a diagonal, in the dimensions `dim1` and `dim2`.

    >>> import minigrad as torch
    >>> torch.tensor([1, 2]).diag_embed(1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    ndim = input._array.ndim + 1
    dims = _two_dims(dim1, dim2, ndim)
    shape = list(input._array.shape[:-1])
    for dim in sorted(dims):
        shape.insert(dim, input._array.shape[-1] + abs(index(offset)))
    return PutDiagonal(tuple(shape), index(offset), *dims)(input)


class Trace(Unary):
    """The sum of the diagonal of a matrix `x`, of integers as int64."""

    formulas = ("dx = g on the diagonal, 0 elsewhere",)
    __slots__ = ("x_shape",)

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        wide = np.int64 if x.dtype.kind != "f" else np.promote_types(x.dtype, np.float32)
        total = np.asarray(x.trace(dtype=wide))
        return total.astype(x.dtype) if x.dtype.kind == "f" else total

    def dx(self, g: Tensor) -> Tensor:
        return PutDiagonal(self.x_shape, 0, 0, 1)(Expand((min(self.x_shape),))(g))


@op()
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    if input._array.dtype == bool:
        raise NotImplementedError("\"trace\" not implemented for 'Bool': expected numbers, such as x.long()")
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    return Trace()(input)


# ---- triangles -------------------------------------------------------------------------------------------------------


class Tril(Unary):
    """The lower triangle of each matrix: `x[…, i, j]` where j <= i + diagonal, else 0."""

    formulas = ("dx = Tril(g)",)
    diagonal: int

    def forward(self, x: Array) -> Array:
        if x.ndim < 2:
            raise RuntimeError(f"{type(self).__name__.lower()}: input tensor must have at least 2 dimensions")
        return self.triangle(x, self.diagonal)

    triangle = staticmethod(np.tril)

    def dx(self, g: Tensor) -> Tensor:
        return type(self)(self.diagonal)(g)


class Triu(Tril):
    """The upper triangle of each matrix: `x[…, i, j]` where j >= i + diagonal, else 0."""

    formulas = ("dx = Triu(g)",)
    triangle = staticmethod(np.triu)


@op(in_place=rewritten)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """A copy of each matrix with zeros above a diagonal.

    >>> import minigrad as torch
    >>> torch.ones(3, 3).tril()
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    """
    return Tril(index(diagonal))(input)


@op(in_place=rewritten)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """A copy of each matrix with zeros below a diagonal.

    >>> import minigrad as torch
    >>> torch.ones(3, 3).triu(1)
    tensor([[0., 1., 1.],
            [0., 0., 1.],
            [0., 0., 0.]])
    """
    return Triu(index(diagonal))(input)
