"""Views by their layout alone: what the histories of a tensor and its views become when one is written to.

A recorded write to a view `v` of `x` gives `x` a new history, Overwrite(x, v's new values); and each view of `x`,
however it was made, becomes a StridedView of this new `x`: so a gradient flows from any of them through the write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Elementwise, zeroed
from minigrad.core.tape import Binary, Unary, keep_nothing
from minigrad.core.tensor import Tensor


class Layout(NamedTuple):
    """Where the elements of a view lie in the memory of its base, in bytes."""

    base_shape: tuple[int, ...]
    base_strides: tuple[int, ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def zeros(self, dtype: np.dtype[Any]) -> tuple[Array, Array]:
        """A base of zeros in fresh memory, and the view of it."""
        extent = sum([(size - 1) * step for size, step in zip(self.base_shape, self.base_strides, strict=True)])
        memory = np.zeros(0 if 0 in self.base_shape else extent + dtype.itemsize, np.uint8)
        whole: Array = np.ndarray(self.base_shape, dtype, memory, 0, self.base_strides)
        part: Array = np.ndarray(self.shape, dtype, memory, self.offset, self.strides)
        return whole, part

    def apart(self) -> Iterator[tuple[int | slice, ...]]:
        """Indices that together select the view, each of them elements of which no two are in one place.

        It is one, but for windows that overlap: along them a step is no longer than what lies within a window.
        """
        extent = 0
        overlapping: list[int] = []
        for dim in sorted(range(len(self.shape)), key=self.strides.__getitem__):
            if 0 < self.strides[dim] <= extent:
                overlapping.append(dim)
            else:
                extent += (self.shape[dim] - 1) * self.strides[dim]
        for index in np.ndindex(*[self.shape[dim] for dim in overlapping]):
            by_dim = dict(zip(overlapping, index, strict=True))
            yield tuple([by_dim.get(dim, slice(None)) for dim in range(len(self.shape))])


def layout_of(view: Array, base: Array) -> Layout:
    """Where the elements of `view` lie in the memory of `base`."""
    offset = view.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return Layout(base.shape, base.strides, view.shape, view.strides, offset if view.size else 0)


class StridedView(Unary):
    """The elements of `x` where a view of that layout has them.   dx = PutStrided(g)."""

    layout: Layout

    def forward(self, x: Array) -> Array:
        whole, part = self.layout.zeros(x.dtype)
        whole[...] = x
        return part.copy()

    def dx(self, g: Tensor) -> Tensor:
        return PutStrided(self.layout)(g)

    def name(self) -> str:
        return "AsStridedBackward0"


class PutStrided(Unary):
    """`y = 0;  y's view += x`: elements of the view at one place add up.   dx = StridedView(g)."""

    layout: Layout

    def forward(self, x: Array) -> Array:
        whole, part = self.layout.zeros(x.dtype)
        # Along steps of 0 the view was expanded.
        repeated = tuple([dim for dim, step in enumerate(part.strides) if step == 0])
        first = tuple([slice(0, 1) if dim in repeated else slice(None) for dim in range(part.ndim)])
        # With an Ellipsis also a single element is a view.
        part, sums = part[(*first, ...)], np.asarray(x.sum(repeated, keepdims=True))
        for index in self.layout.apart():
            part[(*index, ...)] += sums[index]
        return np.array(whole)

    def dx(self, g: Tensor) -> Tensor:
        return StridedView(self.layout)(g)


class Overwrite(Binary):
    """`y = x` but for `y's view = v`.   dx = g with zeros in the view,  dv = StridedView(g)."""

    layout: Layout
    keep = keep_nothing

    def forward(self, x: Array, v: Array) -> Array:
        whole, part = self.layout.zeros(x.dtype)
        whole[...] = x
        part[...] = v
        return np.array(whole)

    def backward(self, g: Any) -> Sequence[Any]:
        # Nothing kept is read, but PyTorch has no second pass through a write either.
        if self._kept is None:
            raise self._released()
        return super().backward(g)

    def da(self, g: Tensor) -> Tensor:
        return Overwrite(self.layout)(g, g._new(np.zeros(self.layout.shape, g._array.dtype)))

    def db(self, g: Tensor) -> Tensor:
        return StridedView(self.layout)(g)

    def name(self) -> str:
        return "torch::autograd::CopySlices"


class Refused(Unary):
    """The history of a view that cannot be followed: a backward pass through it is an error, as in PyTorch."""

    made_by: str

    def dx(self, g: Tensor) -> Tensor:
        raise RuntimeError(refusal(self.made_by, "and its base or another view of its base has been modified inplace"))


def follow(view: Any, base: Any, made_by: str) -> None:
    """Let the history of `view`, made by the operation `made_by`, be that it is a view of `base` as it is now."""
    node = Refused(made_by) if made_by else StridedView(layout_of(view._array, base._array))
    node.record((base._node,), (base,), view)


def refusal(made_by: str, what: str) -> str:
    """Why a write is not recorded: `made_by` is "no_grad", or the name of what made the view as one of several."""
    if made_by == "no_grad":
        return (
            f"A view was created in no_grad mode {what} with grad mode enabled. Given that this use case is "
            "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the "
            "inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or both "
            "outside (if you want the inplace to be tracked)."
        )
    return (
        f"Output 0 of {made_by} is a view {what}. This view is the output of a function that returns multiple views, "
        "or of a custom Function that returned its input. Such functions do not allow the output views to be modified "
        "inplace. You should replace the inplace operation by an out-of-place one."
    )


class Copy(Elementwise):
    """`b`, written over `a`, to whose shape it broadcasts.   da = 0,  db = g."""

    __slots__ = ("form",)

    def __init__(self, form: str = "torch::autograd::CopyBackwards") -> None:
        self.form = form

    def forward(self, a: Array, b: Array) -> Array:
        shape = np.broadcast_shapes(a.shape, b.shape)
        if shape != a.shape:
            raise RuntimeError(f"output with shape {list(a.shape)} doesn't match the broadcast shape {list(shape)}")
        return np.broadcast_to(b, shape).copy()

    def da(self, g: Tensor) -> Tensor:
        return zeroed(g)

    def db(self, g: Tensor) -> Tensor:
        return g

    def name(self) -> str:
        return self.form


class Forget(Unary):
    """`x`, about to be overwritten by values that do not depend on it.   dx = 0."""

    __slots__ = ("form",)

    def __init__(self, form: str) -> None:
        self.form = form

    def forward(self, x: Array) -> Array:
        return x

    def dx(self, g: Tensor) -> Tensor:
        return zeroed(g)

    def name(self) -> str:
        return self.form
