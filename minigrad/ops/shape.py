"""Operators that change a tensor's shape; where strides allow it, the result is a view of the same storage."""

from __future__ import annotations

import math
from collections.abc import Sequence

#: The name of a step for its name in place.
IN_PLACE = {
    "TBackward0": "TBackward1",
    "TransposeBackward0": "TransposeBackward1",
    "UnsqueezeBackward0": "UnsqueezeBackward1",
    "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4",
    "SqueezeBackward2": "SqueezeBackward5",
}


def swapped(ndim: int, dim0: int, dim1: int) -> tuple[int, ...]:
    """The permutation of `ndim` dimensions that swaps two."""
    dims = list(range(ndim))
    if ndim:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return tuple(dims)


def moved(ndim: int, source: Sequence[int], destination: Sequence[int]) -> tuple[int, ...]:
    """The permutation of `ndim` dimensions that puts `source[i]` in place `destination[i]` and keeps the others' order.

    >>> moved(4, [0], [2])
    (1, 2, 0, 3)
    """
    places = dict(zip(destination, source, strict=True))
    others = iter([dim for dim in range(ndim) if dim not in source])
    return tuple([places[place] if place in places else next(others) for place in range(ndim)])


def inferred_shape(sizes: Sequence[int], numel: int) -> tuple[int, ...]:
    """`sizes` with the one -1 among them replaced by what makes `numel` elements; a RuntimeError if nothing does."""
    given = list(sizes)
    if math.prod(given) == numel and min(given, default=0) >= 0:
        return tuple(given)
    for position, size in enumerate(given):
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {position} of shape {given}")
    if given.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod([size for size in given if size != -1])
    if -1 in given:
        if known == 0 == numel:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {given} because the unspecified dimension size -1 "
                "can be any value and is ambiguous"
            )
        if known and numel % known == 0:
            return tuple([numel // known if size == -1 else size for size in given])
    why = f"{known} does not divide it" if -1 in given else f"its sizes multiply to {known}"
    raise RuntimeError(f"shape '{given}' is invalid for input of size {numel}: {why}")


def expanded_shape(sizes: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that `expand(sizes)` gives a tensor of `shape`; -1 keeps a size."""
    new = len(sizes) - len(shape)
    if new < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(sizes)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(shape)})"
        )
    result: list[int] = []
    for dim, size in enumerate(sizes):
        existing = shape[dim - new] if dim >= new else None
        if existing is None and size == -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {dim}"
            )
        if size < -1 or (existing not in (None, 1, size) and size != -1):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({existing}) at non-singleton "
                f"dimension {dim}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(shape)}"
            )
        result.append(existing if size == -1 and existing is not None else size)
    return tuple(result)
