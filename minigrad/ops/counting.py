"""Counting: which elements there are, and how many in each bin."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tape import Node


class Underived(Node):
    """The array `result`, computed from the inputs in a way that has no derivative here or in PyTorch."""

    __slots__ = ("error", "form", "result")

    def __init__(self, result: Array, form: str, error: Exception) -> None:
        self.result = result
        self.form = form
        self.error = error

    def forward(self, *inputs: Array) -> Array:
        return self.result

    def backward(self, g: Any) -> Any:
        raise self.error

    def name(self) -> str:
        return self.form


def distinct(x: Array, dim: int | None) -> tuple[Array, Array, Array]:
    """The distinct elements of `x`, or the distinct parts along `dim`, in order.

    With them come for each element the index of its like among them, and for each of them how often it occurs.  No
    nan is like another.
    """
    parts = x.reshape(-1) if dim is None else np.moveaxis(x, dim, 0)
    rows = parts.reshape(len(parts), -1) if parts.size else np.zeros((len(parts), 1))
    # The first column decides, then the second, …: np.lexsort takes the last key first.
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    starts = np.ones(len(rows), bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    inverse = np.empty(len(rows), np.int64)
    inverse[order] = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    counts = np.diff(first, append=len(rows))
    found = parts[order[first]]
    if dim is None:
        return found, inverse.reshape(x.shape), counts
    return np.ascontiguousarray(np.moveaxis(found, 0, dim)), inverse, counts


def in_bins(x: Array, edges: Array, weights: Array | None) -> Array:
    """How many elements of `x`, or what weight of them, lie between each two `edges`; the last edge belongs to its bin.

    `edges` is `(N + 1,)` and ascending, the result `(N,)`.
    """
    inside = (x >= edges[0]) & (x <= edges[-1])
    bins = np.minimum(np.searchsorted(edges, x[inside], "right") - 1, len(edges) - 2)
    return np.bincount(bins, None if weights is None else weights[inside], len(edges) - 1)


def in_equal_bins(x: Array, bins: int, low: Any, high: Any) -> Array:
    """How many elements of `x` lie in each of `bins` parts, equally wide, of the range from `low` to `high`."""
    inside = x[(x >= low) & (x <= high)]
    places = ((inside - low) * x.dtype.type(bins) / (high - low)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins)


def around(x: Any) -> tuple[Any, Any]:
    """`x - 1` and `x + 1` or, where they are rounded to x, its neighbours: numbers of x's dtype, and finite."""
    one, most = x.dtype.type(1), np.finfo(x.dtype).max
    low, high = min(x - one, np.nextafter(x, -most)), max(x + one, np.nextafter(x, most))
    return low, high


def equally_spaced(low: Any, high: Any, count: int) -> Array:
    """`count` numbers from `low` to `high`, of their dtype, each computed from the nearer end."""
    step = (high - low) / low.dtype.type(count - 1)
    places = np.arange(count, dtype=low.dtype)
    return np.where(places < count // 2, low + step * places, high - step * places[::-1])
