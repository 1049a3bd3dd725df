"""Softmax, its logarithm, and the logarithm of its denominator."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import blocks_along, read_in_place, sum_of_products, total, widened
from minigrad.core.dtypes import Array
from minigrad.core.tape import Binary, Unary, keep_inputs, keep_output
from minigrad.core.tensor import Tensor
from minigrad.ops.reductions import kept_dims


class Softmax(Unary):
    """`y = exp(x) / sum(exp(x))` along `dims`.   dx = (g - sum(g * y)) * y."""

    __slots__ = ("dims",)
    keep = keep_output

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, x: Array) -> Array:
        wide = widened(x)
        y = np.empty_like(wide)
        read_in_place(wide)
        for block in blocks_along(wide, self.dims):
            # Shifted by the maximum, which cancels in the ratio: the largest exponential is then 1 and none overflows.
            part = np.subtract(wide[block], largest(wide[block], self.dims), out=y[block])
            np.exp(part, out=part)
            part *= np.reciprocal(total(part, self.dims))
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return SoftmaxBackwardData(self.dims)(g, self.kept_output(g))


class SoftmaxBackwardData(Binary):
    """`(g - sum(g * y)) * y`, with sums along `dims`: the gradient of Softmax.

    dg = (h - sum(h * y)) * y,  dy = h * (g - sum(g * y)) - g * sum(h * y).
    """

    __slots__ = ("dims",)
    keep = keep_inputs

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, g: Array, y: Array) -> Array:
        g, wide = widened(g), widened(y)
        out = np.empty_like(wide)
        read_in_place(wide)
        for block in blocks_along(wide, self.dims):
            part = np.subtract(g[block], sum_of_products(g[block], wide[block], self.dims), out=out[block])
            part *= wide[block]
        return out.astype(y.dtype, copy=False)

    def da(self, h: Tensor) -> Tensor:
        return SoftmaxBackwardData(self.dims)(h, self.kept(1))

    def db(self, h: Tensor) -> Tensor:
        g, y = self.kept(0), self.kept(1)
        return h * (g - (g * y).sum(self.dims, True)) - g * (h * y).sum(self.dims, True)


class LogSoftmax(Unary):
    """`y = x - log(sum(exp(x)))` along `dims`.   dx = g - exp(y) * sum(g)."""

    __slots__ = ("dims",)
    keep = keep_output

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, x: Array) -> Array:
        wide = widened(x)
        y = np.empty_like(wide)
        read_in_place(wide)
        for block in blocks_along(wide, self.dims):
            part = np.subtract(wide[block], largest(wide[block], self.dims), out=y[block])
            part -= np.log(total(np.exp(part), self.dims))
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return LogSoftmaxBackwardData(self.dims)(g, self.kept_output(g))


class LogSoftmaxBackwardData(Binary):
    """`g - exp(y) * sum(g)`, with the sum along `dims`: the gradient of LogSoftmax.

    dg = h - sum(h * exp(y)),  dy = -h * exp(y) * sum(g).
    """

    __slots__ = ("dims",)
    keep = keep_inputs

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, g: Array, y: Array) -> Array:
        g, wide = widened(g), widened(y)
        out = np.empty_like(wide)
        read_in_place(wide)
        for block in blocks_along(wide, self.dims):
            part = np.exp(wide[block], out=out[block])
            part *= total(g[block], self.dims)
            np.subtract(g[block], part, out=part)
        return out.astype(y.dtype, copy=False)

    def da(self, h: Tensor) -> Tensor:
        return h - (h * self.kept(1).exp()).sum(self.dims, True)

    def db(self, h: Tensor) -> Tensor:
        return -h * self.kept(1).exp() * self.kept(0).sum(self.dims, True)


class LogSumExp(Unary):
    """`log(sum(exp(x)))` over `dims`.   dx = g * softmax(x)."""

    __slots__ = ("dims", "exponentials", "keepdim")
    keep = keep_inputs
    exponentials: tuple[Array, Array] | None

    def __init__(self, dims: tuple[int, ...], keepdim: bool) -> None:
        self.dims = dims
        self.keepdim = keepdim

    def forward(self, x: Array) -> Array:
        out, sums, most = exponentials(x, self.dims)
        self.exponentials = out, sums
        y: Array = np.log(sums) + most
        return (y if self.keepdim else y.squeeze(self.dims)).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        # Used up: they become the gradient.  Another backward pass computes them anew.
        known, self.exponentials = self.exponentials, None
        return ScaledSoftmax(self.dims, known)(kept_dims(g, x._array.shape, self.dims), x)

    def name(self) -> str:
        return "LogsumexpBackward0"


class ScaledSoftmax(Binary):
    """`g * softmax(x)` along `dims`, where g is of size 1; `known` are exponentials of x and their sums, if at hand.

    dg = sum(h * softmax(x)),  dx = the gradient of the softmax for h * g.
    """

    __slots__ = ("dims", "known")
    keep = keep_inputs

    def __init__(self, dims: tuple[int, ...], known: tuple[Array, Array] | None) -> None:
        self.dims = dims
        self.known = known

    def forward(self, g: Array, x: Array) -> Array:
        known, self.known = self.known, None
        out, sums = exponentials(x, self.dims)[:2] if known is None else known
        out *= g / sums
        return out.astype(x.dtype, copy=False)

    def da(self, h: Tensor) -> Tensor:
        return (h * Softmax(self.dims)(self.kept(1))).sum(self.dims, True)

    def db(self, h: Tensor) -> Tensor:
        return SoftmaxBackwardData(self.dims)(h * self.kept(0), Softmax(self.dims)(self.kept(1)))


def exponentials(x: Array, dims: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """`exp(x - m)` in at least float32, its sums over `dims`, and m: the largest elements, but 0 for infinite ones.

    So the sum of nothing but -inf is 0, and that of an inf is infinite.
    """
    wide = widened(x)
    most = largest(wide, dims)
    most[np.isinf(most)] = 0
    out = np.asarray(wide - most)
    np.exp(out, out=out)
    return out, total(out, dims), most


def largest(x: Array, dims: tuple[int, ...]) -> Array:
    """The largest elements along `dims`, which stay; of none, -inf."""
    return np.asarray(np.maximum.reduce(x, axis=dims, keepdims=True, initial=-np.inf))
