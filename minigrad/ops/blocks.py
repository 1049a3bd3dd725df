"""Blocks of rows small enough to stay in the processor's cache while one step after another works on them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.dtypes import Array

# Elements per block: two float32 arrays of as many fit in a second-level cache of 1 MB.
_BLOCK = 2**16

# From so many elements in a row on, and so many in all, it pays to read in place.
_LONG = 2**8
_LARGE = 2**14


def row_blocks(x: Array) -> list[slice]:
    """Slices that together select the rows of `x`, which is `(N, *)`: consecutive rows of few elements in each.

    >>> import numpy as np
    >>> row_blocks(np.zeros((5, 32768)))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    if 0 < x.size <= _BLOCK:
        return [slice(0, len(x))]
    rows = max(_BLOCK // max(math.prod(x.shape[1:]), 1), 1)
    return [slice(start, start + rows) for start in range(0, len(x), rows)]


def blocks_along(x: Array, dims: tuple[int, ...]) -> list[Any]:
    """What selects the parts of `x` that can be worked on one after the other where `dims` must not be cut."""
    return [...] if x.size <= _BLOCK or 0 in dims else row_blocks(x)


def read_in_place(x: Array) -> None:
    """Let NumPy read where it lies what is broadcast to `x`, if that has long rows, until the end of a forward pass.

    Else it copies a row or column into a buffer of 8192 elements, again and again, unless rows are as long as that:
    that takes longer than the arithmetic.  The size of the buffer goes with the context of the pass (see `quiet`).
    """
    if x.size >= _LARGE and x.shape[-1] >= _LONG:
        np.setbufsize(_LONG)


def by_blocks(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute(*arrays)`, a function of each element of arrays of one shape, for as many at a time as stay in cache.

    The result has the dtype of the last array.
    """
    last = arrays[-1]
    if last.size <= _BLOCK or not all([each.flags.c_contiguous for each in arrays]):
        return compute(*arrays)
    out = np.empty_like(last)
    flat = [each.reshape(-1) for each in (*arrays, out)]
    for start in range(0, last.size, _BLOCK):
        *parts, result = [each[start : start + _BLOCK] for each in flat]
        result[...] = compute(*parts)
    return out
