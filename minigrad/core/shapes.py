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

    formulas = ("dx = SumTo(g), the sum over the repetitions",)
    shape: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return expanded(x, self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return sum_to(g, self.x_shape)


class SumTo(Unary):
    """`y` of `shape` is the sum of `x` over all that broadcasting would repeat to make `shape` into x's."""

    formulas = ("dx = Expand(g), the same gradient for each addend",)
    shape: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return summed_to(x, self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return Expand(self.x_shape).of_gradient(g)

    def name(self) -> str:
        # The last step PyTorch takes: a sum, and where dimensions go, a view.
        if not self.shape:
            return "SumBackward0"
        return "ViewBackward0" if len(self.x_shape) > len(self.shape) else "SumBackward1"


def expanded(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` repeated to `shape`, which it is known to broadcast to: as a view, read-only if an element repeats."""
    if math.prod(shape) == x.size:
        return x.reshape(shape)
    new = len(shape) - x.ndim
    steps = [step if size == wanted else 0 for size, step, wanted in zip(x.shape, x.strides, shape[new:], strict=True)]
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
        return SumTo(shape)(x)
    return x._new(array.reshape(shape) if array.size == math.prod(shape) else summed_to(array, shape))


def summed_to(x: Array, shape: tuple[int, ...]) -> Array:
    """`x` summed to `shape`, which broadcasts to its shape."""
    new = x.ndim - len(shape)
    repeated = tuple(range(new))
    if x.shape[new:] != shape:
        repeated += tuple([new + i for i, size in enumerate(shape) if size == 1 and x.shape[new + i] != 1])
    sums = total(x, repeated, keepdims=not new).astype(x.dtype, copy=False)
    # Not a view if it need not be one: into an array of its own the walk adds other gradients.
    return sums if sums.shape == shape else sums.reshape(shape)


def common_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all of `shapes` broadcast to; a RuntimeError if there is none."""
    common = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        if shape == common:
            continue
        try:
            common = np.broadcast_shapes(common, shape)
        except ValueError:
            raise RuntimeError(broadcast_shapes_message(common, shape)) from None
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

    def __call__(self, x: Any) -> Any:
        # An "UnsafeView" is a copy, or of an intermediate result that nobody else sees: no view to keep track of.
        array, tracked = x._array, self.form != "UnsafeViewBackward0"
        if tracked and array.flags.c_contiguous:
            return View.__call__(self, x)
        out = Unary.__call__(self, x)
        # Of no elements, which share no memory, every other one is a view.
        if tracked and (np.may_share_memory(array, out._array) or not array.size):
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
        return Repeat(self.x_shape, self.dims).of_gradient(g)


class Repeat(View):
    """`x`, from which a reduction of `shape` has removed `dims` or left them at size 1, repeated along them: a view."""

    form = "ExpandBackward0"
    formulas = ("dx = Sum(g), over the repetitions",)
    shape: tuple[int, ...]
    dims: tuple[int, ...]

    def forward(self, x: Array) -> Array:
        self.keepdim = x.ndim == len(self.shape)
        return expanded(x.reshape(with_ones(self.shape, self.dims)), self.shape)

    def dx(self, g: Tensor) -> Tensor:
        return Sum(self.dims, self.keepdim)(g)


# ---- the methods -----------------------------------------------------------------------------------------------------


@method("sum")
def summed(x: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """The sum of all elements, or over the dimensions `dim`."""
    dims = range(x.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    return Sum(tuple([each % x.ndim for each in dims]), keepdim)(x)


def in_shape(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`x` in that shape; itself if it has it."""
    return x if x._array.shape == shape else Reshape(shape)(x)


@method("reshape")
def reshaped(x: Tensor, *shape: int) -> Tensor:
    """The same elements in another shape."""
    return Reshape(shape)(x)


def transposed(x: Tensor, dim0: int = -2, dim1: int = -1, form: str = "TransposeBackward0") -> Tensor:
    """`x` with two dimensions swapped, if it has any: the last two unless told otherwise."""
    dims = list(range(x._array.ndim))
    if dims:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return Permute(tuple(dims), form)(x)


method("mT")(property(transposed))
