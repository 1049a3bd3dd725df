"""Taking elements along one dimension, and putting them back: adjoint pairs."""

from __future__ import annotations

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.tape import Binary, keep_rest
from minigrad.core.tensor import Tensor
from minigrad.ops.gathering import places_along


class TakeAlong(Binary):
    """`y[…, j, …] = x[…, indices[…, j, …], …]` along `dim`, which goes unless `keepdim`; each place once at most.

    dx = PutAlong(g), at the places taken.
    """

    __slots__ = ("size",)
    dim: int
    keepdim: bool = True
    form: str = "GatherBackward0"
    keep = keep_rest

    def forward(self, x: Array, indices: Array) -> Array:
        if x.ndim == 0:
            return x.copy()
        self.size = x.shape[self.dim]
        if x.flags.c_contiguous:
            taken = x.take(places_along(indices, self.dim, x.shape))
        else:
            taken = np.take_along_axis(x, indices, self.dim)
        return taken if self.keepdim else taken.squeeze(self.dim)

    def da(self, g: Tensor) -> Tensor:
        if g._array.ndim == 0 == self.kept(1)._array.ndim:
            return g
        return PutAlong(self.dim, self.size, self.keepdim)(g, self.kept(1))

    def name(self) -> str:
        return self.form


class PutAlong(Binary):
    """`y` is 0 but for `y[…, indices[…, j, …], …] = x[…, j, …]` along `dim`, of `size` there; one j per place.

    Without `keepdim`, x has no such dimension, and there is one j.   dx = TakeAlong(g).
    """

    dim: int
    size: int
    keepdim: bool = True
    keep = keep_rest

    def forward(self, x: Array, indices: Array) -> Array:
        y = np.zeros((*indices.shape[: self.dim], self.size, *indices.shape[self.dim + 1 :]), x.dtype)
        y.reshape(-1)[places_along(indices, self.dim, y.shape)] = x.reshape(indices.shape)
        return y

    def da(self, g: Tensor) -> Tensor:
        return TakeAlong(self.dim, self.keepdim)(g, self.kept(1))
