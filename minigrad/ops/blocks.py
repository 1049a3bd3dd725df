"""Large arrays worked on block by block, so that what is computed stays in the processor's cache."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.core.dtypes import Array

#: Elements per block: two float32 arrays of as many fit in a second-level cache of 1 MB.
BLOCK = 2**16


def slices(count: int, size: int = 1, block: int = BLOCK) -> list[slice]:
    """Slices that together select `count` rows of `size` elements each: as many in each as have `block` elements.

    >>> slices(5, 32768)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(block // max(size, 1), 1)
    return [slice(start, min(start + step, count)) for start in range(0, count, step)]


def row_blocks(x: Array, uncut: tuple[int, ...] = ()) -> list[Any]:
    """What selects parts of `x`, to work on one after the other: some rows each, or all if it is small.

    Also all if the rows are among the dimensions `uncut`, which are to be whole in each part.
    """
    return [...] if x.size <= BLOCK or 0 in uncut else slices(len(x), math.prod(x.shape[1:]))


def blocked(compute: Callable[..., Array], *arrays: Array) -> Array:
    """`compute(*arrays)`, a function of each element of arrays of one shape, for as many at a time as stay in cache.

    The result has the dtype of the last array.
    """
    last = arrays[-1]
    if last.size <= BLOCK or not all([each.flags.c_contiguous for each in arrays]):
        return compute(*arrays)
    out = np.empty_like(last)
    flat = [each.reshape(-1) for each in (*arrays, out)]
    for block in slices(last.size):
        *parts, result = [each[block] for each in flat]
        result[...] = compute(*parts)
    return out
