"""Operators that reduce dimensions to one value each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Binary, Unary, keep_input_and_output, keep_rest
from minigrad.dtypes import Array
from minigrad.ops.broadcast import Expand, sum_over
from minigrad.ops.dims import normal_dim
from minigrad.ops.elementwise import masked
from minigrad.ops.shape import Reshape

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Sum(Unary):
    """The sum of `x` over the dimensions `dims`.   dx = g, expanded to x's shape: each addend counts once."""

    __slots__ = ("dims", "keepdim", "whole", "x_shape")

    def __init__(self, dims: tuple[int, ...], keepdim: bool = False, whole: bool = False) -> None:
        self.dims = dims
        self.keepdim = keepdim
        self.whole = whole

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return sum_over(x, self.dims, self.keepdim)

    def dx(self, g: Tensor) -> Tensor:
        return expand_reduced(g, self.x_shape, self.dims)

    def name(self) -> str:
        return f"{type(self).__name__}Backward{0 if self.whole else 1}"


class Mean(Sum):
    """The mean of `x` over the dimensions `dims`.   dx = g / n, expanded to x's shape, for n elements each."""

    __slots__ = ()

    def forward(self, x: Array) -> Array:
        # Divided before the sum is rounded to float16.
        self.x_shape = x.shape
        wide = x.astype(np.float32) if x.dtype == np.float16 else x
        mean: Array = sum_over(wide, self.dims, self.keepdim) / wide.dtype.type(self.count())
        return mean.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return super().dx(g / max(self.count(), 1))

    def count(self) -> int:
        """The number of elements that each mean is of."""
        return int(np.prod([self.x_shape[dim] for dim in self.dims], dtype=np.int64))


class Extremum(Unary):
    """The largest (`np.max`) or smallest (`np.min`) element of `x`.

    dx = g / n at the n elements equal to it, 0 elsewhere.
    """

    __slots__ = ("find",)
    keep = keep_input_and_output

    def __init__(self, find: Callable[[Array], Any]) -> None:
        self.find = find

    def forward(self, x: Array) -> Any:
        return self.find(x)

    def dx(self, g: Tensor) -> Tensor:
        x, y = self.kept(0)._array, self.kept_output(g)._array
        chosen = np.isnan(x) if np.isnan(y) else x == y
        return masked(expand_reduced(g / int(chosen.sum()), x.shape, tuple(range(x.ndim))), chosen)

    def name(self) -> str:
        return "MaxBackward1" if self.find is np.max else "MinBackward1"


class TakeAlong(Binary):
    """`y[…, j, …] = x[…, indices[…, j, …], …]` along `dim`, which goes unless `keepdim`.

    dx = PutAlong(g), at the places taken.
    """

    __slots__ = ("dim", "form", "keepdim", "size")
    keep = keep_rest

    def __init__(self, dim: int, keepdim: bool = True, form: str = "Gather") -> None:
        self.dim = dim
        self.keepdim = keepdim
        self.form = form

    def forward(self, x: Array, indices: Array) -> Array:
        self.size = x.shape[self.dim]
        taken = np.take_along_axis(x, indices, self.dim)
        return taken if self.keepdim else taken.squeeze(self.dim)

    def da(self, g: Tensor) -> Tensor:
        return PutAlong(self.dim, self.size)(g if self.keepdim else g.unsqueeze(self.dim), self.kept(1))

    def name(self) -> str:
        return f"{self.form}Backward0"


class PutAlong(Binary):
    """`y` is 0 but for `y[…, indices[…, j, …], …] = x[…, j, …]` along `dim`, of `size` there; one j per place.

    dx = TakeAlong(g).
    """

    __slots__ = ("dim", "size")
    keep = keep_rest

    def __init__(self, dim: int, size: int) -> None:
        self.dim = dim
        self.size = size

    def forward(self, x: Array, indices: Array) -> Array:
        shape = (*x.shape[: self.dim], self.size, *x.shape[self.dim + 1 :])
        y = np.zeros(shape, x.dtype)
        np.put_along_axis(y, indices, x, self.dim)
        return y

    def da(self, g: Tensor) -> Tensor:
        return TakeAlong(self.dim)(g, self.kept(1))


def expand_reduced(g: Tensor, shape: tuple[int, ...], dims: tuple[int, ...]) -> Tensor:
    """`g`, from which reducing `shape` has removed `dims` or left them at size 1, repeated along them again."""
    ones = tuple([1 if dim in dims else size for dim, size in enumerate(shape)])
    return Expand(shape)(g if g._array.shape == ones else Reshape(ones)(g))


def argument(verb: str, find: Callable[..., Any], x: Any, dim: Any, keepdim: bool) -> Any:
    """The index (int64) of the first largest (`np.argmax`) or smallest element: of all of `x`, or along `dim`."""
    array = x._array
    if array.dtype == bool and verb.startswith("arg"):
        raise RuntimeError(f"{verb}(): does not support bool input: expected numbers, such as x.long()")
    if dim is None:
        if array.size == 0:
            raise IndexError(f"{verb}(): Expected reduction dim to be specified for input.numel() == 0.")
        found = np.asarray(find(array))
        return x._new(found.reshape((1,) * array.ndim) if keepdim else found)
    position = normal_dim(dim, array.ndim)
    if array.ndim == 0:
        return x._new(np.asarray(find(array)))
    if array.shape[position] == 0:
        raise IndexError(f"{verb}(): Expected reduction dim {dim} to have non-zero size.")
    return x._new(find(array, axis=position, keepdims=keepdim))


def logical(ufunc: Any, x: Any, dims: tuple[int, ...], keepdim: bool) -> Any:
    """Whether all (`np.logical_and`) or any (`np.logical_or`) of the elements along `dims` are not zero."""
    found = ufunc.reduce(x._array.astype(bool, copy=False), axis=dims, keepdims=keepdim)
    # PyTorch's oldest masks were uint8, and still give uint8.
    return x._new(np.asarray(found).astype(np.uint8 if x._array.dtype == np.uint8 else bool))
