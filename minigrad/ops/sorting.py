"""Order along a dimension: where each element comes in it.  All functions are of arrays, and give indices."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import Array


def order(x: Array, dim: int, descending: bool = False) -> Array:
    """The indices that sort `x` along `dim`; equal elements keep their order, and nan is larger than all numbers."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    # From the end, so that of equal elements the first comes last, and then first.
    indices = np.argsort(np.flip(x, dim), axis=dim, kind="stable")
    return x.shape[dim] - 1 - np.flip(indices, dim)


def top(x: Array, k: int, dim: int, largest: bool) -> Array:
    """The indices of the `k` largest or smallest elements of `x` along `dim`, in order."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    size = x.shape[dim]
    if not 0 < k < size:
        return order(x, dim, largest).take(range(k), dim)
    parted = np.argpartition(x, size - k if largest else k - 1, axis=dim)
    # By index first: so equal elements are in order.
    chosen = np.sort(parted.take(range(size - k, size) if largest else range(k), dim), axis=dim)
    among = order(np.take_along_axis(x, chosen, dim), dim, largest)
    return np.take_along_axis(chosen, among, dim)


def middle(x: Array, dim: int) -> Array:
    """The index of the median along `dim`, the lower of two, or of the first nan; the dimension stays."""
    index = np.take(order(x, dim), [(x.shape[dim] - 1) // 2], dim) if x.ndim else np.zeros((), np.int64)
    if x.dtype.kind != "f":
        return index
    nan = np.isnan(x)
    return np.where(nan.any(axis=dim, keepdims=True), nan.argmax(axis=dim, keepdims=True), index)


def most_frequent(x: Array, dim: int) -> Array:
    """The last index of the most frequent element along `dim`, of several the smallest; the dimension stays."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    indices = np.moveaxis(order(x, dim), dim, -1)
    ordered = np.take_along_axis(np.moveaxis(x, dim, -1), indices, -1)
    places = np.arange(x.shape[dim])
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    # How far each element is from the start of its run; the farthest is the last of the longest run.
    depth = places - np.maximum.accumulate(np.where(starts, places, 0), axis=-1)
    found = np.take_along_axis(indices, depth.argmax(axis=-1, keepdims=True), -1)
    return np.moveaxis(found, -1, dim)
