"""What is computed with the entries of a sparse tensor, which are rows, each for a place of a table."""

from __future__ import annotations

import math

import numpy as np

from minigrad.core.dtypes import Array
from minigrad.core.embedding import Lookup, ScatterAdd
from minigrad.core.rows import add_rows_at, sum_by_id
from minigrad.core.shapes import Reshape
from minigrad.core.tape import Binary, Unary
from minigrad.core.tensor import Tensor


class ToDense(ScatterAdd):
    """The table of zeros to whose rows those of `R` are added: a ScatterAdd."""

    form = "ToDenseBackward0"
    formulas = ("dR = Lookup(G)",)


class Coalesce(Unary):
    """The sums of the rows of `R`, `(N, D)`, that have one of `ids`, `(N,)`, in common: a ScatterAdd without the table.

    The result is `(n, D)`, a row for each of the n distinct ids, which are in `names` in order.
    """

    formulas = ("dR = Lookup(G): row n of R went into the sum of its id",)
    __slots__ = ("names",)

    ids: Array

    def forward(self, rows: Array) -> Array:
        self.names, sums = sum_by_id(rows, self.ids)
        return sums

    def dx(self, g: Tensor) -> Tensor:
        return Lookup()(g, g._new(np.searchsorted(self.names, self.ids)))


class AddRowsAt(Binary):
    """`T[ids[n]] += R[n]` for each n, in a copy of the table `T`, `(V, D)`; `R` is `(N, D)`."""

    formulas = ("dT = G", "dR = Lookup(G)")
    ids: Array
    form: str

    def forward(self, table: Array, rows: Array) -> Array:
        out = table.copy(order="C")
        add_rows_at(out, self.ids, rows)
        return out

    def da(self, g: Tensor) -> Tensor:
        return g

    def db(self, g: Tensor) -> Tensor:
        return Lookup()(g, g._new(self.ids))


def entries_of(x: Tensor, dims: int) -> Tensor:
    """The sparse tensor of those entries of `x`, each at a place in its first `dims` dimensions, that are not zero."""
    shape: tuple[int, ...] = x._array.shape
    table = (math.prod(shape[:dims]), math.prod(shape[dims:]))
    ids = np.flatnonzero((x._array != 0).reshape(table).any(axis=1))
    rows = Lookup()(Reshape(table)(x), x._new(ids))
    entries = Reshape((len(ids), *shape[dims:]), "ToSparseBackward0")(rows)
    return x._new_sparse(places_of(ids, shape[:dims]), entries, shape, True)


def places_of(ids: Array, sizes: tuple[int, ...]) -> Array:
    """The coordinates, `(len(sizes), N)`, of the places `ids`, `(N,)`, counted in all dimensions at once.

    >>> places_of(np.array([0, 5]), (2, 3))
    array([[0, 1],
           [0, 2]])
    """
    places = np.empty((len(sizes), len(ids)), np.int64)
    for dim, size in reversed(list(enumerate(sizes))):
        ids, places[dim] = np.divmod(ids, max(size, 1))
    return places


def ids_of(places: Array, sizes: tuple[int, ...]) -> Array:
    """The places, `(N,)`, counted in all dimensions at once; of one dimension on the memory of `places`.

    >>> ids_of(np.array([[0, 1], [0, 2]]), (2, 3))
    array([0, 5])
    """
    if len(places) == 1:
        return places[0]
    ids: Array = np.zeros(places.shape[1], np.int64)
    for place, size in zip(places, sizes, strict=False):
        ids = ids * size + place
    return ids
