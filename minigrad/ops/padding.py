"""Padding: more elements, or fewer, at the ends of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from minigrad.core.dtypes import Array, Number
from minigrad.core.rows import add_rows
from minigrad.core.tape import Unary
from minigrad.core.tensor import Tensor
from minigrad.declare import op
from minigrad.ops import casting


class ConstantPad(Unary):
    """`x` with `before` and `after` copies of `value` at the ends of each dimension, or cut off if negative."""

    form = "ConstantPadNdBackward0"
    formulas = ("dx = g with the opposite done to it: cut off what was added, zeros for what was cut off",)
    pads: Sequence[tuple[int, int]]
    value: Array

    def forward(self, x: Array) -> Array:
        shape = [before + size + after for size, (before, after) in zip(x.shape, self.pads, strict=True)]
        y = np.full(shape, self.value, x.dtype)
        y[_inner(self.pads, y.shape)] = x[_inner([(-before, -after) for before, after in self.pads], x.shape)]
        return y

    def dx(self, g: Tensor) -> Tensor:
        return ConstantPad([(-before, -after) for before, after in self.pads], np.zeros(()))(g)


def _inner(pads: Sequence[tuple[int, int]], shape: Sequence[int]) -> tuple[slice, ...]:
    """What is left of `shape` without the positive pads."""
    return tuple(
        [slice(max(before, 0), size - max(after, 0)) for size, (before, after) in zip(shape, pads, strict=True)]
    )


class Repeats(NamedTuple):
    """Which elements of a dimension of some size the padded one has."""

    dim: int
    size: int
    indices: Array


class RepeatPad(Unary):
    """`x` with elements of its own repeated at the ends of dimensions."""

    formulas = ("dx = RepeatPadBackward(g)",)
    repeats: Sequence[Repeats]
    form: str

    def forward(self, x: Array) -> Array:
        for each in self.repeats:
            x = x.take(each.indices, axis=each.dim)
        return x

    def dx(self, g: Tensor) -> Tensor:
        return RepeatPadBackward(self.repeats, self.form)(g)


class RepeatPadBackward(Unary):
    """The sum over all elements of `x` that repeat the same one, added as rows."""

    formulas = ("dx = RepeatPad(g)",)
    repeats: Sequence[Repeats]
    form: str

    def forward(self, x: Array) -> Array:
        y = x
        for dim, size, indices in self.repeats:
            rows = np.moveaxis(y, dim, 0)
            sums = add_rows(rows.reshape(len(indices), -1), indices, size)
            y = np.moveaxis(sums.reshape(size, *rows.shape[1:]), 0, dim)
        return y.astype(x.dtype, copy=False)

    def dx(self, g: Tensor) -> Tensor:
        return RepeatPad(self.repeats, self.form)(g)


@op("nn.functional")
def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: Number | None = None) -> Tensor:
    """`input` with elements added at the ends of its last dimensions, or cut off where `pad` is negative.

    `pad` is `(before, after)` for the last dimension, then for the one before it, and so on.  What is added is
    `value` (0 if None) in the mode "constant"; in the others it is repeated, for a given number of dimensions:
    "reflect" mirrors at the outermost element, "replicate" repeats that one, "circular" starts again from the other
    end.

    >>> import minigrad as torch
    >>> x = torch.tensor([[1, 2, 3]])
    >>> pad(x, (2, 1)), pad(x, (2, 1), "reflect")
    (tensor([[0, 0, 1, 2, 3, 0]]), tensor([[3, 2, 1, 2, 3, 2]]))
    """
    pads = _pairs(input, pad)
    if mode == "constant":
        filler = casting.filler(0 if value is None else value, input.dtype)
        for size, (before, after) in zip(reversed(input.shape), pads, strict=False):
            if before + size + after < 0 or max(-before, -after) > size:
                raise RuntimeError("narrow(): length must be non-negative: more is cut off than there is")
        return ConstantPad([*[(0, 0)] * (input.ndim - len(pads)), *reversed(pads)], filler)(input)
    if mode not in _PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if not 1 <= len(pads) <= 3 or input.ndim - len(pads) not in (1, 2):
        raise NotImplementedError(f"Padding size {2 * len(pads)} is not supported for {input.ndim}D input tensor")
    form = f"{mode.replace('reflect', 'reflection').replace('replicate', 'replication')}_pad{len(pads)}d"
    name = "CopySlices" if mode == "circular" else f"{form.title().replace('_', '')}Backward0"
    repeats = [
        _repeats(mode, input, dim, before, after)
        for dim, (before, after) in zip(range(input.ndim - 1, 0, -1), pads, strict=False)
    ]
    return RepeatPad(repeats, name)(input)


def _pairs(input: Tensor, pad: Sequence[int]) -> list[tuple[int, int]]:
    """The numbers of elements before and after, for the last dimension first."""
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after for each dimension, got {pad}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension")
    return list(zip(pad[::2], pad[1::2], strict=True))


def _repeats(mode: str, input: Tensor, dim: int, before: int, after: int) -> Repeats:
    """The elements of a padded dimension; a RuntimeError if it has not those that are to be repeated."""
    size, most = input._array.shape[dim], max(before, after)
    if mode == "reflect" and most >= size:
        raise RuntimeError(f"Padding size should be less than the input dimension: {before, after}")
    if mode == "circular" and most > size:
        raise RuntimeError(f"Padding value causes wrapping around more than once: {before, after} of {size}")
    left = size + min(before, 0) + min(after, 0)
    if not size or before + size + after < 1 or (mode == "circular" and left <= 0):
        raise RuntimeError(f"Padding {before, after} leaves nothing of dimension {dim} of input {list(input.shape)}")
    return Repeats(dim, size, _PLACES[mode](size, before, after))


def _mirrored(size: int, before: int, after: int) -> Array:
    positions = np.abs(np.arange(-before, size + after))
    return np.where(positions < size, positions, 2 * (size - 1) - positions)


def _clipped(size: int, before: int, after: int) -> Array:
    return np.arange(-before, size + after).clip(0, size - 1)


def _wrapped(size: int, before: int, after: int) -> Array:
    # What is left after cutting starts again, not what was cut off.
    first, left = max(-before, 0), size + min(before, 0) + min(after, 0)
    return first + np.arange(-max(before, 0), size + min(before, 0) + after) % left


_PLACES = {"reflect": _mirrored, "replicate": _clipped, "circular": _wrapped}
