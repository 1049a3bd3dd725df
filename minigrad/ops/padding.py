"""Padding: more elements, or fewer, at the ends of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor


class ConstantPad(Unary):
    """`x` with `before` and `after` copies of `value` at the ends of each dimension, or elements cut off if negative.

    dx = g with the opposite done to it: cut off what was added, zeros for what was cut off.
    """

    __slots__ = ("pads", "value")

    def __init__(self, pads: Sequence[tuple[int, int]], value: Array) -> None:
        self.pads = tuple(pads)
        self.value = value

    def forward(self, x: Array) -> Array:
        shape = [before + size + after for size, (before, after) in zip(x.shape, self.pads, strict=True)]
        y = np.full(shape, self.value, x.dtype)
        y[_inner(self.pads, y.shape)] = x[_inner([(-before, -after) for before, after in self.pads], x.shape)]
        return y

    def dx(self, g: Tensor) -> Tensor:
        return ConstantPad([(-before, -after) for before, after in self.pads], np.zeros(()))(g)

    def name(self) -> str:
        return "ConstantPadNdBackward0"


def _inner(pads: Sequence[tuple[int, int]], shape: Sequence[int]) -> tuple[slice, ...]:
    """What is left of `shape` without the positive pads."""
    return tuple(
        [slice(max(before, 0), size - max(after, 0)) for size, (before, after) in zip(shape, pads, strict=True)]
    )


class Repeats(NamedTuple):
    """Which elements a padded dimension has: `indices` of those of the input; `middle` of them are in one run.

    The run starts at element `start` of the output, and the others repeat elements of it.
    """

    dim: int
    size: int
    indices: Array
    start: int
    middle: int


class RepeatPad(Unary):
    """`x` with elements of its own repeated at the ends of dimensions.   dx = RepeatPadBackward(g)."""

    __slots__ = ("form", "repeats")

    def __init__(self, repeats: Sequence[Repeats], form: str) -> None:
        self.repeats = repeats
        self.form = form

    def forward(self, x: Array) -> Array:
        for each in self.repeats:
            x = x.take(each.indices, axis=each.dim)
        return x

    def dx(self, g: Tensor) -> Tensor:
        return RepeatPadBackward(self.repeats, self.form)(g)

    def name(self) -> str:
        return self.form


class RepeatPadBackward(Unary):
    """The sum over all elements of `x` that repeat the same one.   dx = RepeatPad(g)."""

    __slots__ = ("form", "repeats")

    def __init__(self, repeats: Sequence[Repeats], form: str) -> None:
        self.repeats = repeats
        self.form = form

    def forward(self, x: Array) -> Array:
        wide = np.promote_types(x.dtype, np.float32)
        y = x
        for dim, size, indices, start, middle in self.repeats:
            # Of views with the dimension in front, since a sum into one element is one into a row then.
            given = np.moveaxis(y, dim, 0)
            y = np.zeros((*y.shape[:dim], size, *y.shape[dim + 1 :]), wide)
            taken = np.moveaxis(y, dim, 0)
            first = indices[start] if middle else 0
            taken[first : first + middle] = given[start : start + middle]
            for position in (*range(start), *range(start + middle, len(indices))):
                taken[indices[position]] += given[position]
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return RepeatPad(self.repeats, self.form)(g)
