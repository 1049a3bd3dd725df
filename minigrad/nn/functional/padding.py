"""Padding as a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import SupportsIndex

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array, Number
from minigrad.methods.forms import checked_tensor
from minigrad.ops.padding import ConstantPad, RepeatPad, Repeats
from minigrad.tensor import Tensor

__all__ = ["pad"]


def pad(input: Tensor, pad: Sequence[SupportsIndex], mode: str = "constant", value: Number | None = None) -> Tensor:
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
    checked_tensor("pad", input)
    pads = _pairs(input, pad)
    if mode == "constant":
        filler = dtypes.filler(0 if value is None else value, input.dtype)
        for size, (before, after) in zip(reversed(input.shape), pads, strict=False):
            if before + size + after < 0 or max(-before, -after) > size:
                raise RuntimeError(
                    f"narrow(): length must be non-negative: {-before} and {-after} elements cannot be cut off {size}"
                )
        return ConstantPad([*[(0, 0)] * (input.ndim - len(pads)), *reversed(pads)], filler)(input)
    if mode not in _INDICES:
        raise NotImplementedError(
            f"Unrecognised padding mode {mode}: one of 'constant', 'reflect', 'replicate' and 'circular'"
        )
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if (len(pads), input.ndim) not in ((1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5)):
        raise NotImplementedError(
            f"Padding size {2 * len(pads)} is not supported for {input.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    form = f"{mode.replace('reflect', 'reflection').replace('replicate', 'replication')}_pad{len(pads)}d"
    if input.dtype is dtypes.bool_ and mode != "circular":
        raise NotImplementedError(f"\"{form}\" not implemented for 'Bool': pad numbers, input.byte()")
    repeats = [
        _repeats(_INDICES[mode], input, input.ndim - position, before, after)
        for position, (before, after) in enumerate(pads, start=1)
    ]
    name = "CopySlices" if mode == "circular" else f"{form.title().replace('_', '')}Backward0"
    return RepeatPad(repeats, name)(input)


def _pairs(input: Tensor, pad: Sequence[SupportsIndex]) -> list[tuple[int, int]]:
    """The numbers of elements before and after, for the last dimension first."""
    if not isinstance(pad, tuple | list):
        raise TypeError(f"pad(): argument 'pad' (position 2) must be tuple of ints, not {type(pad).__name__}")
    for position, each in enumerate(pad):
        if not isinstance(each, SupportsIndex):
            raise TypeError(
                "pad(): argument 'pad' (position 2) must be tuple of ints, but found element of type "
                f"{type(each).__name__} at pos {position}"
            )
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2: before and after for each dimension, got {pad}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {input.ndim}"
        )
    return [(index(before), index(after)) for before, after in zip(pad[::2], pad[1::2], strict=True)]


def _repeats(indices: Callable[[int, int, int], Array], input: Tensor, dim: int, before: int, after: int) -> Repeats:
    """The elements of a padded dimension."""
    size = input._array.shape[dim]
    start = max(before, 0)
    middle = max(size + min(before, 0) + min(after, 0), 0)
    if size == 0 and indices is not _wrapped:
        raise RuntimeError(
            "Expected tensor with possibly 0 batch size and other non-zero dimensions for input, but got: "
            f"{list(input.shape)}"
        )
    if indices is _mirrored and max(before, after) >= size:
        raise RuntimeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {dim} of input {list(input.shape)}"
        )
    if indices is _wrapped and max(before, after) > size:
        raise RuntimeError(
            f"Padding value causes wrapping around more than once. Padding ({before}, {after}) at a dimension of size "
            f"{size}"
        )
    if before + size + after < 1 or (indices is _wrapped and not middle):
        raise RuntimeError(
            f"Padding ({before}, {after}) leaves nothing of dimension {dim} of input {list(input.shape)}"
        )
    return Repeats(dim, size, indices(size, before, after), start, middle)


def _mirrored(size: int, before: int, after: int) -> Array:
    positions = np.abs(np.arange(-before, size + after))
    return np.where(positions < size, positions, 2 * (size - 1) - positions)


def _clipped(size: int, before: int, after: int) -> Array:
    return np.arange(-before, size + after).clip(0, size - 1)


def _wrapped(size: int, before: int, after: int) -> Array:
    # What is left after cutting starts again, not what was cut off.
    first, left = max(-before, 0), max(size + min(before, 0) + min(after, 0), 1)
    return first + np.arange(-max(before, 0), size + min(before, 0) + after) % left


_INDICES = {"reflect": _mirrored, "replicate": _clipped, "circular": _wrapped}
