"""Lookups whose gradient is scaled by how often an id occurs, or sparse."""

from __future__ import annotations

import numpy as np

from minigrad.core.embedding import Lookup, _as
from minigrad.core.shapes import Reshape
from minigrad.core.tensor import Tensor


class ScaledLookup(Lookup):
    """`Y = W[ids]`, with a gradient in which each id counts once: rows of dW are means, not sums.

    dW = ScatterAdd(G / count), with the number of times that each id occurs; row `padding_idx` is 0.
    """

    __slots__ = ()

    def da(self, g: Tensor) -> Tensor:
        ids = self.kept(1)._array
        counts = np.bincount(ids.reshape(-1), minlength=1)[ids]
        # In float32 at least: a float16 may be too large to be added up first, or too small to be divided first.
        g = _as(np.promote_types(self.dtype, np.float32), g)
        return super().da(g / g._new(counts[..., None].astype(g._array.dtype)))


class SparseLookup(Lookup):
    """`Y = W[ids]`, with a sparse gradient: the rows of G and their ids, and no table.

    dW = (ids, G), entries that add up; those of `padding_idx` are left out.
    """

    __slots__ = ("scaled",)

    def __init__(self, padding_idx: int | None = None, scaled: bool = False) -> None:
        super().__init__(padding_idx)
        self.scaled = scaled

    def da(self, g: Tensor) -> Tensor:
        if self.scaled:
            raise RuntimeError(
                "embedding_backward: scale_grad_by_freq not supported with sparse gradients: leave out one of the two"
            )
        # A copy, in int64: the user's ids may change.
        ids = self.kept(1)._array.reshape(-1).astype(np.int64)
        size = g._array.shape[-1]
        rows = Reshape((len(ids), size), "SparseCooTensorWithDimsAndTensorsBackward0")(g)
        if self.padding_idx is not None:
            used = np.flatnonzero(ids != self.padding_idx)
            ids, rows = ids[used], Lookup()(rows, g._new(used))
        return g._new_sparse(ids[None], _as(self.dtype, rows), (self.num_embeddings, size))
