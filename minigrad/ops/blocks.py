"""Blocks of rows small enough to stay in the processor's cache while one step after another works on them."""

from __future__ import annotations

import math

from minigrad.dtypes import Array

# Elements per block: two float32 arrays of as many fit in a second-level cache of 1 MB.
_BLOCK = 2**16


def row_blocks(x: Array) -> list[slice]:
    """Slices that together select the rows of `x`, which is `(N, *)`: consecutive rows of few elements in each.

    >>> import numpy as np
    >>> row_blocks(np.zeros((5, 32768)))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    rows = max(_BLOCK // max(math.prod(x.shape[1:]), 1), 1)
    return [slice(start, start + rows) for start in range(0, len(x), rows)]
