"""Operators that put elements elsewhere, or repeat them, in a copy."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array, of
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor
from minigrad.ops.dims import INTEGER


class Flip(Unary):
    """`x` in reverse order along `dims`, its own adjoint.   dx = Flip(g)."""

    __slots__ = ("dims",)

    def __init__(self, dims: tuple[int, ...]) -> None:
        self.dims = dims

    def forward(self, x: Array) -> Array:
        return np.flip(x, self.dims).copy()

    def dx(self, g: Tensor) -> Tensor:
        return Flip(self.dims)(g)


class Roll(Unary):
    """`y[…, (i + shift) mod size, …] = x[…, i, …]` along each of `dims`; along all elements in order if there are none.

    dx = Roll(g) by the opposite shifts.
    """

    __slots__ = ("dims", "shifts")

    def __init__(self, shifts: tuple[int, ...], dims: tuple[int, ...]) -> None:
        self.shifts = shifts
        self.dims = dims

    def forward(self, x: Array) -> Array:
        return np.roll(x, self.shifts, self.dims or None)

    def dx(self, g: Tensor) -> Tensor:
        return Roll(tuple([-shift for shift in self.shifts]), self.dims)(g)


class Repeat(Unary):
    """`x` laid out `repeats[i]` times along dimension i, new dimensions in front.

    dx = the sum of g over the repetitions.
    """

    __slots__ = ("repeats", "x_shape")

    def __init__(self, repeats: tuple[int, ...]) -> None:
        self.repeats = repeats

    def forward(self, x: Array) -> Array:
        self.x_shape = x.shape
        return np.tile(x, self.repeats)

    def dx(self, g: Tensor) -> Tensor:
        sizes = (1,) * (len(self.repeats) - len(self.x_shape)) + self.x_shape
        split = [each for pair in zip(self.repeats, sizes, strict=True) for each in pair]
        return g.reshape(split).sum(tuple(range(0, len(split), 2))).reshape(self.x_shape)


class RepeatEach(Unary):
    """`x` with its i-th slice along `dim` repeated `repeats[i]` times in a row; one number of repeats is for all.

    dx = SumEach(g), the sum over each slice's repeats.
    """

    __slots__ = ("dim", "repeats", "size")

    def __init__(self, repeats: Array, dim: int) -> None:
        self.repeats = repeats
        self.dim = dim

    def forward(self, x: Array) -> Array:
        self.size = x.shape[self.dim]
        return np.repeat(x, self.repeats, self.dim)

    def dx(self, g: Tensor) -> Tensor:
        if self.repeats.ndim:
            return SumEach(self.repeats, self.dim)(g)
        shape = g._array.shape
        runs = (*shape[: self.dim], self.size, int(self.repeats), *shape[self.dim + 1 :])
        return g.reshape(runs).sum(self.dim + 1)

    def name(self) -> str:
        return "IndexSelectBackward0" if self.repeats.ndim else "ViewBackward0"


def checked_repeats(repeats: Any, size: int, output_size: int | None) -> Array:
    """`repeats`, one number or a tensor with one for all or one for each of `size` slices, as an array."""
    if isinstance(repeats, Tensor):
        # A copy, which stays as it is until the backward pass.
        counts: Array = repeats._array.copy()
        if counts.ndim > 1:
            raise RuntimeError(f"repeats must be 0-dim or 1-dim tensor, got {counts.ndim} dimensions")
        counts = np.broadcast_to(counts, size) if counts.size == 1 else counts
        if len(counts) != size:
            raise RuntimeError(
                "repeats must have the same size as input along dim, but got "
                f"repeats.size(0) = {len(counts)} and input.size(0) = {size}"
            )
        if counts.dtype not in (np.int32, np.int64):
            raise NotImplementedError(
                f"\"repeat_interleave_cpu\" not implemented for '{of(counts)._tensor_name}': expected int64 or int32"
            )
    elif isinstance(repeats, INTEGER) and not isinstance(repeats, bool):
        counts = np.asarray(index(repeats))
    else:
        raise TypeError(
            f"repeat_interleave(): argument 'repeats' (position 1) must be int or Tensor, not {type(repeats).__name__}"
        )
    if (counts < 0).any():
        raise RuntimeError(f"repeats can not be negative, got {counts.min()}")
    total = int(counts.sum()) if counts.ndim else int(counts) * size
    if output_size not in (None, total):
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
    return counts


class SumEach(Unary):
    """`y[…, i, …]` is the sum of the i-th run of `lengths[i]` slices of `x` along `dim`.   dx = RepeatEach(g)."""

    __slots__ = ("dim", "lengths")

    def __init__(self, lengths: Array, dim: int) -> None:
        self.lengths = lengths
        self.dim = dim

    def forward(self, x: Array) -> Array:
        shape = (*x.shape[: self.dim], len(self.lengths), *x.shape[self.dim + 1 :])
        sums = np.zeros(shape, np.promote_types(x.dtype, np.float32))
        starts = np.cumsum(self.lengths) - self.lengths
        # Between two starts reduceat adds up a run; of a run without slices it would not give 0.
        some = np.flatnonzero(self.lengths)
        if some.size:
            sums[(slice(None),) * self.dim + (some,)] = np.add.reduceat(x, starts[some], self.dim, sums.dtype)
        return sums.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return RepeatEach(self.lengths, self.dim)(g)
