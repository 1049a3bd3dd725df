"""The linear layer: a matrix product and a bias; and matrix products.

On one-hot vectors it is an embedding: see `minigrad.core.embedding` for the pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .dtypes import HALVES, Array
from .modes import current
from .ops import Sum, sum_to
from .tape import Binary, Node
from .tensor import Tensor, method


class Linear(Node):
    """`Y = X @ W.T (+ b)`: a product with a matrix, and a bias or none.

    `X` is `(*, I)`, `W` is `(O, I)`, `b` is `(O,)` or None, and `Y` is `(*, O)`.
    """

    # With the upstream gradient `G` of shape `(*, O)`, and N rows in all of `*`:
    formulas = (
        "dX = G @ W",  # (*, O) @ (O, I) -> (*, I):  each output passes its gradient on, times its weights
        "dW = G.T @ X",  # (O, N) @ (N, I) -> (O, I):  each row of X, times what came back for it, summed over rows
        "db = sum of G's N rows",  # -> (O,):  the bias was added to every row
    )

    def forward(self, x: Array, weight: Array, bias: Array | None) -> Array:
        self.form = _form(x, bias)
        # BLAS reads the transposed view as it is, without a copy.
        y = product(x, weight.T)
        if bias is not None:
            y += bias
        return y

    def da(self, g: Tensor, weight: Tensor) -> Tensor:
        return MatMul().of(g, weight) if g._array.ndim > 1 else g @ weight

    def db(self, g: Tensor, x: Tensor) -> Tensor:
        return ProductOfRows().of(g, x)

    def dc(self, g: Tensor) -> Tensor:
        return Sum(tuple(range(g._array.ndim - 1))).of(g)

    def in_order(self, each: Sequence[Any]) -> tuple[Any, ...]:
        """As in PyTorch the bias comes first: there it is what a product is added to."""
        x, weight, bias = each
        return (x, weight) if self.edges[2] is None else (bias, x, weight)


def _form(x: Array, bias: Array | None) -> str:
    """The name of the last step PyTorch takes for a linear layer: that depends on the input's rank."""
    if x.ndim == 2:
        return "MmBackward0" if bias is None else "AddmmBackward0"
    if bias is None:
        return "SqueezeBackward4" if x.ndim == 1 else "UnsafeViewBackward0"
    return "ViewBackward0" if x.flags.c_contiguous else "AddBackward0"


# ---- matrix products -------------------------------------------------------------------------------------------------

# Matrices with few columns, less than this or by far less than rows, are faster multiplied all at once.
_FEW = 16


class MatMul(Binary):
    """`a @ b`: for matrices `(*, N, K)` and `(*, K, M)`, whose leading sizes broadcast."""

    form: str = "UnsafeViewBackward0"
    formulas = ("da = g @ b.mT, summed over what was broadcast", "db = a.mT @ g, summed over what was broadcast")

    def forward(self, a: Array, b: Array) -> Array:
        self.shapes = (a.shape, b.shape)
        return product(a, b)

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        if len(self.shapes[0]) == 2 < g._array.ndim:
            (n, k), m = self.shapes[0], g._array.shape[-1]
            if m < _FEW or 2 * m * (n + k) < n * k:
                # One product over all rows, as below, of the transposed matrices.
                return ProductOfRows().of(_turned(g), _turned(b))
        return sum_to(MatMul().of(g, _turned(b)), self.shapes[0])

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        if len(self.shapes[1]) == 2:
            # One product over all rows, not one for each leading index and then their sum.
            return ProductOfRows().of(a, g)
        return sum_to(MatMul().of(_turned(a), g), self.shapes[1])

    def name(self) -> str:
        return "MmBackward0" if len(self.shapes[0]) == len(self.shapes[1]) == 2 else self.form


class ProductOfRows(Binary):
    """The sum over all rows n of `outer(a[n], b[n])`, for `(*, K)` and `(*, M)`."""

    form = "MmBackward0"

    def forward(self, a: Array, b: Array) -> Array:
        return product(rows(a).T, rows(b))

    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return b @ g.mT

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return a @ g


def rows(x: Array) -> Array:
    """`x`, of shape `(*, D)`, as a matrix `(N, D)`."""
    return x if x.ndim == 2 else x.reshape(math.prod(x.shape[:-1]), x.shape[-1])


def _turned(x: Tensor) -> Tensor:
    """`x.mT`; where no history is recorded, it is not registered as a view."""
    return x.mT if current.enabled else x._new(x._array.swapaxes(-1, -2))


def product(a: Array, b: Array) -> Array:
    """`a @ b` in their dtype, with sums in at least float32."""
    if a.dtype in HALVES:
        return np.asarray(product(a.astype(np.float32), b.astype(np.float32))).astype(a.dtype)
    if a.ndim > 2 and b.ndim == 2:
        # One large product is faster than one per leading index.
        return product(rows(a), b).reshape(*a.shape[:-1], b.shape[1])
    if a.ndim > 2 or b.ndim > 2 or a.size == 1 or b.size == 1:
        return np.matmul(a, b, order="C")
    # `dot` takes half a microsecond less than `matmul`, and for an outer product a fourth of its time.  But where a
    # factor is a single 0, `dot` gives 0 even beside inf and nan: so that case is above.
    return a.dot(b)


@method("__matmul__")
def matmul(a: Tensor, b: Tensor) -> Tensor:
    """`a @ b` of matrices, or of batches of them."""
    return MatMul().of(a, b)
