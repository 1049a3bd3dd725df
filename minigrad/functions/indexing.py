"""Indexing as functions."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np

from minigrad.methods.forms import checked_tensor, free
from minigrad.tensor import Tensor, new_leaf

__all__ = [
    "argwhere",
    "diagonal_scatter",
    "gather",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "masked_scatter",
    "masked_select",
    "nonzero",
    "put",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
    "take",
    "take_along_dim",
    "unravel_index",
]

argwhere = free(Tensor.argwhere)
diagonal_scatter = free(Tensor.diagonal_scatter)
gather = free(Tensor.gather)
index_add = free(Tensor.index_add)
index_copy = free(Tensor.index_copy)
index_fill = free(Tensor.index_fill)
index_put = free(Tensor.index_put)
index_select = free(Tensor.index_select)
masked_scatter = free(Tensor.masked_scatter)
masked_select = free(Tensor.masked_select)
nonzero = free(Tensor.nonzero)
put = free(Tensor.put)
scatter = free(Tensor.scatter)
scatter_add = free(Tensor.scatter_add)
scatter_reduce = free(Tensor.scatter_reduce)
select_scatter = free(Tensor.select_scatter)
slice_scatter = free(Tensor.slice_scatter)
take = free(Tensor.take)
take_along_dim = free(Tensor.take_along_dim)


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The positions, a tensor per dimension, of places counted over all elements of a tensor of `shape` in order.

    >>> from minigrad import tensor
    >>> unravel_index(tensor([5, 3]), (2, 3))
    (tensor([1, 1]), tensor([2, 0]))
    """
    places = checked_tensor("unravel_index", indices, "indices")._array
    if places.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype!r}")
    places = places.astype(np.int64)
    found: list[Tensor] = []
    for size in reversed([index(size) for size in (shape if isinstance(shape, Sequence) else (shape,))]):
        if size < 0:
            raise ValueError(f"'shape' cannot have negative values, but got {shape}")
        found.append(new_leaf(places % size))
        places = places // size
    return tuple(reversed(found))
