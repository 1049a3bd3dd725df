"""Operators whose result at an element is of all elements up to there, along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.arrays import blocks_along
from minigrad.core.dtypes import Array
from minigrad.core.tape import Binary, Unary, keep_input_and_output
from minigrad.core.tensor import Tensor


class CumSum(Unary):
    """`y[k] = x[0] + … + x[k]` along `dim`, or from the other end.   dx = CumSum(g), from the other end."""

    __slots__ = ("dim", "reverse")

    def __init__(self, dim: int, reverse: bool = False) -> None:
        self.dim = dim
        self.reverse = reverse

    def forward(self, x: Array) -> Array:
        return accumulated(np.add, x, self.dim, self.reverse)

    def dx(self, g: Tensor) -> Tensor:
        return CumSum(self.dim, not self.reverse)(g)

    def name(self) -> str:
        return "CumsumBackward0"


class CumProd(Unary):
    """`y[k] = x[0] * … * x[k]` along `dim`, or from the other end.

    dx[j] = the sum over k >= j of g[k] * y[k] / x[j], which is y[j - 1] times a Recurrence where an x is 0.
    """

    __slots__ = ("dim", "reverse")
    keep = keep_input_and_output

    def __init__(self, dim: int, reverse: bool = False) -> None:
        self.dim = dim
        self.reverse = reverse

    def forward(self, x: Array) -> Array:
        return accumulated(np.multiply, x, self.dim, self.reverse)

    def dx(self, g: Tensor) -> Tensor:
        x, y = self.kept(0), self.kept_output(g)
        if x._array.size == 1:
            return g
        if x._array.all():
            return CumSum(self.dim, not self.reverse)(g * y) / x
        step = -1 if self.reverse else 1
        return Recurrence(self.dim, not self.reverse)(Shift(self.dim, -step)(x), g) * Shift(self.dim, step, 1)(y)

    def name(self) -> str:
        return "CumprodBackward0"


class Recurrence(Binary):
    """`y[k] = a[k] * y[k - 1] + b[k]` along `dim`, with y[-1] = 0; or from the other end.

    db = Recurrence(a shifted by one, g) from the other end,  da = db * y[k - 1].
    """

    __slots__ = ("dim", "reverse")
    keep = keep_input_and_output

    def __init__(self, dim: int, reverse: bool = False) -> None:
        self.dim = dim
        self.reverse = reverse

    def forward(self, a: Array, b: Array) -> Array:
        y = b.astype(_wide(b))
        if y.ndim:
            factors, rows = [np.moveaxis(each, self.dim, 0)[:: self.step()] for each in (a, y)]
            for k in range(1, len(rows)):
                rows[k] += factors[k] * rows[k - 1]
        return y.astype(b.dtype, copy=False)

    def step(self) -> int:
        return -1 if self.reverse else 1

    def da(self, g: Tensor) -> Tensor:
        return self.db(g) * Shift(self.dim, self.step())(self.kept_output(g))

    def db(self, g: Tensor) -> Tensor:
        return Recurrence(self.dim, not self.reverse)(Shift(self.dim, -self.step())(self.kept(0)), g)


class Shift(Unary):
    """`y[k] = x[k - by]` along `dim` for `by` = 1 or -1, and `fill` where there is no such k.   dx = Shift(g), back."""

    __slots__ = ("by", "dim", "fill")

    def __init__(self, dim: int, by: int, fill: float = 0) -> None:
        self.dim = dim
        self.by = by
        self.fill = fill

    def forward(self, x: Array) -> Array:
        y = np.full_like(x, self.fill)
        if x.ndim:
            early, late = slice(None, -1), slice(1, None)
            to, source = (late, early) if self.by == 1 else (early, late)
            before = (slice(None),) * self.dim
            y[(*before, to)] = x[(*before, source)]
        return y

    def dx(self, g: Tensor) -> Tensor:
        return Shift(self.dim, -self.by)(g)


def accumulated(ufunc: np.ufunc, x: Array, dim: int, reverse: bool = False) -> Array:
    """`ufunc` of each element and the result before it, in twice the width that the results are rounded to."""
    if x.ndim == 0:
        return x.copy()
    y = np.empty(x.shape, x.dtype)
    lines, results = [np.moveaxis(np.flip(each, dim) if reverse else each, dim, -1) for each in (x, y)]
    for rows in blocks_along(lines, (lines.ndim - 1,)):
        # NumPy is fastest along the last dimension, contiguous, with no conversion on the way.
        wide = np.array(lines[rows], _wide(x), order="C")
        results[rows] = ufunc.accumulate(wide, axis=-1, out=wide)
    return y


def _wide(x: Array) -> Any:
    """The dtype in which results of `x` are accumulated, before each is rounded to that of `x`."""
    return {np.dtype(np.float16): np.float32, np.dtype(np.float32): np.float64}.get(x.dtype, x.dtype)
