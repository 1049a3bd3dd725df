"""Functions of order and counting."""

from __future__ import annotations

from typing import Literal

import numpy as np

from minigrad.core import dtypes
from minigrad.methods.forms import Operand, checked_operand, checked_tensor, free
from minigrad.tensor import Tensor

__all__ = [
    "argsort",
    "bincount",
    "bucketize",
    "histc",
    "histogram",
    "isin",
    "median",
    "mode",
    "sort",
    "topk",
    "unique",
]

sort = free(Tensor.sort)
argsort = free(Tensor.argsort)
topk = free(Tensor.topk)
median = free(Tensor.median)
mode = free(Tensor.mode)
unique = free(Tensor.unique)
bincount = free(Tensor.bincount)
histc = free(Tensor.histc)
histogram = free(Tensor.histogram)


def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each of `elements`, `(*)`, is among `test_elements`, or with `invert` is not; one may be a number.

    >>> from minigrad import tensor
    >>> isin(tensor([[1, 2], [3, 4]]), tensor([2, 4, 9]))
    tensor([[False,  True],
            [False,  True]])
    """
    checked_operand("isin", elements)
    checked_operand("isin", test_elements, 2)
    if not isinstance(elements, Tensor) and not isinstance(test_elements, Tensor):
        raise TypeError("isin(): expected a tensor among elements and test_elements, but got two numbers")
    x, among = [each._array if isinstance(each, Tensor) else np.asarray(each) for each in (elements, test_elements)]
    return Tensor._new(np.isin(x, among, assume_unique=assume_unique, invert=invert))


def bucketize(input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """For each value the index of the bucket it falls into: boundary i - 1 < value <= boundary i.

    With `right`, boundary i - 1 <= value < boundary i.  `boundaries` is `(N,)` and ascending.

    >>> from minigrad import tensor
    >>> bucketize(tensor([0.5, 1.0, 2.5]), tensor([1.0, 2.0]))
    tensor([0, 0, 2])
    """
    if checked_tensor("bucketize", boundaries, "boundaries", 2).ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    edges = boundaries._array
    values = input._array if isinstance(input, Tensor) else input
    # A number is rounded as the boundaries are.
    common = dtypes.result_type(edges, values)._numpy
    side: Literal["left", "right"] = "right" if right else "left"
    points = np.searchsorted(edges.astype(common, copy=False), np.asarray(values).astype(common, copy=False), side)
    return boundaries._new(np.asarray(points, np.int32 if out_int32 else np.int64))
