"""Indexing as functions."""

from __future__ import annotations

from minigrad.methods.forms import free
from minigrad.tensor import Tensor

__all__ = [
    "argwhere",
    "gather",
    "index_add",
    "index_fill",
    "index_put",
    "index_select",
    "masked_select",
    "nonzero",
    "scatter",
    "scatter_add",
    "take",
    "take_along_dim",
]

argwhere = free(Tensor.argwhere)
gather = free(Tensor.gather)
index_add = free(Tensor.index_add)
index_fill = free(Tensor.index_fill)
index_put = free(Tensor.index_put)
index_select = free(Tensor.index_select)
masked_select = free(Tensor.masked_select)
nonzero = free(Tensor.nonzero)
scatter = free(Tensor.scatter)
scatter_add = free(Tensor.scatter_add)
take = free(Tensor.take)
take_along_dim = free(Tensor.take_along_dim)
