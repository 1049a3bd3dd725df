"""Looking up rows of a table, and adding rows into one: the two directions of an embedding.

For ids `i` (any shape), a table `W` of shape `(V, D)` and `X = one_hot(i, V)`:

                    Lookup                                  Linear on X, with weight = W.T
    forward         Y[n] = W[i[n]] for each n               Y = X @ W
    backward        dW = 0;  dW[i[n]] += G[n] for each n    dW = X.T @ G
    its backward    dG[n] = H[i[n]] for each n              dG = X @ H,  given the gradient H of dW

A row of `X` is zero but for a 1 in column `i[n]`, so `X @ W` picks rows of `W`, and `X.T @ G` adds row n of
`G` to row `i[n]` of `dW`.  (NumPy's `dW[i] += G` would keep one of the rows of a repeated id and drop the
others.)  The ids themselves have no gradient: there is no id between 2 and 3.

The two ops below are each other's backward, an adjoint pair: `<W[i], G> == <W, scatter_add(i, G)>` for all
`W` and `G`.  So the gradient of the gradient, and any order after it, needs no further code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .arrays import sum_of_rows
from .dtypes import Array, computed_in, of
from .ops import cast, masked
from .tape import Binary
from .tensor import Tensor

# The unsigned dtypes by their number of bytes.
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


class Lookup(Binary):
    """`Y = W[ids]`: row `ids[n]` of the table, for each n.

    `W` is `(V, D)`, `ids` is `(*)` and `Y` is `(*, D)`.

    In dW, the rows of G for an id that occurs twice are added, and an id that does not occur has a row of zeros.  (`da`
    below is the gradient of the first input, W.)  If G has a wider dtype than W, dW is rounded at the end.
    """

    form = "EmbeddingBackward0"
    formulas = (
        "dW = ScatterAdd(G): row v of dW is the sum of the rows G[n] with ids[n] == v (0 for `padding_idx`, if given)",
    )
    padding_idx: int | None = None

    def forward(self, weight: Array, ids: Array) -> Array:
        self.num_embeddings, self.dtype = len(weight), of(weight)
        check_ids(ids, self.num_embeddings)
        # np.take is faster, but would copy the whole of a table that is not contiguous, such as a transposed one.
        return weight.take(ids, axis=0) if weight.flags.c_contiguous else weight[ids]

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        # Only the ids are kept; of the table, which may be large, the number of rows is enough.
        if self.padding_idx is not None:
            # Masked in the graph, not in dW afterwards: so the gradient of this gradient is masked, too.
            g = masked(g, ids._array[..., None] != self.padding_idx)
        return cast(ScatterAdd(self.num_embeddings).of(g, ids), self.dtype)


class ScatterAdd(Binary):
    """`T = 0;  T[ids[n]] += R[n]` for each n: row v of the table is the sum of the rows of `R` whose id is v.

    `R` is `(*, D)`, `ids` is `(*)` with values in `[0, V)`, and `T` is `(V, D)`.
    """

    form = "EmbeddingDenseBackwardBackward0"
    formulas = ("dR = Lookup(G): row n of R went into row `ids[n]`, so its gradient is what arrived there",)
    num_embeddings: int

    def forward(self, rows: Array, ids: Array) -> Array:
        # What `T = np.zeros((V, D)); np.add.at(T, ids, rows)` computes, faster and in at least float32.
        return add_rows(rows.reshape(ids.size, rows.shape[-1]), ids.reshape(-1), self.num_embeddings)

    def da(self, g: Tensor, ids: Tensor) -> Tensor:
        return Lookup().of(g, ids)


def all_below(ids: Array, size: int) -> bool:
    """Whether all ids, integers, are in `[0, size)`."""
    # Read as unsigned, a negative id is larger than any size: one pass finds both kinds.  For few ids NumPy's argmax
    # takes a third of the time of its max, which begins in Python.
    unsigned = ids.view(_UNSIGNED[ids.itemsize])
    return not ids.size or unsigned.item(unsigned.argmax()) < size


def check_ids(ids: Array, num_embeddings: int) -> None:
    """Raise an IndexError that names the first id that is not in `[0, num_embeddings)`.

    NumPy would take -1 for the last row.  An id is not a position from the end, so it is an error.
    """
    if all_below(ids, num_embeddings):
        return
    wrong = (ids < 0) | (ids >= num_embeddings)
    position = np.unravel_index(int(np.argmax(wrong)), ids.shape)
    where = f" at position [{', '.join(str(int(p)) for p in position)}]" if position else ""
    remedy = f"make the table as large as the whole vocabulary (num_embeddings > {ids.max()}), or look for the wrong id"
    if ids[position] < 0:
        remedy = "ids count from 0; there is no row before the first"
    found = f"the id{where} is {ids[position]}, which is not in [0, {num_embeddings}), the rows of the table"
    raise IndexError(f"index out of range in self: {found}; {remedy}.")


# ---- the array work of adding rows -----------------------------------------------------------------------------------

# Up to this many elements, whole rows are added by np.add.at, since to find the place of each element takes longer.
_FEW = 1 << 8
# Up to this many additions, one np.add.at is faster than sorting the ids.
_SMALL = 1 << 16
# The rows of an id with more repeats than this are summed by one matrix product, not repeat by repeat.
_HOT = 8
# Sums are made in blocks of so many elements, which stay in the processor's cache.
_BLOCK = 1 << 18
# Rows narrower than this are added element by element, however many there are.
_NARROW = 16
# Two numbers, viewed as one complex number, are added in the time of one.
_PAIRS: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}


def add_rows(rows: Array, ids: Array, num_rows: int) -> Array:
    """The table of shape `(num_rows, D)` whose row v is the sum of all `rows[n]` with `ids[n] == v`.

    `rows` is `(N, D)` and `ids` is `(N,)` with values in `[0, num_rows)`.  Sums are made in at least float32.
    """
    # The operating system gives zeroed pages when they are touched: rows that no id names never are.
    table = np.zeros((num_rows, rows.shape[1]), computed_in(rows.dtype))
    wide = rows.astype(table.dtype, copy=False)
    if _few(wide):
        _add_elements(table, ids, wide)
    else:
        for names, sums in _sums_by_id(wide, ids):
            table[names] = sums
    return table.astype(rows.dtype, copy=False)


def add_rows_at(table: Array, ids: Array, rows: Array, scale: float = 1) -> None:
    """`table[ids[n]] += scale * rows[n]` for each n, in place; other rows of `table`, `(V, D)`, are not touched.

    The rows of one id are added up first, in at least float32, and rounded with the sum.
    """
    if table.dtype == rows.dtype == computed_in(rows.dtype) and table.flags.c_contiguous and _few(rows):
        _add_elements(table, ids, rows if scale == 1 else rows * scale)
        return
    for names, sums in _sums_by_id(rows, ids):
        if scale != 1:
            sums *= scale
        # np.take is the faster one, but copies a table that is not contiguous.
        sums += table.take(names, axis=0) if table.flags.c_contiguous else table[names]
        table[names] = sums


def sum_by_id(rows: Array, ids: Array) -> tuple[Array, Array]:
    """The distinct ids in order, and for each the sum of its rows: the rows of `add_rows` that some id names."""
    names, order, starts, counts = _segments(ids)
    return names, _sum_segments(rows, order, starts, counts).astype(rows.dtype, copy=False)


def _few(rows: Array) -> bool:
    """Whether adding element by element is faster than sorting the ids."""
    additions = rows.shape[1] * rows.itemsize // _addend(rows).itemsize
    return len(rows) * additions <= _SMALL or rows.shape[1] < _NARROW


def _addend(rows: Array) -> np.dtype[Any]:
    """The dtype in which elements are added: a complex one, for pairs of them, if a row has an even number."""
    return rows.dtype if rows.shape[1] % 2 else _PAIRS.get(rows.dtype, rows.dtype)


def _add_elements(table: Array, ids: Array, rows: Array) -> None:
    """`table[ids[n]] += rows[n]` for each n, in place, on a contiguous table of one dtype with the rows."""
    if rows.size <= _FEW:
        np.add.at(table, ids, rows)
        return
    addend = _addend(rows)
    size = rows.shape[1] * rows.itemsize // addend.itemsize
    # For more elements, np.add.at is fast only with one index array on a 1-d array.
    # In int64, since int32 ids times the row size may overflow.
    places = ids.astype(np.int64, copy=False)
    if size != 1:
        places = places[:, None] * size + np.arange(size)
    np.add.at(table.reshape(-1).view(addend), places.reshape(-1), rows.ravel().view(addend))


def _sums_by_id(rows: Array, ids: Array) -> Iterator[tuple[Array, Array]]:
    """The distinct ids, and for each the sum of its rows, in at least float32: block by block."""
    names, order, starts, counts = _segments(ids)
    step = 1 + _BLOCK // (1 + rows.shape[1])
    for start in range(0, len(names), step):
        block = slice(start, start + step)
        yield names[block], _sum_segments(rows, order, starts[block], counts[block])


def _segments(ids: Array) -> tuple[Array, Array, Array, Array]:
    """The distinct ids; the positions of all ids, sorted by id; where the segment of each id starts, and its length."""
    ordered, order = _sorted(ids)
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))[: len(ids)]
    return ordered[starts], order, starts, np.concatenate((starts[1:], [len(ids)])) - starts


def _sum_segments(rows: Array, order: Array, starts: Array, counts: Array) -> Array:
    """For each segment, `order[start : start + count]`, the sum of the rows at these positions, in at least float32.

    Each sum starts as its segment's first row; then the second rows of all segments are added at once, then the third,
    and so on.  A segment of many rows would take many rounds: its sum is a product with a vector of ones instead.
    """
    dtype = computed_in(rows.dtype)
    sums = rows.take(order[starts], axis=0).astype(dtype, copy=False)
    repeat = 1
    repeated = np.flatnonzero((counts > 1) & (counts <= _HOT))
    while repeated.size:
        sums[repeated] += rows.take(order[starts[repeated] + repeat], axis=0)
        repeat += 1
        repeated = repeated[counts[repeated] > repeat]
    hot = np.flatnonzero(counts > _HOT)
    ones = np.ones(int(counts.max(initial=1)), dtype)
    for segment, start, count in zip(hot.tolist(), starts[hot].tolist(), counts[hot].tolist(), strict=True):
        members = rows.take(order[start : start + count], axis=0).astype(dtype, copy=False)
        sums[segment] = sum_of_rows(members, ones[:count])
    return sums


def _sorted(ids: Array) -> tuple[Array, Array]:
    """The ids, none of them negative, in order, and the position of each before; equal ids keep their order."""
    bits = len(ids).bit_length()
    if int(ids.max(initial=0)) >> (63 - bits):
        order = np.argsort(ids, kind="stable")
        return ids[order], order
    # Each id and its position become one number: NumPy's sort is many times faster than its argsort.
    keys = ids.astype(np.int64) << bits
    keys |= np.arange(len(ids))
    keys.sort()
    return keys >> bits, keys & ((1 << bits) - 1)
