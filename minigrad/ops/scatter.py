"""Adding rows into a table, where rows of the same id add up: the array work below a lookup's backward."""

from __future__ import annotations

import numpy as np

from minigrad.dtypes import Array

# Up to this many elements one np.add.at is faster than sorting the ids.
_SMALL = 32768
# An id with more repeats than this is summed by one matrix product, not repeat by repeat.
_HOT = 8


def add_rows(rows: Array, ids: Array, num_rows: int) -> Array:
    """The table of shape `(num_rows, D)` whose row v is the sum of all `rows[n]` with `ids[n] == v`.

    `rows` is `(N, D)` and `ids` is `(N,)` with values in `[0, num_rows)`.  Sums are made in at least float32.
    """
    size = rows.shape[1]
    wide = rows.astype(np.promote_types(rows.dtype, np.float32), copy=False)
    # Zeroed pages are the kernel's to give: rows that no id names are never touched.
    table = np.zeros((num_rows, size), wide.dtype)
    if rows.size <= _SMALL:
        # np.add.at is fast for one index array on a 1-d array, and only then.
        # In int64, since int32 ids times the row size may be more than an int32 holds.
        places = ids.astype(np.int64, copy=False)[:, None] * size + np.arange(size)
        np.add.at(table.reshape(-1), places.reshape(-1), wide.reshape(-1))
    else:
        names, sums = _sum_by_id(wide, ids)
        table[names] = sums
    return table.astype(rows.dtype, copy=False)


def _sum_by_id(rows: Array, ids: Array) -> tuple[Array, Array]:
    """The distinct ids, and for each the sum of its rows.

    The ids are sorted once, so that each id's repeats form a segment.  Each sum starts as its segment's first
    row; then the second repeats of all ids are added at once, then the third, and so on.  An id with many
    repeats would make for many short rounds: it is one product with a vector of ones instead.
    """
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(starts, append=len(ids))
    sums = rows[order[starts]]
    repeat = 1
    repeated = np.flatnonzero((counts > 1) & (counts <= _HOT))
    while repeated.size:
        sums[repeated] += rows[order[starts[repeated] + repeat]]
        repeat += 1
        repeated = repeated[counts[repeated] > repeat]
    for segment in np.flatnonzero(counts > _HOT):
        members = order[starts[segment] : starts[segment] + counts[segment]]
        sums[segment] = np.ones(len(members), rows.dtype) @ rows[members]
    return ordered[starts], sums
