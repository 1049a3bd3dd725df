"""Places in an array: which ones indices name, and reading, writing and adding up elements there."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array, computed_in
from minigrad.core.embedding import all_below
from minigrad.core.rows import add_rows_at

#: The dtypes that index tensors may have.  Dtypes exist once each: `in` and `is` compare them in no time.
INDEX_DTYPES = (np.dtype(np.int64), np.dtype(np.int32))

#: For so few indices, what is found of their shape alone is kept for the next time.
_FEW = 2**12

# ---- which ones indices name -----------------------------------------------------------------------------------------


def check_range(
    indices: Array, size: int, dim: int, error: type[Exception] = IndexError, from_end: bool = True, words: str = ""
) -> Array:
    """All `indices`, in [-size, size), or [0, size) if not `from_end`, from the start; else an error, after `words`."""
    # (An int of more than 64 bits makes an array of objects.)
    if indices.dtype != object and all_below(indices, size):
        return indices
    least = -size if from_end else 0
    if indices.size and not (indices.min() >= least and indices.max() < size):
        position = np.unravel_index(int(np.argmax((indices < least) | (indices >= size))), indices.shape)
        where = f"; it stands at position {[int(p) for p in position]}" if position else ""
        problem = f"{words}index {int(indices[position])} is out of bounds for dimension {dim} with size {size}"
        raise error(f"{problem}: expected one in [{least}, {size}){where}")
    return from_start(indices, size)


def from_start(places: Array, count: int) -> Array:
    """`places` in [-count, count) as places in [0, count)."""
    return places if all_below(places, count) else np.where(places < 0, places + count, places)


def places_along(index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """The places, in an array of `shape` with all dimensions as one, of `[i, …, index[i, …, k], …, k]`.

    >>> places_along(np.array([[2], [0]]), 1, (2, 3))
    array([[2],
           [3]])
    """
    step, offsets = (_steps if index.size < _FEW else _steps.__wrapped__)(index.shape, dim, shape)
    return np.asarray(np.add(index if step == 1 else index * np.int64(step), offsets))


@functools.lru_cache(maxsize=64)
def _steps(sizes: tuple[int, ...], dim: int, shape: tuple[int, ...]) -> tuple[int, Array]:
    """How far apart neighbours along `dim` are in such an array, and where each line along it begins."""
    offsets = np.zeros((), np.int64)
    own_step = step = 1
    for d in reversed(range(len(shape))):
        if d == dim:
            own_step = step
        elif sizes[d] > 1:
            offsets = offsets + np.arange(0, sizes[d] * step, step).reshape(-1, *(1,) * (len(sizes) - 1 - d))
        step *= max(shape[d], 1)
    return own_step, offsets


def positions(holds: Array) -> list[Array]:
    """The positions of the elements of a mask that hold, in order: a vector for each dimension.

    >>> [vector.tolist() for vector in positions(np.array([[False, True], [True, True]]))]
    [[0, 1, 1], [1, 0, 1]]
    """
    if holds.ndim == 0:
        return []
    # NumPy's own way takes several times as long for many elements.
    if holds.ndim == 1 or holds.size < 2**10:
        return [np.ascontiguousarray(vector) for vector in holds.nonzero()]
    places = np.flatnonzero(holds)
    # As many times as its row has elements that hold, each row's position; what is left is the position in the row.
    rows, size = holds.shape[:-1], holds.shape[-1]
    counts = np.count_nonzero(holds, axis=-1).reshape(-1)
    numbers = np.arange(counts.size)
    leading = [np.repeat(vector, counts) for vector in np.unravel_index(numbers, rows)]
    return [*leading, places - np.repeat(numbers * size, counts)]


# ---- what is done there ----------------------------------------------------------------------------------------------


def merged(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with `dims`, which are neighbours, as one dimension.

    >>> merged((2, 3, 4, 5), (1, 2))
    (2, 12, 5)
    """
    first = dims[0] if dims else 0
    return (*shape[:first], math.prod([shape[dim] for dim in dims]), *shape[first + len(dims) :])


def in_front(ndim: int, dims: tuple[int, ...]) -> tuple[int, ...] | None:
    """The order of dimensions with `dims` first, for those that are no neighbours; None for those that are."""
    if len(dims) <= 1 or dims == tuple(range(dims[0], dims[0] + len(dims))):
        return None
    return (*dims, *[dim for dim in range(ndim) if dim not in dims])


def as_neighbours(x: Array, dims: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """`x` and `dims` as they are; if these are no neighbours, with them in front."""
    order = in_front(x.ndim, dims)
    return (x, dims) if order is None else (x.transpose(order), tuple(range(len(dims))))


def read_at(x: Array, dims: tuple[int, ...], places: Array) -> Array:
    """`x` at `places`, counted in `dims` as if they were one, negative ones from the end of one: a contiguous copy.

    Places in dimensions that are no neighbours come first in the result, as in NumPy.
    """
    if x.flags.c_contiguous and (len(dims) == 1 or dims == tuple(range(x.ndim))):
        return x.take(places, dims[0] if len(dims) == 1 else None)
    x, dims = as_neighbours(x, dims)
    if x.flags.c_contiguous:
        return x.reshape(merged(x.shape, dims)).take(places, dims[0] if dims else 0)
    return np.asarray(x[_positions(x, dims, places)], order="C")


def write_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] = value`, in place, with places as in `read_at`."""
    y, dims = as_neighbours(y, dims)
    if y.flags.c_contiguous:
        y.reshape(merged(y.shape, dims))[_positions(y, dims[:1], places)] = value
    else:
        y[_positions(y, dims, places)] = value


def _positions(x: Array, dims: tuple[int, ...], places: Array) -> tuple[Any, ...]:
    """The NumPy index of places in `dims`, which are neighbours."""
    if len(dims) <= 1:
        return (*(slice(None),) * sum(dims), places)
    return (*(slice(None),) * dims[0], *np.unravel_index(places, [x.shape[dim] for dim in dims]))


def add_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] += value`, in place, with places as in `read_at`: values at one place add up, in at least float32."""
    if dims == tuple(range(y.ndim)) and y.flags.c_contiguous and y.dtype == computed_in(y.dtype):
        # Sooner than by rows of one element each.
        values = value if value.shape == places.shape else np.broadcast_to(value, places.shape)
        np.add.at(y.reshape(-1), places.reshape(-1), values.reshape(-1))
        return
    y, dims = as_neighbours(y, dims)
    shape, first = merged(y.shape, dims), dims[0] if dims else 0
    count, size = shape[first], math.prod(shape[first + 1 :])
    dtype = computed_in(y.dtype)
    table = y.astype(dtype, order="C", copy=not y.flags.c_contiguous or y.dtype != dtype)
    wanted = (*shape[:first], *places.shape, *shape[first + 1 :])
    values = (value if value.shape == wanted else np.broadcast_to(value, wanted)).astype(dtype, copy=False)
    ids = from_start(places.reshape(-1).astype(np.int64, copy=False), count)
    if first:
        ids = (np.arange(math.prod(shape[:first]))[:, None] * count + ids).reshape(-1)
    add_rows_at(table.reshape(math.prod(shape[:first]) * count, size), ids, values.reshape(ids.size, size))
    if table is not y:
        y[...] = table
