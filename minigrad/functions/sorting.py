"""Functions of order and counting."""

from __future__ import annotations

import numpy as np

from minigrad.methods.forms import Operand, checked_operand, checked_tensor, free
from minigrad.methods.sorting import inserted
from minigrad.tensor import Tensor

__all__ = [
    "argsort",
    "bincount",
    "bucketize",
    "diff",
    "histc",
    "histogram",
    "isin",
    "kthvalue",
    "median",
    "mode",
    "msort",
    "nanmedian",
    "searchsorted",
    "sort",
    "topk",
    "unique",
    "unique_consecutive",
]

sort = free(Tensor.sort)
argsort = free(Tensor.argsort)
msort = free(Tensor.msort)
topk = free(Tensor.topk)
kthvalue = free(Tensor.kthvalue)
median = free(Tensor.median)
nanmedian = free(Tensor.nanmedian)
mode = free(Tensor.mode)
diff = free(Tensor.diff)
unique = free(Tensor.unique)
unique_consecutive = free(Tensor.unique_consecutive)
bincount = free(Tensor.bincount)
histc = free(Tensor.histc)
histogram = free(Tensor.histogram)


def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """For each value the index at which it would keep the sequence sorted: before equal elements, or after them.

    `sorted_sequence` is `(*, N)`, sorted along the last dimension or, if not, by the indices `sorter`; `input` is
    `(*, M)`, or of any shape for a sequence `(N,)`.  After equal elements with `right` or with `side="right"`.

    >>> from minigrad import tensor
    >>> searchsorted(tensor([1, 3, 5]), tensor([3, 6]))
    tensor([1, 3])
    """
    return inserted(sorted_sequence, input, out_int32, right, side, sorter)


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
    return inserted(boundaries, input, out_int32, right, None, None)
