"""Operators that reduce dimensions to one value each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from minigrad.core.arrays import count_over, total, widened, with_ones
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import WIDE_FLOATS, Scaled
from minigrad.core.modes import current
from minigrad.core.shapes import Reshape, Sum, sum_to
from minigrad.core.tape import Unary, keep_input_and_output, keep_inputs, quiet
from minigrad.core.tensor import Tensor
from minigrad.ops.dims import normal_dim
from minigrad.ops.scan import CumProd, Shift

# Rows of as many elements are short: see `extrema`.
_SHORT = 1024


class Mean(Sum):
    """The mean of `x` over the dimensions `dims`.   dx = Repeat(g / n), to x's shape, for n elements each."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return average(x, self.dims, self.keepdim).astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return super().dx(g / max(count_over(self.x_shape, self.dims), 1))


class NanSum(Sum):
    """The sum of the elements of `x` that are not nan.   dx = g there, 0 at the nans."""

    __slots__ = ()
    keep = keep_inputs

    def forward(self, x: Array) -> Array:
        return super().forward(np.where(np.isnan(x), x.dtype.type(0), x))

    def dx(self, g: Tensor) -> Tensor:
        return Spread(~np.isnan(self.kept(0)._array))(kept_dims(g, self.x_shape, self.dims))


class Prod(Sum):
    """The product of `x` over the dimensions `dims`.   dx = g * (the product of the other elements)."""

    __slots__ = ()
    keep = keep_input_and_output

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        product: Array = np.asarray(widened(x).prod(axis=self.dims, dtype=widened(x).dtype, keepdims=self.keepdim))
        return product.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        x, y = self.kept(0), self.kept_output(g)
        if x._array.ndim == 0:
            return g
        y, g = [kept_dims(each, self.x_shape, self.dims) for each in (y, g)]
        scaled = g * y
        size = np.abs(scaled._array)
        # Where g * y is a number with all its digits, no factor is 0, and one pass over x is enough; not where it is to
        # be differentiated: there, terms cancel to fewer digits.
        if not current.enabled and ((size >= np.finfo(size.dtype).tiny) & (size < np.inf)).all():
            return scaled / x
        if x._array.all():
            others = y / x
        elif len(self.dims) == 1:
            others = product_of_others(x, self.dims[0])
        else:
            others = product_of_others(x.reshape(-1), 0).reshape(self.x_shape)
        return Scaled()(others, g)


class Extremum(Unary):
    """The one element of `x` that `find` finds, such as the largest (`ndarray.max`).

    dx = g / n at the n elements equal to it, 0 elsewhere.
    """

    __slots__ = ("find", "form")
    keep = keep_input_and_output

    def __init__(self, find: Callable[[Array], Any], form: str) -> None:
        self.find = find
        self.form = form

    def forward(self, x: Array) -> Any:
        return self.find(x)

    def dx(self, g: Tensor) -> Tensor:
        x, y = self.kept(0)._array, self.kept_output(g)._array
        chosen = np.isnan(x) if np.isnan(y) else x == y
        return Spread(chosen)(g / int(np.count_nonzero(chosen)))

    def name(self) -> str:
        return self.form


class Extrema(Unary):
    """The largest (`ndarray.max`) or smallest (`ndarray.min`) elements of `x` over the dimensions `dims`.

    dx = g / n at the n elements equal to them, 0 elsewhere.
    """

    __slots__ = ("dims", "find", "form", "keepdim")
    keep = keep_input_and_output

    def __init__(self, find: Callable[..., Any], dims: tuple[int, ...], keepdim: bool, form: str) -> None:
        self.find = find
        self.dims = dims
        self.keepdim = keepdim
        self.form = form

    def forward(self, x: Array) -> Any:
        return extrema(self.find, x, self.dims, self.keepdim)

    def dx(self, g: Tensor) -> Tensor:
        x = self.kept(0)._array
        y = self.kept_output(g)._array.reshape(with_ones(x.shape, self.dims))
        return Spread(*shares(x == y, y, self.dims))(kept_dims(g, x.shape, self.dims))

    def name(self) -> str:
        return self.form


class Spread(Unary):
    """`y` is `x`, broadcast, at the places `chosen` and 0 elsewhere: each gets x / count.

    dx = the sum of g / count over the places chosen.
    """

    __slots__ = ("chosen", "count", "x_shape")

    def __init__(self, chosen: Array, count: Array | None = None) -> None:
        self.chosen = chosen
        self.count = count

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        # A product, not a choice, as in PyTorch: of an infinite x it is nan at the other places.
        spread = np.asarray(self.chosen).astype(x.dtype)
        spread *= x if self.count is None else x / self.count
        return spread

    def dx(self, g: Tensor) -> Tensor:
        return sum_to(Spread(self.chosen, self.count)(g), self.x_shape)


def shares(chosen: Array, y: Array, dims: tuple[int, ...]) -> tuple[Array, Array | None]:
    """The places `chosen`, and how many there are for each result `y` over `dims`, or None for one each."""
    # Where there are as many as results there are no ties; but a nan equals nothing, and has none.
    if np.count_nonzero(chosen) == y.size and not np.isnan(y).any():
        return chosen, None
    # Halves, counted one by one, would stop at 2048.
    return chosen, chosen.sum(axis=dims, keepdims=True, dtype=np.result_type(y, np.float32))


def extrema(find: Callable[..., Any], x: Array, dims: tuple[int, ...], keepdims: bool) -> Any:
    """`find(x, axis=dims, keepdims=keepdims)`, for `ndarray.max` or `ndarray.min`."""
    if dims == (x.ndim - 1,) and 0 < x.shape[-1] <= _SHORT and x.dtype in WIDE_FLOATS and x.flags.c_contiguous:
        # To find where in a short row it is takes NumPy half the time.
        places = (ndarray.argmax if find is ndarray.max else ndarray.argmin)(x, axis=-1, keepdims=keepdims)
        rows = np.arange(0, x.size, x.shape[-1]).reshape(places.shape)
        return x.take(places + rows)
    return find(x, axis=dims, keepdims=keepdims)


def average(x: Array, dims: tuple[int, ...], keepdims: bool = True) -> Array:
    """The mean of `x` over `dims`, in at least float32."""
    mean = total(x, dims, keepdims)
    mean /= count_over(x.shape, dims)
    return mean


def kept_dims(y: Tensor, shape: tuple[int, ...], dims: tuple[int, ...]) -> Tensor:
    """`y`, from which reducing `shape` has removed `dims` or left them at size 1, with those at size 1."""
    ones = with_ones(shape, dims)
    if y._array.shape == ones:
        return y
    return Reshape(ones)(y) if current.enabled else y._new(y._array.reshape(ones))


def product_of_others(x: Tensor, dim: int) -> Tensor:
    """For each element the product of all others along `dim`: of those before it and of those after it."""
    before = CumProd(dim)(Shift(dim, 1, 1)(x))
    after = CumProd(dim, reverse=True)(Shift(dim, -1, 1)(x))
    return before * after


def check_not_empty(name: str, shape: tuple[int, ...], dims: tuple[int, ...]) -> None:
    """Nothing if each result over `dims` is of at least one element; else an IndexError."""
    for dim in dims:
        if shape[dim] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


def argument(verb: str, find: Callable[..., Any], x: Any, dim: Any, keepdim: bool) -> Any:
    """The index (int64) of the first largest (`ndarray.argmax`) or smallest element: of all of `x`, or along `dim`."""
    array = x._array
    if array.dtype == bool:
        raise RuntimeError(f"{verb}(): does not support bool input: expected numbers, such as x.long()")
    if dim is None:
        if array.size == 0:
            raise IndexError(f"{verb}(): Expected reduction dim to be specified for input.numel() == 0.")
        found = np.asarray(find(array))
        return x._new(found.reshape((1,) * array.ndim) if keepdim else found)
    position = normal_dim(dim, array.ndim)
    if array.ndim == 0:
        return x._new(np.zeros((), np.int64))
    check_not_empty(verb, array.shape, (position,))
    return x._new(index_of(find, array, position, keepdim))


def index_of(find: Callable[..., Any], x: Array, dim: int, keepdim: bool) -> Array:
    """The index of the first largest (`ndarray.argmax`) or smallest element along `dim`, where nan counts as either."""
    if x.strides[dim] == x.itemsize or x.size < 2**14:
        found: Array = find(x, axis=dim, keepdims=keepdim)
        return found
    # NumPy would copy x with `dim` last.  Of the elements equal to the extremum, the first is written last.
    best = quiet().run(ndarray.max if find is ndarray.argmax else ndarray.min, x, axis=dim, keepdims=True)
    equal = x == best
    if np.isnan(best).any():
        equal |= np.isnan(x)
    places = np.flatnonzero(equal)[::-1]
    inner = int(np.prod(x.shape[dim + 1 :], dtype=np.int64))
    index = np.empty(best.size, np.int64)
    index[places // (inner * x.shape[dim]) * inner + places % inner] = places // inner % x.shape[dim]
    return index.reshape(best.shape if keepdim else best.squeeze(dim).shape)


def logical(ufunc: Any, x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    """Whether all (`np.logical_and`) or any (`np.logical_or`) of the elements along `dims` are not zero."""
    found = ufunc.reduce(x._array.astype(bool, copy=False), axis=dims, keepdims=keepdim)
    # PyTorch's oldest masks were uint8, and still give uint8.
    return x._new(np.asarray(found).astype(np.uint8 if x._array.dtype == np.uint8 else bool))
