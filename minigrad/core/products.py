"""Matrix products."""

from __future__ import annotations

import math

import numpy as np

from .dtypes import HALVES, Array
from .modes import current
from .shapes import sum_to
from .tape import Binary
from .tensor import Tensor, method

# Matrices with fewer columns, or than rows by far, are faster multiplied all at once than one by one.
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
                # As below, one product: few columns are, turned, few rows each.
                return ProductOfRows()(_turned(g), _turned(b))
        return sum_to(MatMul()(g, _turned(b)), self.shapes[0])

    def db(self, g: Tensor, a: Tensor) -> Tensor:
        if len(self.shapes[1]) == 2:
            # One product over all rows, not one for each leading index and then their sum.
            return ProductOfRows()(a, g)
        return sum_to(MatMul()(_turned(a), g), self.shapes[1])

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
    """`x.mT`, of which nobody keeps track where no history is recorded."""
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
    # The same product with half of a microsecond less around it, and an outer one in a fourth of the time; but of one
    # number, 0, and others it is 0 even where they are not finite.
    return a.dot(b)


@method("__matmul__")
def matmul(a: Tensor, b: Tensor) -> Tensor:
    """`a @ b` of matrices, or of batches of them."""
    if a._array.shape[-1:] != b._array.shape[-2:-1]:
        raise RuntimeError(f"{a.shape} @ {b.shape}: the last size of the first must be the last but one of the second")
    return MatMul()(a, b)
