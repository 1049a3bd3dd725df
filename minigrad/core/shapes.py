"""Broadcasting and its undoing, sums and repetitions, and other shapes of the same elements: in adjoint pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .arrays import total, with_ones
from .dtypes import Array
from .modes import current
from .tape import Unary, View
from .tensor import Size, Tensor, method, share_storage


class Expand(View):
    """`y` is `x` repeated along dimensions of size 1, and along new ones in front, to `shape`: a view."""

    formulas = ("dx = Sum(g), over the repetitions",)
    shape: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return expanded(x, self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return sum_to(g, self.x_shape)


def expanded(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` repeated to `shape`, which it is known to broadcast to: as a view, read-only if an element repeats."""
    if math.prod(shape) == x.size:
        return x.reshape(shape)
    new = len(shape) - x.ndim
    steps = [x.strides[dim] if size == shape[new + dim] else 0 for dim, size in enumerate(x.shape)]
    view = strided(x, shape, (0,) * new + tuple(steps))
    view.setflags(write=False)
    return view


def strided(x: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """The view of `x` of that shape with that many bytes between neighbours, from x's first element on."""
    # The constructor takes a tenth of as_strided's time, but wants a buffer without gaps.
    if x.flags.c_contiguous:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return as_strided(x, shape, strides)


def sum_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient `x` summed to `shape`, which broadcasts to x's; `x` itself, or a view, if nothing was repeated."""
    array = x._array
    if array.shape == shape:
        return x
    if current.enabled:
        return sum_of_repeated(x, shape)
    if array.size == math.prod(shape):
        return x._new(array.reshape(shape))
    sums = total(array, repeated_dims(array.shape, shape), keepdims=array.ndim == len(shape))
    sums = sums.astype(array.dtype, copy=False)
    # Not a view if it need not be one: into an array of its own the walk adds other gradients.
    return x._new(sums if sums.shape == shape else sums.reshape(shape))


def sum_of_repeated(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` summed to `shape`, which broadcasts to its shape."""
    keepdim = len(shape) == x._array.ndim
    # The last step that PyTorch takes: a sum, and where dimensions go, a view.
    form = "SumBackward0" if not shape else "SumBackward1" if keepdim else "ViewBackward0"
    return in_shape(Sum(repeated_dims(x._array.shape, shape), keepdim, form).of(x), shape)


def repeated_dims(shape: tuple[int, ...], of: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions of `shape` along which broadcasting repeats what is of the shape `of`."""
    new = len(shape) - len(of)
    return (*range(new), *[new + i for i, size in enumerate(of) if size == 1 and shape[new + i] != 1])


def common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all of `shapes` broadcast to; a RuntimeError if there is none."""
    common = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        shorter, longer = sorted((common, shape), key=len)
        sizes = list(longer)
        for dim, size in enumerate(shorter, len(longer) - len(shorter)):
            if sizes[dim] == 1:
                sizes[dim] = size
            elif size not in (1, sizes[dim]):
                raise RuntimeError(broadcast_shapes_message(common, shape))
        common = tuple(sizes)
    return common


def broadcast_shapes_message(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Why shapes `a` and `b` do not broadcast."""
    width = max(len(a), len(b))
    padded = [(1,) * (width - len(shape)) + tuple(shape) for shape in (a, b)]
    for dim in reversed(range(width)):
        size_a, size_b = padded[0][dim], padded[1][dim]
        if size_a != size_b and 1 not in (size_a, size_b):
            return (
                f"The size of tensor a ({size_a}) must match the size of tensor b ({size_b}) at non-singleton "
                f"dimension {dim}: shapes {Size(a)} and {Size(b)} do not broadcast. Sizes are compared from the "
                "last dimension on, and must be equal or 1."
            )
    raise AssertionError(f"{a} and {b} broadcast")


class Reshape(View):
    """`x` with its elements in the same order in another shape: a view if its strides allow it, else a copy.

    PyTorch has many names for it: `form` is the one to print here.
    """

    formulas = ("dx = Reshape(g), back to x's shape",)
    shape: tuple[int, ...]
    form: str = "ViewBackward0"

    def of(self, x: Any) -> Any:
        array = x._array
        if array.flags.c_contiguous:
            return View.of(self, x)
        out = Unary.of(self, x)
        # Of no elements, which share no memory, every other one is a view.
        if np.may_share_memory(array, out._array) or not array.size:
            share_storage(x, out, "" if current.enabled else "no_grad")
        elif self.form in ("ViewBackward0", "ReshapeAliasBackward0"):
            self.form = "UnsafeViewBackward0"
        return out

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return x.reshape(self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return Reshape(self.x_shape).of_gradient(g)


class Permute(View):
    """`x` with dimension `dims[i]` in place i: a view."""

    formulas = ("dx = Permute(g) by the inverse permutation",)
    dims: tuple[int, ...]
    form: str = "PermuteBackward0"

    def forward(self, x: Array) -> Array:
        return x.transpose(self.dims)

    def dx(self, g: Tensor) -> Tensor:
        inverse = sorted(range(len(self.dims)), key=self.dims.__getitem__)
        return Permute(tuple(inverse)).of_gradient(g)


class Sum(Unary):
    """The sum of `x` over the dimensions `dims`."""

    formulas = ("dx = g for each addend, in x's shape",)
    dims: tuple[int, ...]
    keepdim: bool = False
    form: str = "SumBackward1"

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return total(x, self.dims, self.keepdim).astype(x.dtype, "C", copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return Expand(self.x_shape).of_gradient(kept_dims(g, self.x_shape, self.dims) if g._array.ndim else g)


def kept_dims(y: Tensor, shape: tuple[int, ...], dims: tuple[int, ...]) -> Tensor:
    """`y`, from which reducing `shape` has removed `dims` or left them at size 1, with those at size 1."""
    ones = with_ones(shape, dims)
    return y if y._array.shape == ones else Reshape(ones).of_gradient(y)


# ---- the methods -----------------------------------------------------------------------------------------------------


@method("sum")
def summed(x: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """The sum of all elements, or over the dimensions `dim`."""
    dims = range(x.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    return Sum(tuple([each % x.ndim for each in dims]), keepdim).of(x)


def in_shape(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` in that shape; itself if it has it."""
    return x if x._array.shape == shape else Reshape(shape).of(x)


@method("reshape")
def reshaped(x: Tensor, *shape: int) -> Tensor:
    """The same elements in another shape."""
    return Reshape(shape).of(x)


def transposed(x: Tensor, dim0: int = -2, dim1: int = -1, form: str = "TransposeBackward0") -> Tensor:
    """`x` with two dimensions swapped, if it has any: the last two unless told otherwise."""
    dims = list(range(x._array.ndim))
    if dims:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return Permute(tuple(dims), form).of(x)


method("mT")(property(transposed))
