"""Softmax, its logarithm, and the logarithm of its denominator."""

from __future__ import annotations

import numpy as np

from minigrad.core.arrays import sum_of_products, total, widened
from minigrad.core.dtypes import Array, dtype
from minigrad.core.elementwise import cast, floating
from minigrad.core.shapes import kept_dims
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import Dims, op
from minigrad.ops.arguments import check_floating, in_float32, normal_dim, reduced_dims
from minigrad.ops.fused import in_one_step, row_blocks
from minigrad.ops.reductions import MANY, Reduction, extremes
from minigrad.tensors.errors import warn_program
from minigrad.tensors.options import as_dtype


class Softmax(Unary):
    """`y = exp(x) / sum(exp(x))`: along `dims`."""

    formulas = ("dx = (g - sum(g * y)) * y",)
    dims: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        y = np.empty(x.shape, x.dtype)
        for block in row_blocks(x, self.dims):
            # Shifted by the maximum, which cancels in the ratio: the largest exponential is then 1 and none overflows.
            self.fill(np.subtract(x[block], largest(x[block], self.dims), out=y[block]))
        return y

    def fill(self, y: Array) -> None:
        """Make of the shifted elements the output, in place."""
        np.exp(y, out=y)
        y *= np.reciprocal(total(y, self.dims))

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return in_one_step(self.slope, lambda g, y: (g - (g * y).sum(self.dims, True)) * y, g, y)

    def slope(self, g: Array, y: Array) -> Array:
        """The gradient of x, for that of y, `g`."""
        out = np.empty_like(y)
        for block in row_blocks(y, self.dims):
            self.fill_slope(g[block], y[block], out[block])
        return out

    def fill_slope(self, g: Array, y: Array, out: Array) -> None:
        """Write the gradient of x into `out`."""
        np.subtract(g, sum_of_products(g, y, self.dims), out=out)
        out *= y


class LogSoftmax(Softmax):
    """`y = x - log(sum(exp(x)))`: along `dims`."""

    formulas = ("dx = g - exp(y) * sum(g)",)

    def fill(self, y: Array) -> None:
        y -= np.log(total(np.exp(y), self.dims))

    def dx(self, g: Tensor, y: Tensor) -> Tensor:
        return in_one_step(self.slope, lambda g, y: g - y.exp() * g.sum(self.dims, True), g, y)

    def fill_slope(self, g: Array, y: Array, out: Array) -> None:
        np.exp(y, out=out)
        out *= total(g, self.dims)
        np.subtract(g, out, out=out)


class LogSumExp(Reduction):
    """`log(sum(exp(x)))`: over `dims`."""

    formulas = ("dx = g * softmax(x)",)
    form: str = "LogsumexpBackward0"

    def reduced(self, x: Array) -> Array:
        out, sums, most = exponentials(x, self.dims)
        self.exponentials: tuple[Array, Array] | None = out, sums
        return np.asarray(np.log(sums) + most)

    def dx(self, g: Tensor, x: Tensor) -> Tensor:
        g = kept_dims(g, x._array.shape, self.dims)
        return in_one_step(self.slope, lambda g, x: g * (x - LogSumExp(self.dims, True)(x)).exp(), g, x)

    def slope(self, g: Array, x: Array) -> Array:
        """The gradient of x, for that of y, `g`."""
        # Used up: they become the gradient.  Another backward pass computes them anew.
        known, self.exponentials = self.exponentials, None
        out, sums = exponentials(x, self.dims)[:2] if known is None else known
        out *= g / sums
        return out


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
    if x.size > MANY:
        return extremes(np.ndarray.max, x, dims)
    return np.asarray(np.maximum.reduce(x, axis=dims, keepdims=True, initial=-np.inf))


@op()
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).softmax(0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    dims = (normal_dim(dim, input._array.ndim),)[: input._array.ndim]
    return in_float32(Softmax(dims), _scores("softmax", input, dtype))


@op()
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`: the logarithm of `softmax`, also where that is too small for one.

    >>> import minigrad as torch
    >>> torch.tensor([1.0, 2.0, 3.0]).log_softmax(0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
    dims = (normal_dim(dim, input._array.ndim),)[: input._array.ndim]
    return in_float32(LogSoftmax(dims), _scores("log_softmax", input, dtype))


@op("nn.functional", name="softmax")
def softmax_layer(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Tensor:
    """`exp(x) / sum(exp(x))` along `dim`: positive numbers that add up to 1; computed in `dtype` if given.

    To leave out `dim` is deprecated: it is then 0 for 0, 1 and 3 dimensions and 1 for others.

    >>> import minigrad as torch
    >>> from minigrad.nn import functional as F
    >>> F.softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return softmax(input, _chosen_dim("softmax", input) if dim is None else dim, dtype)


@op("nn.functional", name="log_softmax")
def log_softmax_layer(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None
) -> Tensor:
    """`x - log(sum(exp(x)))` along `dim`, the logarithm of the softmax, also where that is 0; see `softmax`."""
    return log_softmax(input, _chosen_dim("log_softmax", input) if dim is None else dim, dtype)


def _chosen_dim(name: str, input: Tensor) -> int:
    """The dimension that PyTorch takes where none is named, with its warning."""
    warn_program(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X.")
    return 0 if input.ndim in (0, 1, 3) else 1


def _scores(name: str, x: Tensor, dtype: dtype | None) -> Tensor:
    """`x` in the dtype to compute the function of that name in."""
    x = x if dtype is None else cast(x, as_dtype(name, dtype) or x.dtype)
    check_floating(f"{name}_lastdim_kernel_impl", x)
    return x


@op()
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(x)))` over the dimensions `dim`, whose exponentials do not overflow.

    >>> import minigrad as torch
    >>> torch.tensor([1000.0, 1000.0]).logsumexp(0)
    tensor(1000.6932)
    """
    if dim is None:
        raise TypeError("logsumexp(): argument 'dim' must be tuple of ints, not NoneType: () is for all dimensions")
    x = cast(input, floating(input.dtype))
    return LogSumExp(reduced_dims(dim, x.ndim), keepdim)(x)
