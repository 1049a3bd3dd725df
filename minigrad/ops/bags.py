"""Bags of ids: the sum, or the largest, of the rows that a lookup gives for each bag.

A sum over bags adds row n into the row of its bag, so it is the `ScatterAdd` of `minigrad.core.embedding` once more,
with the numbers of the bags for ids: `embedding_bag = scatter_add(bags, lookup(ids))`, whose gradients are known.
"""

from __future__ import annotations

import numpy as np

from minigrad.core import dtypes
from minigrad.core.dtypes import Array
from minigrad.core.elementwise import Cast
from minigrad.core.embedding import ScatterAdd
from minigrad.core.tensor import Tensor
from minigrad.ops.along import TakeAlong


class SumBags(ScatterAdd):
    """`T[b]` is the sum of all rows `R[n]` in bag b, over `divisors[b]` if given, for rows in the order of their bags.

    `R` is `(N, D)`, the numbers of the bags are `(N,)`, and `T` is `(B, D)`.  If `size` is given, all bags have so
    many rows.

    dR = Lookup(G), of G over the divisors.
    """

    __slots__ = ("divisors", "size")

    def __init__(self, bags: int, size: int | None = None, divisors: Array | None = None) -> None:
        super().__init__(bags)
        self.size = size
        self.divisors = divisors

    def forward(self, rows: Array, bags: Array) -> Array:
        if self.size is None:
            sums = super().forward(rows, bags)
        else:
            together = rows.reshape(self.num_embeddings, self.size, rows.shape[1])
            sums = (np.ones((1, self.size), rows.dtype) @ together)[:, 0]
        return sums if self.divisors is None else sums / self.divisors.astype(rows.dtype)

    def da(self, g: Tensor) -> Tensor:
        return super().da(g if self.divisors is None else g / g._new(self.divisors.astype(g._array.dtype)))

    def name(self) -> str:
        return "EmbeddingBagBackward0"


class PickFromBags(TakeAlong):
    """The elements `x[positions[b, d], d]`.   dx = g at these places."""

    __slots__ = ()

    def name(self) -> str:
        return "EmbeddingBagBackward0"


class Widened(Cast):
    """`x` in float32.   dx = g, in float32 still: a Lookup rounds the sums of such rows, and not each row."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(dtypes.float32)

    def dx(self, g: Tensor) -> Tensor:
        return g


def widened(rows: Tensor) -> Tensor:
    """Rows that were looked up, in at least float32."""
    return Widened()(rows) if rows._array.dtype == np.float16 else rows


def largest_in_bags(rows: Array, bags: Array, size: int | None) -> Array:
    """The positions `(B, D)` of the first largest elements of each bag, for rows in the order of their bags.

    Only bags that have rows count.  All have `size` rows, if it is given.
    """
    if size is not None:
        within = rows.reshape(len(rows) // size, size, rows.shape[1]).argmax(axis=1)
        return within + np.arange(0, len(rows), size)[:, None]
    starts = np.flatnonzero(np.diff(bags, prepend=-1))
    largest = np.maximum.reduceat(rows, starts, axis=0)
    counts = np.diff(starts, append=len(bags))
    is_largest = rows == np.repeat(largest, counts, axis=0)
    # A nan is larger than all others, and equal to none.
    is_largest |= np.isnan(rows)
    positions = np.where(is_largest, np.arange(len(rows))[:, None], len(rows))
    first: Array = np.minimum.reduceat(positions, starts, axis=0)
    return first
