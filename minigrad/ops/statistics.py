"""Operators that say how large the elements are, or how far from each other: variance, deviation, norms."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.arrays import count_over, read_in_place, sum_of_products, total, widened
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Scaled, masked
from minigrad.core.tape import Binary, Unary, keep_input_and_output, keep_inputs
from minigrad.core.tensor import Tensor
from minigrad.ops.reduce import Spread, average, kept_dims, shares
from minigrad.ops.widening import in_float32


class Var(Unary):
    """`sum((x - mean(x))**2) / (n - correction)` over `dims`, of n elements each.

    dx = 2 * g * (x - mean(x)) / (n - correction).
    """

    __slots__ = ("correction", "deviations", "dims", "form", "keepdim")
    keep = keep_inputs
    deviations: Array | None

    def __init__(self, dims: tuple[int, ...], correction: float, keepdim: bool, form: str) -> None:
        self.dims = dims
        self.correction = correction
        self.keepdim = keepdim
        self.form = form

    def forward(self, x: Array) -> Array:
        return self.variance(x).astype(x.dtype, copy=False)

    def variance(self, x: Array) -> Array:
        """In two passes, of which the second has no large numbers to subtract; in at least float32."""
        self.deviations = deviations = centred(x, self.dims)
        squares = sum_of_products(deviations, deviations, self.dims)
        squares /= max(count_over(x.shape, self.dims) - self.correction, 0)
        return squares if self.keepdim else squares.squeeze(self.dims)

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)
        free = count_over(x._array.shape, self.dims) - self.correction
        # Used up: they become the gradient.  Another backward pass computes them anew.
        deviations, self.deviations = self.deviations, None
        scaled = ScaledDeviation(self.dims, 2 / free if free else math.inf, deviations)
        return scaled(kept_dims(g, x._array.shape, self.dims), x)

    def name(self) -> str:
        return self.form


class Std(Var):
    """The square root of the variance.   dx = Var's, for g / (2 * y); 0 where y is 0."""

    __slots__ = ()
    keep = keep_input_and_output

    def forward(self, x: Array) -> Array:
        return np.sqrt(self.variance(x)).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        y = self.kept_output(g)
        return super().dx(masked(g / (2 * y), y._array != 0))


class ScaledDeviation(Binary):
    """`scale * g * (x - mean(x))` with the mean over `dims`, where g is of size 1.

    dg = scale * sum(h * (x - mean(x))),  dx = scale * (h * g - mean(h * g)).  `deviations` are x - mean(x), if known.
    """

    __slots__ = ("deviations", "dims", "scale")
    keep = keep_inputs

    def __init__(self, dims: tuple[int, ...], scale: float, deviations: Array | None) -> None:
        self.dims = dims
        self.scale = scale
        self.deviations = deviations

    def forward(self, g: Array, x: Array) -> Array:
        out, self.deviations = self.deviations, None
        if out is None:
            out = centred(x, self.dims)
        read_in_place(out)
        out *= widened(g) * self.scale
        return out.astype(x.dtype, copy=False)

    def da(self, h: Tensor) -> Tensor:
        x = self.kept(1)
        return (h * (x - x.mean(self.dims, True))).sum(self.dims, True) * self.scale

    def db(self, h: Tensor) -> Tensor:
        scaled = h * self.kept(0) * self.scale
        return scaled - scaled.mean(self.dims, True)


class Norm(Unary):
    """`sum(|x|**p) ** (1/p)` over `dims`: the number of nonzero elements for p = 0, the largest |x| for p = inf.

    dx = g * sign(x) * |x|**(p - 1) / y**(p - 1); 0 where y is 0, and where x is 0 and p < 1.
    Source: `linalg.vector_norm` of PyTorch.
    """

    __slots__ = ("dims", "keepdim", "p")
    keep = keep_input_and_output

    def __init__(self, p: float, dims: tuple[int, ...], keepdim: bool) -> None:
        self.p = p
        self.dims = dims
        self.keepdim = keepdim

    def forward(self, x: Array) -> Array:
        return self.norm(widened(x)).astype(x.dtype, copy=False)

    def norm(self, x: Array) -> Array:
        """In at least float32."""
        if self.p == 0:
            y: Array = np.asarray(np.count_nonzero(x, axis=self.dims, keepdims=True))
        elif math.isinf(self.p):
            y = (np.max if self.p > 0 else np.min)(np.abs(x), axis=self.dims, keepdims=True)
        elif self.p == 2:
            y = np.sqrt(sum_of_products(x, x, self.dims))
        else:
            y = total(np.abs(x) ** self.p, self.dims) ** (1 / self.p)
        return y if self.keepdim else y.squeeze(self.dims)

    def dx(self, g: Tensor) -> Tensor | None:
        if self.p == 0:
            return None
        x = self.kept(0)
        y, g = [kept_dims(each, x._array.shape, self.dims) for each in (self.kept_output(g), g)]
        if math.isinf(self.p):
            largest = (abs(x._array) == y._array) | np.isnan(x._array)
            return x.sgn() * Spread(*shares(largest, y._array, self.dims))(g)
        if self.p == 1:
            return x.sgn() * g
        if self.p > 1 and not y._array.all():
            # Where y is 0, if only since small squares are, the gradient is: x is divided by inf.
            y = y + y._new(np.where(y._array == 0, y._array.dtype.type(np.inf), y._array.dtype.type(0)))
        if self.p == 2:
            # In single precision, since g / y may be beyond a float16.
            return in_float32(lambda x, g, y: Scaled()(x, g / y), x, g, y)
        return in_float32(self._slope, x, g, y)

    def _slope(self, x: Tensor, g: Tensor, y: Tensor) -> Tensor:
        powers = x.abs() ** (self.p - 1)
        if self.p < 1:
            powers = masked(powers, x._array != 0)
        # Of one size: the power of each is beyond the dtype sooner than their product.
        return x.sgn() * (powers * y ** (1 - self.p)) * g

    def name(self) -> str:
        return "LinalgVectorNormBackward0"


def centred(x: Array, dims: tuple[int, ...]) -> Array:
    """`x - mean(x)` with the mean over `dims`, in at least float32."""
    mean = average(x, dims)
    read_in_place(x)
    return np.asarray(widened(x) - mean)
