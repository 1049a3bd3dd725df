"""Writing elements at places of an array, and adding them up there: the array work below a lookup's backward."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.ops.summing import sum_of_rows

# Up to this many additions one np.add.at is faster than sorting the ids.
_SMALL = 1 << 16
# An id with more repeats than this is summed by one matrix product, not repeat by repeat.
_HOT = 8
# So many elements are summed up before their sums are used.
_BLOCK = 1 << 16
# Rows narrower than this are added element by element, however many there are.
_NARROW = 16
# Two numbers, seen as one complex number, are added up in the time of one.
_PAIRS: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}


def add_rows(rows: Array, ids: Array, num_rows: int) -> Array:
    """The table of shape `(num_rows, D)` whose row v is the sum of all `rows[n]` with `ids[n] == v`.

    `rows` is `(N, D)` and `ids` is `(N,)` with values in `[0, num_rows)`.  Sums are made in at least float32.
    """
    # Zeroed pages are the kernel's to give: rows that no id names are never touched.
    table = np.zeros((num_rows, rows.shape[1]), _wide(rows.dtype))
    add_rows_to_zeros(table, rows.astype(table.dtype, copy=False), ids)
    return table.astype(rows.dtype, copy=False)


def add_rows_to_zeros(table: Array, rows: Array, ids: Array) -> None:
    """Make of `table`, zeros so far and contiguous, that of `add_rows`; all in one dtype."""
    if _few(rows):
        _add_elements(table, ids, rows)
    else:
        for names, sums in _sums_by_id(rows, ids):
            table[names] = sums


def add_rows_at(table: Array, ids: Array, rows: Array, scale: float = 1) -> None:
    """`table[ids[n]] += scale * rows[n]` for each n, in place; other rows of `table`, `(V, D)`, are not touched.

    The rows of one id are added up first, in at least float32, and rounded with the sum.
    """
    if table.dtype == rows.dtype == _wide(rows.dtype) and table.flags.c_contiguous and _few(rows):
        _add_elements(table, ids, rows if scale == 1 else rows * scale)
        return
    for names, sums in _sums_by_id(rows, ids):
        if scale != 1:
            sums *= scale
        # np.take is the faster one, but copies a table that is not contiguous.
        sums += table.take(names, axis=0) if table.flags.c_contiguous else table[names]
        table[names] = sums


def sum_by_id(rows: Array, ids: Array) -> tuple[Array, Array]:
    """The distinct ids in order, and for each the sum of its rows: the rows of `add_rows` that are named at all."""
    names, order, starts, counts = _segments(ids)
    return names, _sum_segments(rows, order, starts, counts).astype(rows.dtype, copy=False)


def _few(rows: Array) -> bool:
    """Whether it is faster to add element by element than to sort the ids."""
    additions = rows.shape[1] * rows.itemsize // _addend(rows).itemsize
    return len(rows) * additions <= _SMALL or rows.shape[1] < _NARROW


def _addend(rows: Array) -> np.dtype[Any]:
    """What the elements of rows are added up as: in pairs, if a row has an even number of them."""
    return rows.dtype if rows.shape[1] % 2 else _PAIRS.get(rows.dtype, rows.dtype)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype to add up in."""
    return np.promote_types(dtype, np.float32) if dtype.kind == "f" else dtype


def _add_elements(table: Array, ids: Array, rows: Array) -> None:
    """`table[ids[n]] += rows[n]` for each n, in place, on a contiguous table of one dtype with the rows."""
    addend = _addend(rows)
    size = rows.shape[1] * rows.itemsize // addend.itemsize
    # np.add.at is fast for one index array on a 1-d array, and only then.
    # In int64, since int32 ids times the row size may be more than an int32 holds.
    places = ids.astype(np.int64, copy=False)
    if size != 1:
        places = places[:, None] * size + np.arange(size)
    np.add.at(table.reshape(-1).view(addend), places.reshape(-1), rows.ravel().view(addend))


def _sums_by_id(rows: Array, ids: Array) -> Iterator[tuple[Array, Array]]:
    """The distinct ids, and for each the sum of its rows, in at least float32.

    So many at a time as stay in the processor's cache until they are used; first the ids that occur once.
    """
    names, order, starts, counts = _segments(ids)
    if rows.size <= 4 * _BLOCK:
        # All of them stay there.
        yield names, _sum_segments(rows, order, starts, counts)
        return
    for chosen, size in ((np.flatnonzero(counts == 1), _BLOCK), (np.flatnonzero(counts > 1), 4 * _BLOCK)):
        step = 1 + size // (1 + rows.shape[1])
        for start in range(0, len(chosen), step):
            block = chosen[start : start + step]
            yield names[block], _sum_segments(rows, order, starts[block], counts[block])


def _segments(ids: Array) -> tuple[Array, Array, Array, Array]:
    """The distinct ids in order; where all ids were, in their order; where each one's start there, and how many."""
    ordered, order = _sorted(ids)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))[: len(ids)]
    return ordered[starts], order, starts, np.concatenate((starts[1:], [len(ids)])) - starts


def _sum_segments(rows: Array, order: Array, starts: Array, counts: Array) -> Array:
    """For each segment, `order[start : start + count]`, the sum of the rows that it lists, in at least float32.

    Each sum starts as its segment's first row; then the second rows of all segments are added at once, then the third,
    and so on.  A segment of many rows would make for many short rounds: it is a product with a vector of ones instead.
    """
    wide = _wide(rows.dtype)
    sums = rows.take(order[starts], axis=0).astype(wide, copy=False)
    most = int(counts.max(initial=1))
    if most == 1:
        return sums
    repeat = 1
    repeated = np.flatnonzero((counts > 1) & (counts <= _HOT))
    while repeated.size:
        sums[repeated] += rows.take(order[starts[repeated] + repeat], axis=0)
        repeat += 1
        repeated = repeated[counts[repeated] > repeat]
    hot = np.flatnonzero(counts > _HOT)
    ones = np.ones(most, wide)
    for segment, start, count in zip(hot.tolist(), starts[hot].tolist(), counts[hot].tolist(), strict=True):
        members = rows.take(order[start : start + count], axis=0).astype(wide, copy=False)
        sums[segment] = sum_of_rows(members, ones[:count])
    return sums


def _sorted(ids: Array) -> tuple[Array, Array]:
    """The ids, none of them negative, in order, and where each of them was; equal ones in the order they came in."""
    bits = len(ids).bit_length()
    if int(ids.max(initial=0)) >> (63 - bits):
        order = np.argsort(ids, kind="stable")
        return ids[order], order
    # Id and position in one number: NumPy sorts numbers many times faster than it finds their order.
    keys = ids.astype(np.int64) << bits
    keys |= np.arange(len(ids))
    keys.sort()
    return keys >> bits, keys & ((1 << bits) - 1)


# ---- places ----------------------------------------------------------------------------------------------------------


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


def read_at(x: Array, dims: tuple[int, ...], places: Array) -> Array:
    """`x` at `places`, counted in `dims` as if they were one, negative ones from the end of one: a contiguous copy.

    Places in dimensions that are no neighbours come first in the result, as in NumPy.
    """
    if len(dims) == 1 and x.flags.c_contiguous:
        return x.take(places, dims[0])
    order = in_front(x.ndim, dims)
    if order is not None:
        x, dims = x.transpose(order), tuple(range(len(dims)))
    if x.flags.c_contiguous:
        return x.reshape(merged(x.shape, dims)).take(places, dims[0] if dims else 0)
    return np.asarray(x[_positions(x, dims, places)], order="C")


def write_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] = value`, in place, with places as in `read_at`, and values as they were before."""
    if value.base is not None and np.may_share_memory(y, value):
        value = value.copy()
    order = in_front(y.ndim, dims)
    if order is not None:
        y, dims = y.transpose(order), tuple(range(len(dims)))
    if y.flags.c_contiguous:
        y.reshape(merged(y.shape, dims))[_positions(y, dims[:1], places)] = value
    else:
        y[_positions(y, dims, places)] = value


def _positions(x: Array, dims: tuple[int, ...], places: Array) -> tuple[Any, ...]:
    """The NumPy index of places in `dims`, which are neighbours."""
    if len(dims) <= 1:
        return (*(slice(None),) * sum(dims), places)
    return (*(slice(None),) * dims[0], *np.unravel_index(places, [x.shape[dim] for dim in dims]))


def from_start(places: Array, count: int) -> Array:
    """`places` in [-count, count) as places in [0, count)."""
    return np.where(places < 0, places + count, places) if places.size and places.min() < 0 else places


def add_at(y: Array, dims: tuple[int, ...], places: Array, value: Array) -> None:
    """`y[places] += value`, in place, with places as in `read_at`: values at one place add up, in at least float32."""
    order = in_front(y.ndim, dims)
    if order is not None:
        y, dims = y.transpose(order), tuple(range(len(dims)))
    shape, first = merged(y.shape, dims), dims[0] if dims else 0
    count, size = shape[first], math.prod(shape[first + 1 :])
    wide = _wide(y.dtype)
    table = y.astype(wide, order="C", copy=not y.flags.c_contiguous or y.dtype != wide)
    values = np.broadcast_to(value, (*shape[:first], *places.shape, *shape[first + 1 :])).astype(wide, copy=False)
    ids = from_start(places.reshape(-1).astype(np.int64, copy=False), count)
    if first:
        ids = (np.arange(math.prod(shape[:first]))[:, None] * count + ids).reshape(-1)
    add_rows_at(table.reshape(math.prod(shape[:first]) * count, size), ids, values.reshape(ids.size, size))
    if table is not y:
        y[...] = table
