"""Reading and writing along one dimension, at places that a tensor of indices names, and what PyTorch asks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array, of
from minigrad.core.shapes import broadcast_shapes_message
from minigrad.core.tape import Node
from minigrad.core.tensor import Tensor
from minigrad.ops.subscript import INDEX_DTYPES, check_range

# ---- places along a dimension ----------------------------------------------------------------------------------------


def places_along(index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """The places, in an array of `shape` with all dimensions as one, of `[i, …, index[i, …, k], …, k]`.

    >>> places_along(np.array([[2], [0]]), 1, (2, 3))
    array([[2],
           [3]])
    """
    offsets: Any = 0
    own_step = step = 1
    for d in reversed(range(len(shape))):
        if d == dim:
            own_step = step
        elif index.shape[d] > 1:
            offsets = offsets + np.arange(0, index.shape[d] * step, step).reshape(-1, *(1,) * (index.ndim - 1 - d))
        step *= max(shape[d], 1)
    places: Array = index * np.int64(own_step)
    places += offsets
    return places


def checked_along(name: str, x: Array, dim: int, index: Array, src: tuple[int, ...] | None = None) -> Array:
    """The places in `x` that `index` names along `dim`, after PyTorch's checks of `gather`, or of `scatter` of a `src`.

    In other dimensions `index` may be smaller than x; nothing of an empty one is checked.
    """
    if index.size == 0:
        return np.zeros(index.shape, np.int64)
    check_index_dtype(name, index)
    if max(index.ndim, 1) != max(x.ndim, 1):
        raise RuntimeError(
            f"Index tensor must have the same number of dimensions as {'input' if src is None else 'self'} tensor, got "
            f"{index.ndim} and {x.ndim}"
        )
    others = [d for d in range(index.ndim) if d != dim and index.shape[d] > x.shape[d]]
    if src is None and others:
        raise RuntimeError(
            f"Size does not match at dimension {others[0]} expected index {list(index.shape)} to be no larger than "
            f"self {list(x.shape)} apart from dimension {dim}"
        )
    if src is not None and (others or not _covers(src, index.shape)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension {dim} "
            f"and to be no larger size than src {list(src)}"
        )
    check_range(index, x.shape[dim] if x.ndim else 1, dim, RuntimeError, False)
    return places_along(index, dim, x.shape)


def positions(holds: Array) -> list[Array]:
    """The positions of the elements of a mask that hold, in order: a vector for each dimension.

    >>> [vector.tolist() for vector in positions(np.array([[False, True], [True, True]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    if holds.ndim == 0:
        return []
    places = np.flatnonzero(holds)
    if holds.ndim == 1:
        return [places]
    # As many times as its row has elements that hold, each row's position; what is left is the position in the row.
    rows, size = holds.shape[:-1], holds.shape[-1]
    counts = np.count_nonzero(holds, axis=-1).reshape(-1)
    numbers = np.arange(counts.size)
    leading = [np.repeat(vector, counts) for vector in np.unravel_index(numbers, rows)]
    return [*leading, places - np.repeat(numbers * size, counts)]


def flat_places(x: Array, index: Array, refusal: str) -> Array:
    """The places that `index` names, negative ones from the end, counted over all elements of `x` in order.

    An IndexError, which says the `refusal` if there are no elements, for places that there are not.
    """
    if index.size and not x.size:
        raise IndexError(refusal)
    wrong = index[(index < -x.size) | (index >= x.size)]
    if wrong.size:
        raise IndexError(f"out of range: tried to access index {wrong.flat[0]} on a tensor of {x.size} elements.")
    return index % max(x.size, 1)


def all_dims(x: Any) -> tuple[int, ...]:
    """The dimensions of `x`."""
    return tuple(range(x._array.ndim))


def broadcast_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that both broadcast to; a RuntimeError if they do not."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise RuntimeError(broadcast_shapes_message(a, b)) from None


def _covers(shape: tuple[int, ...], part: tuple[int, ...]) -> bool:
    """Whether an array of `shape` has the elements of one of the shape `part`; a 0-d one counts as 1-d."""
    shape, part = shape or (1,), part or (1,)
    return len(shape) == len(part) and all([size >= wanted for size, wanted in zip(shape, part, strict=True)])


def check_index_dtype(name: str, index: Array) -> None:
    """Nothing if `index` has integers that PyTorch takes for indices; else a RuntimeError."""
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index, got {of(index)!r}: index.long()")


def check_same_dtype(name: str, x: Array, src: Array) -> None:
    """Nothing if `src` can be written into `x` without a conversion; else a RuntimeError."""
    if x.dtype != src.dtype:
        raise RuntimeError(
            f"{name}(): Expected self.dtype to be equal to src.dtype, got {of(x)!r} and {of(src)!r}: src.to({of(x)!r})"
        )


class ScatterProd(Node):
    """`y = x;  y[places] *= src`, with places that count all dimensions of x as one; as in PyTorch, not derived."""

    places: Array

    def forward(self, x: Array, src: Array) -> Array:
        y = x.copy()
        self.write(y, src)
        return y

    def write(self, y: Array, src: Array) -> None:
        """Write into `y` itself."""
        table = y.astype(np.float32 if y.dtype == np.float16 else y.dtype, order="C", copy=False)
        np.multiply.at(table.reshape(-1), self.places.reshape(-1), src.reshape(-1).astype(table.dtype, copy=False))
        if table is not y:
            y[...] = table

    def backward(self, g: Tensor) -> Sequence[Any]:
        raise RuntimeError("derivative for aten::scatter is not implemented")

    def name(self) -> str:
        return "torch::autograd::NotImplemented"
