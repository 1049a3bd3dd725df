"""Operators whose result at an element is of all elements up to there, along one dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Binary, Unary, keep_input_and_output
from minigrad.dtypes import Array
from minigrad.ops.blocks import blocks_along
from minigrad.ops.elementwise import masked

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


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


class LogCumSumExp(Unary):
    """`y[k] = log(exp(x[0]) + … + exp(x[k]))` along `dim`.

    dx[j] = exp(x[j] - y[j]) * (the sum over k >= j of g[k] * exp(y[j] - y[k])), a Recurrence: no exponent is above 0.
    Where x[j] is y[j] and infinite, dx[j] is nan.
    """

    __slots__ = ("dim",)
    keep = keep_input_and_output

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        return accumulated(np.logaddexp, x, self.dim)

    def dx(self, g: Tensor) -> Tensor:
        x, y = self.kept(0), self.kept_output(g)
        if x._array.ndim == 0:
            return g
        decay = _difference(y, Shift(self.dim, -1, math.inf)(y)).exp()
        dx = _difference(x, y).exp() * Recurrence(self.dim, reverse=True)(decay, g)
        undefined = _equal_infinities(x._array, y._array)
        return dx + x._new(np.where(undefined, x._array.dtype.type(np.nan), x._array.dtype.type(0)))

    def name(self) -> str:
        return "LogcumsumexpBackward0"


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


def _difference(a: Tensor, b: Tensor) -> Tensor:
    """`a - b`, 0 also of equal infinities: a nan there would spread along the way back."""
    return masked(a - b, ~_equal_infinities(a._array, b._array))


def _equal_infinities(a: Array, b: Array) -> Array:
    """Where both are infinite, with one sign."""
    return np.isinf(a) & (a == b)


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


def running_extremum(ufunc: np.ufunc, x: Array, dim: int) -> Array:
    """The index along `dim` of the latest element that equals the extremum up to there; a nan is one."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    is_extremum = x == ufunc.accumulate(x, axis=dim)
    if x.dtype.kind == "f":
        is_extremum |= np.isnan(x)
    places = np.arange(x.shape[dim]).reshape([-1 if each == dim else 1 for each in range(x.ndim)])
    latest: Array = np.maximum.accumulate(np.where(is_extremum, places, 0), axis=dim)
    return latest
